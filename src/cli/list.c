#include "cli/list.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/ioctl.h>

#include "event/abi.h"
#include "event/event.h"
#include "event/pfm.h"
#include "event/sysfs.h"
#include "event/tracefs.h"
#include "lib/json.h"
#include "lib/text.h"
#include "lib/util.h"

#define INDENT      2
#define NAME_WIDTH  42 /* of the names' column; a longer name has its description below */
#define WIDTH_LEAST 60 /* of a terminal with room for two columns */

struct entry {
	const char *name, *source, *pmu;
	const char *aliases, *description; /* "": none */
};

struct list {
	FILE *out;
	struct json json;
	bool is_json;
	const char *pattern; /* NULL: all */
	bool is_glob;
	size_t width;        /* of the terminal; 0: none, an entry is one line */
	const char *section; /* heading to come before the section's first entry; NULL: is there */
	const char *source;  /* of the section's entries */
	size_t n;            /* entries printed */
	bool has_cpu_events; /* libpfm4 knows a PMU of this machine that the kernel has not named itself */
	struct strings missing;
};

/* Does the pattern name this: as a whole, or without its PMU? */
static bool name_matches(const struct list *l, const char *name)
{
	const char *colons = strstr(name, "::");

	if (!l->is_glob)
		return strcasestr(name, l->pattern) != NULL;
	return fnmatch(l->pattern, name, FNM_CASEFOLD) == 0 ||
	       (colons && fnmatch(l->pattern, colons + 2, FNM_CASEFOLD) == 0);
}

static bool alias_matches(const struct list *l, const char *aliases)
{
	for (const char *alias = aliases; *alias;) {
		size_t n = strcspn(alias, ",");
		auto_free char *name = xstrndup(alias, n);

		if (name_matches(l, name))
			return true;
		alias += n + strspn(alias + n, ", ");
	}
	return false;
}

/* A glob over PMUs alone means all of their events. */
static char *pattern_complete(const char *pattern)
{
	size_t n = strlen(pattern);

	return xasprintf("%s%s", pattern, n >= 2 && strcmp(pattern + n - 2, "::") == 0 ? "*" : "");
}

static bool entry_matches(const struct list *l, const struct entry *entry)
{
	if (!l->pattern || name_matches(l, entry->name) || alias_matches(l, entry->aliases))
		return true;
	return !l->is_glob && strcasestr(entry->description, l->pattern);
}

