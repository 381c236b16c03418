#include "resolve/spelling.h"

#include <ctype.h>
#include <string.h>

#include "lib/util.h"
#include "pmu/vendor.h"

/* A name that is looked for, and the one found. */
struct spelling {
	const struct resolvers *resolvers;
	const char *word; /* normalized */
	const char *as_written;
	char *found;        /* owned; NULL if not found */
	bool is_of_library; /* otherwise of a vendor's file */
};

/* Returns the name without what the two spell differently: the separators, and libpfm4's prefix for the events of
 * Intel's CHA units. The caller frees it. */
static char *normalize(const char *name)
{
	char *text = strncasecmp(name, "UNC_CHA_", 8) == 0 ? xasprintf("UNC_C_%s", name + 8) : xstrdup(name);

	for (char *s = text; *s; s++)
		*s = *s == ':' || *s == '.' ? '_' : (char)toupper((unsigned char)*s);
	return text;
}

/* An event_each: compares a name of the library, `PMU::NAME`, or of a file. */
static void compare(void *arg, const struct event_entry *entry)
{
	struct spelling *s = arg;
	const char *colons = strstr(entry->name, "::"), *name = colons ? colons + 2 : entry->name;
	auto_free char *normal = s->found ? NULL : normalize(name);

	if (normal && strcmp(normal, s->word) == 0 && strcasecmp(name, s->as_written) != 0) {
		s->found = xstrdup(name);
		s->is_of_library = colons;
	}
}

static bool is_known(const struct resolvers *r, const char *name, bool of_library)
{
	const struct pfm_sources sources = {.errata = ERRATA_OFF};
	struct event event;
	struct error ignored;

	if (!of_library)
		return vendor_events_find(r->vendor, name, NULL, false, &ignored) != NULL;
	if (!pfm_encode(name, &sources, &event))
		return false;
	event_free(&event);
	return true;
}

/* Takes the names of a line of the table that are not the word, if it is one of them. */
static void read_line(struct spelling *s, const char *line)
{
	auto_strings struct strings names = {0};
	bool is_first = false, is_other = false;

	for (size_t n; *line != '\n'; line += n + (line[n] == ' ')) {
		auto_free char *normal = NULL;

		n = strcspn(line, " \n");
		strings_add(&names, "%.*s", (int)n, line);
		normal = normalize(names.v[names.n - 1]);
		if (strcmp(normal, s->word) == 0)
			*(names.n == 1 ? &is_first : &is_other) = true;
	}
	for (size_t i = is_first ? 1 : 0; i < (is_first ? names.n : is_other ? 1 : 0) && !s->found; i++)
		if (is_known(s->resolvers, names.v[i], is_first)) {
			s->found = xstrdup(names.v[i]);
			s->is_of_library = is_first;
		}
}

static void find(struct spelling *s)
{
	struct error ignored;

	(void)pfm_each(NULL, compare, s, &ignored);
	if (!s->found && s->resolvers->vendor)
		(void)vendor_each(s->resolvers->vendor, compare, s, &ignored);
	for (const char *line = spelling_table; *line && !s->found; line = strchr(line, '\n') + 1)
		read_line(s, line);
}

/* Removes the line of names that look alike. */
static void drop_alike(struct error *e)
{
	char *line = strncmp(e->hint, "did you mean", 12) == 0 ? e->hint : NULL, *next;

	if (!line)
		return;
	next = line + strcspn(line, "\n");
	memmove(line, next + (*next == '\n'), strlen(next + (*next == '\n')) + 1);
}

static bool is_modifiers(const char *tail)
{
	auto_modifiers struct modifiers m = MODIFIERS_NONE;
	struct error ignored;

	return modifiers_parse_tail(&m, tail, &ignored) == 0;
}

bool spelling_suggest(const struct resolvers *r, const char *name, struct error *e)
{
	struct spelling s = {.resolvers = r};
	auto_free char *hint = NULL;

	for (size_t n = strlen(name); n && !s.found;) {
		auto_free char *word = xstrndup(name, n), *normal = normalize(word);
		const char *colon = strrchr(word, ':'); /* of modifiers */

		s.word = normal;
		s.as_written = word;
		if (is_modifiers(name + n))
			find(&s);
		n = colon ? (size_t)(colon - word) : 0;
	}
	if (!s.found)
		return false;
	drop_alike(e);
	hint = xstrdup(e->hint);
	*e->hint = '\0';
	error_hint(e, "did you mean %s, as %s spells it?", s.found, s.is_of_library ? "libpfm4" : "the vendor's file");
	if (*hint)
		error_hint(e, "%s", hint);
	free(s.found);
	return true;
}
