#include "cli/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "count/schedulability.h"
#include "event/abi.h"
#include "event/event.h"
#include "event/simulated.h"
#include "event/tool.h"
#include "lib/json.h"
#include "lib/text.h"
#include "lib/util.h"
#include "metric/catalogue.h"
#include "os/descriptors.h"
#include "os/program.h"
#include "pfm/pfm.h"
#include "pmu/sysfs.h"
#include "pmu/vendor.h"
#include "trace/probe.h"
#include "trace/tracefs.h"

#define INDENT      2
#define NAME_WIDTH  42 /* of the column of names; the description of a longer name is below it */
#define WIDTH_LEAST 60 /* width of a terminal for two columns */

struct list {
	FILE *out;
	struct json json;
	bool is_json;
	const char *pattern; /* NULL: all */
	bool is_glob;
	size_t width;                /* of the terminal; 0 without one: an entry is one line */
	const char *section;         /* heading, due before the section's first entry; NULL after printing */
	const char *groups;          /* of the listed metric; NULL for an event */
	const struct event *encoded; /* of libpfm4, or of a file if libpfm4 differs; NULL: of others, or not encoded */
	size_t n;                    /* number of printed entries */
	struct tracefs *tracefs;
	const struct pfm_sources *sources;
	bool has_cpu_events; /* libpfm4 knows a CPU PMU of this machine */
	bool has_core;       /* the machine shows a core PMU */
	bool missing_only;   /* list the kernel's events that this machine cannot count, not the others */
	struct strings missing;
};

/* True if the pattern matches the name, with or without its PMU. */
static bool pattern_matches(const struct list *l, const char *name)
{
	const char *colons = strstr(name, "::");

	if (!l->is_glob)
		return strcasestr(name, l->pattern) != NULL;
	return fnmatch(l->pattern, name, FNM_CASEFOLD) == 0 ||
	       (colons && fnmatch(l->pattern, colons + 2, FNM_CASEFOLD) == 0);
}

/* Writes the code, and a remark if it is not the only one. */
static char *describe_code(const struct event *event)
{
	auto_free char *more =
		event->attr.config1 ? xasprintf(" config1=0x%" PRIx64, (uint64_t)event->attr.config1) : NULL;

	return xasprintf(" [0x%" PRIx64 "%s]%s%s", (uint64_t)event->attr.config, more ? more : "",
			 event->remark ? " note: " : "", event->remark ? event->remark : "");
}

/* Splits "a,b" or "a, b" into strings, which the caller frees. */
static struct strings split_aliases(const char *aliases)
{
	struct strings list = {0};

	for (size_t n; *aliases; aliases += n + strspn(aliases + n, ", ")) {
		n = strcspn(aliases, ",");
		strings_add(&list, "%.*s", (int)n, aliases);
	}
	return list;
}

static bool entry_matches(const struct list *l, const struct event_entry *entry, const struct strings *aliases)
{
	if (!l->pattern || pattern_matches(l, entry->name))
		return true;
	for (size_t i = 0; i < aliases->n; i++)
		if (pattern_matches(l, aliases->v[i]))
			return true;
	if (l->groups && (l->is_glob ? metric_is_of_group(&(struct metric){.groups = l->groups}, l->pattern)
				     : strcasestr(l->groups, l->pattern) != NULL))
		return true;
	return !l->is_glob && strcasestr(entry->description, l->pattern);
}

static void print_heading(struct list *l)
{
	if (!l->section)
		return;
	fprintf(l->out, "%s%s:\n", l->n ? "\n" : "", l->section);
	l->section = NULL;
}

static void print_entry(const struct list *l, const struct event_entry *entry, const struct strings *aliases)
{
	auto_free char *name = text_safe(entry->name);
	auto_free char *description = text_safe(entry->description);
	auto_free char *joined = strings_join(aliases, ", ");
	auto_free char *code = l->encoded ? describe_code(l->encoded) : xstrdup("");
	auto_free char *text = joined ? xasprintf("%s%s(or %s)%s", description, *description ? " " : "", joined, code)
				      : xasprintf("%s%s", description, code);
	size_t column = INDENT + NAME_WIDTH + 2, at = INDENT + text_width(name);

	fprintf(l->out, "%*s%s", INDENT, "", name);
	if (*text && l->width && (l->width < WIDTH_LEAST || at + 2 > column)) {
		column = l->width < WIDTH_LEAST ? (size_t)INDENT * 4 : column;
		fprintf(l->out, "\n%*s", (int)column, "");
	} else if (*text) {
		fprintf(l->out, "%*s", at + 2 > column ? 2 : (int)(column - at), "");
	}
	text_put_wrapped(l->out, text, column, l->width);
	putc('\n', l->out);
}

static void write_groups(struct json *j, const char *groups)
{
	json_array_begin(j, "groups");
	for (size_t n; *(groups += strspn(groups, "; ")); groups += n) {
		auto_free char *group = NULL;

		n = strcspn(groups, ";");
		group = xstrndup(groups, n);
		json_string(j, NULL, group);
	}
	json_array_end(j);
}