/* The text with every run of white space as one space, for the caller to free. */
static char *one_line(const char *text)
{
	char *line = xmalloc(strlen(text) + 1), *to = line;

	for (; *text; text++) {
		if (!isspace((unsigned char)*text))
			*to++ = *text;
		else if (to > line && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to > line && to[-1] == ' ')
		to--;
	*to = '\0';
	return line;
}

static void print_heading(struct list *l)
{
	if (!l->section)
		return;
	fprintf(l->out, "%s%s:\n", l->n ? "\n" : "", l->section);
	l->section = NULL;
}

static void start_line(FILE *out, size_t indent)
{
	fprintf(out, "\n%*s", (int)indent, "");
}

/* Words from column `at` on, wrapped at the terminal's width and continued at column indent. The text is safe and one
 * line; a word that is wider than the column stands out. */
static void print_wrapped(const struct list *l, const char *text, size_t at, size_t indent)
{
	size_t column = at;

	while (*text) {
		size_t n = strcspn(text, " ");
		auto_free char *word = xstrndup(text, n);
		size_t width = text_width(word);

		if (column > indent && column + 1 + width > l->width) {
			start_line(l->out, indent);
			column = indent;
		} else if (column > indent) {
			putc(' ', l->out);
			column++;
		}
		fputs(word, l->out);
		column += width;
		text += n + (text[n] == ' ');
	}
}

/* "a,b" as "a, b", which can be wrapped. */
static char *join_aliases(const char *aliases)
{
	char *text = xmalloc(2 * strlen(aliases) + 1), *to = text;

	for (; *aliases; aliases++) {
		*to++ = *aliases;
		if (*aliases == ',' && aliases[1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
	return text;
}

static void print_entry(const struct list *l, const struct entry *entry)
{
	auto_free char *name = text_safe(entry->name);
	auto_free char *description = text_safe(entry->description);
	auto_free char *aliases = join_aliases(entry->aliases);
	auto_free char *text = *aliases ? xasprintf("%s%s(or %s)", description, *description ? " " : "", aliases)
					: xstrdup(description);
	size_t column = INDENT + NAME_WIDTH + 2, at = INDENT + text_width(name);

	fprintf(l->out, "%*s%s", INDENT, "", name);
	if (*text && l->width && (l->width < WIDTH_LEAST || at + 2 > column)) {
		column = l->width < WIDTH_LEAST ? (size_t)INDENT * 4 : column;
		start_line(l->out, column);
		print_wrapped(l, text, column, column);
	} else if (*text) {
		fprintf(l->out, "%*s", at + 2 > column ? 2 : (int)(column - at), "");
		if (l->width)
			print_wrapped(l, text, column, column);
		else
			fputs(text, l->out);
	}
	putc('\n', l->out);
}

static void write_json(struct list *l, const struct entry *entry)
{
	struct json *j = &l->json;

	json_object_begin(j, NULL);
	json_string(j, "name", entry->name);
	json_string(j, "source", entry->source);
	json_string(j, "pmu", entry->pmu);
	json_array_begin(j, "aliases");
	for (const char *alias = entry->aliases; *alias;) {
		size_t n = strcspn(alias, ",");
		auto_free char *name = xstrndup(alias, n);

		json_string(j, NULL, name);
		alias += n + strspn(alias + n, ", ");
	}
	json_array_end(j);
	json_string(j, "description", *entry->description ? entry->description : NULL);
	json_object_end(j);
	json_newline(j);
}

static void list_add(struct list *l, const struct entry *entry)
{
	auto_free char *description = one_line(entry->description);
	struct entry e = *entry;

	e.description = description;
	if (!entry_matches(l, &e))
		return;
	if (l->is_json) {
		write_json(l, &e);
	} else {
		print_heading(l);
		print_entry(l, &e);
	}
	l->n++;
}

static void add_kernel(void *arg, const char *name, const char *aliases, const char *description)
{
	struct error ignored;
	struct event event = {0};
	bool known = abi_resolve(name, &event, &ignored) > 0;

	list_add(arg, &(struct entry){
			      .name = name,
			      .source = event_source_name(known ? event.source : EVENT_ABI),
			      .pmu = event.pmu,
			      .aliases = aliases,
			      .description = description,
		      });
	event_free(&event);
}

static void add_sysfs(void *arg, const char *name, const char *description)
{
	auto_free char *pmu = xstrndup(name, strcspn(name, "/"));

	list_add(arg, &(struct entry){name, event_source_name(EVENT_SYSFS), pmu, "", description});
}

static void add_tracepoint(void *arg, const char *name, const char *description)
{
	list_add(arg, &(struct entry){name, event_source_name(EVENT_TRACEPOINT), "tracepoint", "", description});
}

static void add_pfm(void *arg, const struct pfm_entry *entry)
{
	struct list *l = arg;

	/* "perf" and "perf_raw", which the library has for the kernel's own events, are on every machine */
	l->has_cpu_events |= strncmp(entry->pmu, "perf", 4) != 0;
	list_add(l, &(struct entry){entry->name, event_source_name(EVENT_PFM), entry->pmu, entry->aliases,
				    entry->description});
}

/* A section that is not there, or not all of it: said in its place, or with a pattern at the end, since what was looked
 * for may be in it. In JSON such a record has no name. */
static void list_missing(struct list *l, const char *source, const char *reason)
{
	if (l->pattern)
		strings_add(&l->missing, "%s", reason);
	if (l->is_json) {
		write_json(l, &(struct entry){NULL, source, NULL, "", reason});
	} else if (!l->pattern) {
		print_heading(l);
		fprintf(l->out, "%*s(", INDENT, "");
		text_put_safe(l->out, reason, strlen(reason));
		fputs(")\n", l->out);
	}
}

static void list_pfm(struct list *l)
{
	struct error e = {0};

	l->section = "libpfm4 events";
	if (pfm_each(l->pattern, add_pfm, l, &e) < 0)
		list_missing(l, event_source_name(EVENT_PFM), e.text);
	else if (!l->has_cpu_events && !l->pattern)
		list_missing(l, event_source_name(EVENT_PFM),
			     "libpfm4 knows no CPU PMU of this machine; --list='PMU::' lists another's");
}

static void list_sections(struct list *l)
{
	auto_tracefs struct tracefs tracefs = {0};
	struct error e = {0};
	size_t before;

	l->section = "Kernel events";
	abi_each(add_kernel, l);
	l->section = "PMU events";
	before = l->n;
	sysfs_each(SYSFS_ROOT, add_sysfs, l);
	if (l->n == before && !l->pattern)
		list_missing(l, event_source_name(EVENT_SYSFS), "no PMU in sysfs names any event");
	l->section = "Tracepoints";
	tracefs_each(&tracefs, add_tracepoint, l);
	if (tracefs_check(&tracefs, &e) < 0)
		list_missing(l, event_source_name(EVENT_TRACEPOINT), e.text);
	list_pfm(l);
}

static size_t terminal_width(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static int explain_nothing(const struct list *l, struct error *e)
{
	error_set(e, ENOENT, "no event matches '%s'", l->pattern ? l->pattern : "*");
	for (size_t i = 0; i < l->missing.n; i++)
		error_hint(e, "%s", l->missing.v[i]);
	return -ENOENT;
}

int list_print(FILE *out, const char *pattern, bool json, struct error *e)
{
	struct list l = {.out = out, .json = {.out = out}, .is_json = json};
	auto_free char *complete = pattern && strpbrk(pattern, "*?[") ? pattern_complete(pattern) : NULL;
	int rc = 0;

	l.is_glob = complete != NULL;
	l.pattern = complete ? complete : pattern;
	l.width = terminal_width(out);
	if (pattern && strstr(pattern, "::"))
		list_pfm(&l);
	else
		list_sections(&l);
	if (l.n == 0)
		rc = explain_nothing(&l, e);
	else if (!json)
		for (size_t i = 0; i < l.missing.n; i++)
			fprintf(out, "%s(%s)\n", i ? "" : "\n", l.missing.v[i]);
	strings_free(&l.missing);
	return rc;
}
