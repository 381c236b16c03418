#include "pmu/vendor_lost.h"

#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

static uint64_t field(const struct vendor_event *event, const char *name)
{
	const char *text = vendor_object_get(&event->object, name);
	uint64_t value;

	return text && parse_number(text, &value) == 0 ? value : 0;
}

/* True if the word is one of the n bytes of words. */
static bool has_word(const char *words, size_t n, const char *word)
{
	for (size_t at = 0, length; at < n; at += length + 1) {
		length = strcspn(words + at, " \n");
		if (length == strlen(word) && strncasecmp(words + at, word, length) == 0)
			return true;
	}
	return false;
}

/* True if the event is in the line, and its object lacks the field. */
static bool lacks_field(const struct vendor_event *event, const char *line, const char **name)
{
	size_t n = strcspn(event->name, ".");
	const char *rest = event->name[n] ? event->name + n + 1 : "-";
	char *end;
	uint64_t code;

	if (strncasecmp(line, event->name, n) != 0 || line[n] != ' ')
		return false;
	code = strtoull(line + n + 1, &end, 16);
	*name = strncmp(end + 1, "ExtSel", 6) == 0 ? "ExtSel" : "UMaskExt";
	line = end + 1 + strlen(*name) + 1;
	return has_word(line, strcspn(line, "\n"), rest) && field(event, "EventCode") == code &&
	       field(event, *name) == 0 && (**name == 'E' || field(event, "UMask") == 0);
}

char *vendor_event_loss(const struct vendor_event *event)
{
	const char *name;

	for (const char *line = vendor_lost_table; *line; line = strchr(line, '\n') + 1) {
		auto_free char *text = NULL;

		if (!lacks_field(event, line, &name))
			continue;
		text = xasprintf("%s lacks the %s of events of %s, as the files of Linux 6.12 do: they count other "
				 "events; fix: take the file from intel/perfmon",
				 event->object.path, name, event->pmu);
		return text_safe(text);
	}
	return NULL;
}