/* True for a kernel event, or libpfm4's spelling of one, that this machine's core PMU does not have. */
static bool is_missing(const struct list *l, const struct event_entry *entry)
{
	static const char hardware[] = "perf::PERF_COUNT_HW_";
	struct event event = {0};
	bool is_abi = strcmp(entry->source, event_source_name(EVENT_ABI)) == 0, exists;

	if (!entry->pmu) /* a metric, or a section that is missing */
		return false;
	if (is_abi ? strcmp(entry->pmu, "cpu") != 0 : strncmp(entry->name, hardware, strlen(hardware)) != 0)
		return false;
	if (!is_abi || abi_resolve(entry->name, &event, &(struct error){0}) <= 0)
		return !l->has_core;
	exists = schedulability_exists(&event);
	event_free(&event);
	return !exists;
}

static void write_json(struct list *l, const struct event_entry *entry, const struct strings *aliases)
{
	struct json *j = &l->json;

	json_object_begin(j, NULL);
	json_string(j, "name", entry->name);
	json_string(j, "source", entry->source);
	json_string(j, "pmu", entry->pmu);
	json_array_begin(j, "aliases");
	for (size_t i = 0; i < aliases->n; i++)
		json_string(j, NULL, aliases->v[i]);
	json_array_end(j);
	json_string(j, "description", *entry->description ? entry->description : NULL);
	if (l->groups)
		write_groups(j, l->groups);
	if (l->encoded) {
		json_u64(j, "config", l->encoded->attr.config);
		json_u64(j, "config1", l->encoded->attr.config1);
		json_string(j, "remark", l->encoded->remark);
	}
	if (is_missing(l, entry))
		json_bool(j, "countable", false);
	json_object_end(j);
	json_newline(j);
}

/* True for an event of libpfm4, which has "perf" and "perf_raw", the kernel's events, on every machine. */
static bool is_of_cpu(const struct event_entry *entry)
{
	return entry->pmu && strcmp(entry->source, event_source_name(EVENT_PFM)) == 0 &&
	       strncmp(entry->pmu, "perf", 4) != 0;
}

static void add_entry(void *arg, const struct event_entry *entry)
{
	struct list *l = arg;
	auto_free char *description = text_one_line(entry->description);
	auto_strings struct strings aliases = split_aliases(entry->aliases);
	struct event_entry e = *entry;

	e.description = description;
	if (entry_matches(l, &e, &aliases)) {
		struct event encoded;
		bool is_of_file = strcmp(entry->source, event_source_name(EVENT_VENDOR)) == 0;
		bool is_encoded = (is_of_file || is_of_cpu(entry)) && pfm_encode(entry->name, l->sources, &encoded);

		l->encoded = is_encoded && (!is_of_file || encoded.remark) ? &encoded : NULL;
		if (l->is_json) {
			write_json(l, &e, &aliases);
		} else {
			print_heading(l);
			print_entry(l, &e, &aliases);
		}
		if (is_encoded)
			event_free(&encoded);
		l->encoded = NULL;
		l->n++;
	}
}

static void add_kernel_event(void *arg, const struct event_entry *entry)
{
	struct list *l = arg;
	auto_strings struct strings aliases = split_aliases(entry->aliases);

	if (entry_matches(l, entry, &aliases) && (l->is_json || is_missing(l, entry) == l->missing_only))
		add_entry(l, entry);
}

/* True for libpfm4's spelling of a kernel event, which is listed already, unless the pattern asks for it. */
static bool is_twin(const struct list *l, const struct event_entry *entry)
{
	return !l->is_json && strcmp(entry->pmu, "perf") == 0 &&
	       !(l->pattern && (strstr(l->pattern, "::") || strcasestr(l->pattern, "PERF_COUNT")));
}

static void add_pfm(void *arg, const struct event_entry *entry)
{
	struct list *l = arg;

	l->has_cpu_events |= is_of_cpu(entry);
	if (!is_twin(l, entry))
		add_entry(l, entry);
}

/* The fields of a tracepoint are in a file of its own: of thousands, only those that a pattern may select are read. A
 * glob matches names only. */
static void add_tracepoint(void *arg, const struct event_entry *entry)
{
	struct list *l = arg;
	struct event_entry e = *entry;
	auto_free char *fields = NULL;

	if (l->pattern && (!l->is_glob || pattern_matches(l, entry->name))) {
		fields = tracefs_fields(l->tracefs, entry->name);
		e.description = fields;
	}
	add_entry(l, &e);
}

/* Reports why a section is missing or incomplete: in its place; with a pattern at the end, since the missing events
 * might have matched it. In JSON such a record has no name. */
