#include "saved/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "compare/task_rows.h"
#include "lib/number.h"
#include "lib/text.h"
#include "rows/usual_ratios.h"
#include "saved/saved_internal.h"

#define SCHEMA_VERSION 1

static int line_refuse(struct reader *r, struct error *e, const char *what)
{
	return error_set(e, EINVAL, "%s, line %zu: %s", r->path, r->line, what);
}

/* Adds the item and the subject of a row that was read. */
static void add_names(struct reader *r, struct record *record, const struct usual_ratio *usual,
		      const struct metric *metric)
{
	struct result *result = &r->saved->result;
	struct item *item = &record->item;

	item->counted = item->kind == ITEM_COUNT;
	item->usual = usual;
	*(item->kind == ITEM_METRIC ? &item->beside : &item->event) = find_event(r, item->event_number);
	if (item->kind == ITEM_METRIC && !usual)
		item->metric = make_metric(r, item, metric);
	if (!*record->subject.comm)
		record->subject.comm = NULL;
	record->row.item = result_item(result, item);
	record->row.subject = result_subject(result, &record->subject);
	record->row.command = r->commands > 1 ? record->row.command : r->command;
}

static struct row *add_row(struct reader *r, struct record *record)
{
	struct result *result = &r->saved->result;
	struct row *row = result_add(result, record->row.item);

	run_values_give(r, record);
	*row = record->row;
	row->spread = &spread_none;
	if (record->spread.n)
		*result_spread(result, row) = record->spread;
	row->reason = result_text(result, row->reason);
	return row;
}

/* Takes a row of the whole run, and the value of a single run; those of intervals are left out. */
static int take_row(struct reader *r, struct error *e)
{
	struct record record;
	struct row *row = &record.row;
	const struct metric *metric = NULL;
	const struct usual_ratio *usual = NULL;
	bool is_clock, of_interval;
	double time;

	if (!take_columns(r, &record) || !*record.item.name)
		return line_refuse(r, e, "a row without a name, scope or status");
	is_clock = clock_of_name(record.item.name) && !record.item.event_number;
	of_interval = !isnan(row->time);
	if (row->command > r->commands || (r->commands > 1 && !row->command))
		return line_refuse(r, e, "a command that the report does not name");
	if (record.item.kind == ITEM_METRIC && !(metric = find_metric(r)))
		usual = usual_ratio_find(record.item.name);
	if (usual && !r->saved->ratios)
		return 0; /* a ratio would add little to its counts */
	r->has_intervals |= of_interval && !is_clock;
	if (of_interval || (row->run && r->saved->ratios))
		return 0;
	add_names(r, &record, usual, metric);
	comparison_take_name(r, row);
	if (row->run) {
		run_values_take(r, row);
		return 0;
	}
	row->why = why_of_text(row->reason);
	if (row_is_absent(row)) /* a comparison adds such rows itself (pairing.h) */
		return 0;
	r->has_totals |= !is_clock;
	row = add_row(r, &record);
	if (row->item->kind == ITEM_COUNT && status_has_value(row->status) && row->value.type == VALUE_NONE)
		return line_refuse(r, e, "a count without a value");
	time = value_real(row->value);
	if (row->command == 1 && row_clock(row) == CLOCK_DURATION && time >= 0 && time < 0x1p64)
		r->saved->result.session.elapsed_ns = (uint64_t)time;
	return 0;
}

static void take_origin(struct reader *r, const struct json_record *record)
{
	struct saved_origin *origin = ARRAY_PUSH(r->saved->origins, r->saved->n_origins);
	auto_strings struct strings merged = field_strings(r, record, "reports"),
				    words = field_strings(r, record, "command");
	auto_free char *joined = strings_join(&words, " ");
	const char *command = merged.n ? "merged reports" : joined ? joined : "";
	char **name = ARRAY_PUSH(r->saved->names, r->saved->n);

	/* "old.json: make -s" */
	if (merged.n)
		*name = xasprintf("%s: %zu merged report%s", r->path, merged.n, merged.n == 1 ? "" : "s");
	else
		*name = xasprintf("%s%s%s", r->path, *command ? ": " : "", command);
	origin->merged = merged.n;
	origin->command = result_text(&r->saved->result, command);
	origin->host = result_text(&r->saved->result, field_string(r, record, "host"));
	origin->kernel = result_text(&r->saved->result, field_string(r, record, "kernel"));
	origin->arch = result_text(&r->saved->result, field_string(r, record, "arch"));
	origin->cpu = result_text(&r->saved->result, field_string(r, record, "cpu"));
	origin->version = result_text(&r->saved->result, field_string(r, record, "version"));
	origin->target = result_text(&r->saved->result, field_string(r, record, "target"));
	origin->cpus = result_text(&r->saved->result, field_string(r, record, "cpus"));
}

