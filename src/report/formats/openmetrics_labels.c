/* --openmetrics: the labels of a series. */
#include <stdio.h>
#include <string.h>

#include "lib/text.h"
#include "report/formats/openmetrics.h"

#define COMMAND_BYTES 120 /* of a command line, which is in each series */

/* Escapes quotes, backslashes and line feeds, and replaces bytes that are not UTF-8. */
static void put_text(const struct report *report, FILE *out, const char *text)
{
	static const char *const codes[128] = {['\n'] = "\\n", ['"'] = "\\\"", ['\\'] = "\\\\"};
	auto_free char *valid = report->tty ? text_safe(text) : text_valid(text);

	text_put_coded(out, valid, codes);
}

void openmetrics_put_label(const struct report *report, FILE *out, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, "%s%s=\"", ftell(out) > 0 ? "," : "", name);
	put_text(report, out, text);
	putc('"', out);
}

/* Returns the beginning of the command, up to the end of a character. */
static char *command_label(char *const *words)
{
	char *text = report_words_text(words), *cut;
	size_t size = strlen(text);

	if (size <= COMMAND_BYTES)
		return text;
	for (size = COMMAND_BYTES; size > 0 && utf8_continues(text[size]);)
		size--;
	cut = xasprintf("%.*s…", (int)size, text);
	free(text);
	return cut;
}

void openmetrics_put_run_label(const struct report *report, FILE *out, const struct session *session)
{
	const char *label = session->labels ? session->labels[0] : NULL;
	bool is_command = strcmp(session->target_kind, "command") == 0 && session->command;
	auto_free char *command = is_command ? command_label(session->command) : NULL;
	auto_free char *target = !is_command && session->target ? xstrdup(session->target) : NULL;

	if (target && target[0] == '\'') { /* 'system wide' */
		target[strlen(target) - 1] = '\0';
		memmove(target, target + 1, strlen(target));
	}
	if (label)
		openmetrics_put_label(report, out, "name", label);
	else
		openmetrics_put_label(report, out, is_command ? "command" : "target", is_command ? command : target);
}

static void put_subject_labels(const struct report *report, FILE *out, const struct total_subject *s)
{
	bool is_program = s->comm && (s->scope == AGGR_COMM || s->pid);
	auto_free char *program = is_program ? report_program_text(s->comm) : NULL;
	auto_free char *pid = s->pid ? xasprintf("%d", (int)s->pid) : NULL;
	const char *tid =
		s->scope == AGGR_THREAD && *s->id != '(' ? s->id : NULL; /* no thread ids: (others) and similar */

	if (aggr_mode_is_of_tasks(s->scope)) {
		openmetrics_put_label(report, out, "tid", tid);
		openmetrics_put_label(report, out, "pid", pid);
		openmetrics_put_label(report, out, "comm", program ? program : pid || tid ? NULL : s->id);
	} else if (s->scope != AGGR_TOTAL && s->scope != AGGR_CGROUP) {
		openmetrics_put_label(report, out, aggr_mode_name(s->scope), s->id);
	}
	openmetrics_put_label(report, out, "cgroup", s->scope == AGGR_CGROUP ? s->id : s->cgroup);
}

char *openmetrics_total_labels(const struct report *report, const struct session *session,
			       const struct total_subject *s, const struct total *t)
{
	auto_free char *occurrence = t->occurrence > 1 ? xasprintf("%u", t->occurrence) : NULL;
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	openmetrics_put_run_label(report, out, session);
	openmetrics_put_label(report, out, t->kind == ITEM_COUNT ? "event" : "metric", t->name);
	openmetrics_put_label(report, out, "occurrence", occurrence);
	put_subject_labels(report, out, s);
	fclose(out);
	return text;
}