static void list_missing(struct list *l, enum event_source source, const char *reason)
{
	if (l->pattern)
		strings_add(&l->missing, "%s", reason);
	if (l->is_json) {
		write_json(l, &(struct event_entry){NULL, event_source_name(source), NULL, "", reason},
			   &(struct strings){0});
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
		list_missing(l, EVENT_PFM, e.text);
	else if (!l->has_cpu_events && !l->pattern)
		list_missing(l, EVENT_PFM, PFM_KNOWS_NONE "; --list='PMU::' lists another's");
}

static int list_metrics(struct list *l, struct vendor_files *files, struct error *e)
{
	struct catalogue catalogue = {.n = 0};
	int error = catalogue_load(&catalogue, files, e);

	l->section = "Metrics (-M)";
	for (size_t i = 0; i < catalogue.n && error == 0; i++) {
		const struct metric *f = catalogue.v[i];
		auto_free char *description =
			xasprintf("%s%s%s%s%s%s", f->description, *f->groups ? " [" : "", f->groups,
				  *f->groups ? "]" : "", *f->pmu ? " on " : "", f->pmu);

		l->groups = f->groups;
		if (catalogue_find(&catalogue, f->name, f->pmu) == f) /* the first of its name */
			add_entry(l, &(struct event_entry){f->name, "metric", *f->pmu ? f->pmu : NULL, "",
							   l->is_json ? f->description : description});
	}
	l->groups = NULL;
	catalogue_free(&catalogue);
	return error;
}

/* Events that cannot be counted here have a heading of their own. */
static void list_kernel(struct list *l)
{
	auto_free char *engine = program_find(SIMULATED_ENGINE);

	l->section = "Kernel events";
	abi_each(add_kernel_event, l);
	tool_each(add_entry, l);
	if (!l->is_json) {
		l->section = l->has_core ? "Kernel events that this machine's PMU does not have"
					 : "Kernel events that cannot be counted here, since no hardware PMU is "
					   "visible (--check)";
		l->missing_only = true;
		abi_each(add_kernel_event, l);
	}
	l->section = engine ? "Simulated events (with Valgrind)" : "Simulated events (Valgrind is not here)";
	simulated_each(add_entry, l);
}

/* Returns -errno if a file of --metrics cannot be read. */
static int list_sections(struct list *l, struct vendor_events *vendor, struct error *e)
{
	struct error missing = {0};
	size_t before;

	list_kernel(l);
	l->section = "PMU events";
	before = l->n;
	sysfs_each(SYSFS_ROOT, add_entry, l);
	if (l->n == before && !l->pattern)
		list_missing(l, EVENT_SYSFS, "no PMU in sysfs names any event");
	l->section = "Tracepoints";
	tracefs_each(l->tracefs, NULL, add_tracepoint, l);
	if (tracefs_check(l->tracefs, &missing) < 0)
		list_missing(l, EVENT_TRACEPOINT, missing.text);
	list_pfm(l);
	l->section = "Events of vendors' files";
	return vendor_each(vendor, add_entry, l, e);
}

/* uprobe:PATH:GLOB */
static int list_functions(struct list *l, const char *pattern, struct error *e)
{
	l->pattern = NULL;
	l->section = "Functions";
	return probe_each(pattern, add_entry, l, e) < 0 ? error_token(e, 0, 0) : 0;
}

int list_print(FILE *out, const char *pattern, bool json, const struct pfm_sources *sources, struct error *e)
{
	auto_tracefs struct tracefs tracefs = {0};
	struct vendor_events *vendor = sources->vendor;
	struct list l = {.out = out,
			 .width = descriptor_columns(fileno(out)),
			 .json = {.out = out},
			 .is_json = json,
			 .pattern = pattern};
	auto_free char *glob = NULL;
	char core[NAME_MAX + 1];
	int rc = 0;

	l.tracefs = &tracefs;
	l.sources = sources;
	l.has_core = pmu_name(SYSFS_ROOT, PERF_TYPE_RAW, core, sizeof(core)) == 0;
	if (pattern && strpbrk(pattern, "*?[")) {
		size_t n = strlen(pattern);

		/* a glob of PMUs only means all of their events */
		glob = xasprintf("%s%s", pattern, n >= 2 && strcmp(pattern + n - 2, "::") == 0 ? "*" : "");
		l.is_glob = true;
		l.pattern = glob;
	}
	if (pattern && strncmp(pattern, "uprobe:", strlen("uprobe:")) == 0)
		return list_functions(&l, pattern, e);
	if (pattern && strstr(pattern, "::"))
		list_pfm(&l);
	else
		rc = list_sections(&l, vendor, e);
	if (rc == 0 && vendor && vendor->files && !(pattern && strstr(pattern, "::")))
		rc = list_metrics(&l, vendor->files, e);
	if (l.n == 0 && rc == 0)
		rc = error_set(e, ENOENT, "no event or metric matches '%s'", pattern ? l.pattern : "*");
	for (size_t i = 0; i < l.missing.n; i++) {
		if (rc == -ENOENT && l.n == 0)
			error_hint(e, "%s", l.missing.v[i]);
		else if (!json && rc == 0)
			fprintf(out, "%s(%s)\n", i ? "" : "\n", l.missing.v[i]);
	}
	strings_free(&l.missing);
	return rc;
}