/* Takes the identities of the report's runs; if it is not merged, take_end adds their duration. */
static void take_runs(struct reader *r, const struct json_record *record)
{
	auto_strings struct strings runs = field_strings(r, record, "merged_runs"),
				    merged = field_strings(r, record, "reports");
	const char *host = field_string(r, record, "host");
	double time = field_real(r, record, "start_time");
	char buf[NUMBER_MAX];

	for (size_t i = 0; i < runs.n; i++)
		strings_add(&r->saved->runs, "%s", runs.v[i]);
	r->has_own_run = *host && isfinite(time) && merged.n == 0;
	if (r->has_own_run)
		strings_add(&r->saved->runs, "%s %s", host, number_exact(buf, time));
}

/* Returns how the command failed, as in a session; NULL if it did not. Reports of earlier versions have no words. */
static const char *failure_of(struct reader *r, const struct json_record *record)
{
	struct result *result = &r->saved->result;
	const char *words = field_string(r, record, "failure");
	uint64_t status = field_count(r, record, "exit_status", UINT64_MAX),
		 signal = field_count(r, record, "signal", UINT64_MAX);

	return *words   ? result_text(result, words)
	       : signal ? result_format(result, "was killed by signal %" PRIu64, signal)
	       : status ? result_format(result, "failed (status %" PRIu64 ")", status)
			: NULL;
}

/* Takes notes: all notes of a report to compare, for example on failed runs; from merged reports, only the failures. */
static void take_notes(struct reader *r, const struct json_record *record, const char *failure)
{
	struct strings *to = &r->saved->result.notes;
	auto_strings struct strings notes = field_strings(r, record, "notes");

	if (r->commands > 1) {
		strings_merge(to, &notes);
		return;
	}
	for (size_t i = 0; i < notes.n && !r->saved->ratios; i++)
		strings_add(to, "'%s': %s", r->path, notes.v[i]);
	if (!r->saved->ratios && field_count(r, record, "runs", UINT64_MAX) > 1) /* its notes report it */
		return;
	if (failure)
		strings_add(to, "'%s': the command %s", r->path, failure);
}

/* Ranks may begin in the same microsecond, but do not also take the same time to the nanosecond. */
static void take_end(struct reader *r, const struct json_record *record)
{
	const char *failure = failure_of(r, record);

	r->complete = true;
	r->saved->origins[r->saved->n_origins - 1].failure = failure;
	comparison_end(r, record);
	take_notes(r, record, failure);
	if (r->has_own_run) {
		char **run = &r->saved->runs.v[r->saved->runs.n - 1];
		char *whole = xasprintf("%s %" PRIu64, *run, field_count(r, record, "elapsed_ns", UINT64_MAX));

		free(*run);
		*run = whole;
	}
	r->has_own_run = false;
}

static int take_record(struct reader *r, const struct json_record *record, struct error *e)
{
	const char *kind;

	take_fields(r, record);
	kind = member_string(r->fields[COLUMN_KIND]);
	if (strcmp(kind, "start") == 0) {
		if (r->started)
			return line_refuse(r, e, "a second report begins here; only one in each file can be read");
		if (field_count(r, record, "schema", UINT64_MAX) != SCHEMA_VERSION)
			return line_refuse(r, e, "written by another version of pfmstat");
		r->started = true;
		take_origin(r, record);
		take_runs(r, record);
		take_definitions(r);
		comparison_start(r, record);
		if (r->commands > 1 && !r->alone)
			return line_refuse(r, e, "it is a comparison, which can only be read alone, with --diff");
		return 0;
	}
	if (!r->started)
		return line_refuse(r, e, "not a report of pfmstat --json");
	if (strcmp(kind, "end") == 0)
		take_end(r, record);
	return strcmp(kind, "count") == 0 || strcmp(kind, "metric") == 0 ? take_row(r, e) : 0;
}

static int parse_line(struct reader *r, char *line, size_t size, struct error *e)
{
	int error = json_read(&r->records, line, size, r->path, r->line, e);

	if (error == 0 && r->records.n == 0)
		error = line_refuse(r, e, "not a record");
	if (error == 0) /* the record of the line is the last to end */
		error = take_record(r, &r->records.v[r->records.n - 1], e);
	if (error == 0 && r->wrong)
		error = error_set(e, EINVAL, "%s, line %zu: '%s' is out of range", r->path, r->line, r->wrong);
	json_records_free(&r->records);
	return error;
}

static int read_report(struct reader *r, struct error *e)
{
	auto_free char *line = NULL;
	int fd = open(r->path, O_RDONLY | O_CLOEXEC);
	auto_fclose FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0;
	ssize_t n;
	int error = 0, first;

	if (!file)
		return error_set(e, errno, "cannot read '%s': %s", r->path, strerror(errno));
	first = getc(file);
	if (ferror(file)) /* for example a directory; the next calls would change errno */
		return error_set(e, errno, "cannot read '%s': %s", r->path, strerror(errno));
	if (first == '\0') /* a device may never end, nor have a line */
		return error_set(e, EINVAL, "'%s' is not a report of pfmstat --json: it contains a NUL byte", r->path);
	ungetc(first, file);
	while (error == 0 && (errno = 0, n = getline(&line, &size, file)) >= 0) {
		r->line++;
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		error = parse_line(r, line, (size_t)n, e);
	}
	if (error == 0 && ferror(file))
		return error_set(e, errno ? errno : EIO, "cannot read '%s': %s", r->path, strerror(errno));
	if (error == 0 && !r->complete)
		return error_set(e, EINVAL, "'%s' is not a complete report of pfmstat --json: it has no %s", r->path,
				 r->started ? "end" : "records");
	if (error == 0 && r->has_intervals && !r->has_totals) {
		error_set(e, EINVAL, "'%s' has intervals, but no totals", r->path);
		error_hint(e, "--summary adds them");
		return -EINVAL;
	}
	return error;
}

static void set_reports(struct saved *saved)
{
	const char **failures = result_allocate(&saved->result, (saved->n_origins + 1) * sizeof(*failures));

	for (size_t i = 0; i < saved->n_origins; i++)
		failures[i] = saved->origins[i].failure;
	saved->result.session.failures = failures;
	saved->result.session.n_commands = saved->n;
	saved->result.session.command_names = (const char *const *)saved->names;
}

int saved_read(struct saved *saved, char *const *paths, bool ratios, struct error *e)
{
	bool is_comparison = false;
	int error = 0;

	*saved = (struct saved){.ratios = ratios};
	for (unsigned i = 0; paths[i] && error == 0; i++) {
		size_t first = saved->result.n;
		struct reader r = {.saved = saved,
				   .path = paths[i],
				   .command = i + 1,
				   .commands = 1,
				   .alone = !ratios && !paths[1],
				   .first_event = saved->n_events,
				   .first_metric = saved->n_metrics};

		error = read_report(&r, e);
		if (error == 0 && !ratios)
			task_rows_name(&saved->result, first);
		is_comparison |= r.commands > 1;
		if (error == 0 && r.alone && !is_comparison)
			error = error_set(e, EINVAL, "'%s' has one command; --diff needs a comparison, or two reports",
					  paths[i]);
		run_values_free(&r.runs);
		free(r.made);
		index_free(&r.made_index);
	}
	if (is_comparison)
		return error;
	if (error == 0 && !ratios)
		saved_compare_origins(saved);
	set_reports(saved);
	return error;
}

void saved_free(struct saved *saved)
{
	for (size_t i = 0; i < saved->n; i++)
		free(saved->names[i]);
	free(saved->names);
	for (size_t i = 0; i < saved->n_events; i++) {
		if (saved->events[i])
			event_free(saved->events[i]);
		free(saved->events[i]);
	}
	free(saved->events);
	free(saved->metrics);
	free(saved->origins);
	strings_free(&saved->runs);
	result_free(&saved->result);
	*saved = (struct saved){.n = 0};
}
