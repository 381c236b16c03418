/* Results as tables of records, so that a test does not know the structs of rows:
 *
 *	name   | value | error
 *	faults | 100   | 2.5
 *
 * The first line names columns of --json, or members that a row has beside columns. The reader of saved reports reads
 * the cells. Without a cell, or with an empty one, the kind is count, the command 1, the scope total, and the status
 * exact; anything else is unknown. */
#pragma once

#include <inttypes.h>
#include <math.h>

#include "compare/differences.h"
#include "compare/run_stats.h"
#include "lib/text.h"
#include "resolve/eventlist.h"
#include "rows/usual_ratios.h"
#include "saved/saved_internal.h"
#include "tap.h"

#define CELLS_MOST 16

/* A line of a table. */
struct cells {
	char *v[CELLS_MOST];
	size_t n;
};

static inline void cells_free(struct cells *cells)
{
	while (cells->n)
		free(cells->v[--cells->n]);
}

/* Takes the next line of the text; false at its end. */
static inline bool cells_take(struct cells *cells, const char **text)
{
	bool more = **text;

	cells_free(cells);
	while (more && cells->n < CELLS_MOST) {
		size_t length = strcspn(*text, "|\n");

		cells->v[cells->n++] = text_trimmed(*text, length);
		*text += length;
		more = **text == '|';
		*text += **text != '\0';
	}
	return cells->n;
}

/* ---- reading ---- */

/* The event of this number or name; without events, NULL. */
static inline const struct event *record_event(const struct event_list *events, const struct item *item)
{
	if (events && item->event_number && item->event_number <= events->n)
		return &events->events[item->event_number - 1];
	for (size_t i = 0; events && i < events->n; i++)
		if (strcmp(events->events[i].name, item->name) == 0)
			return &events->events[i];
	return NULL;
}

static inline void record_name(struct record *record, const struct event_list *events)
{
	struct item *item = &record->item;

	*(item->kind == ITEM_METRIC ? &item->beside : &item->event) = record_event(events, item);
	if (item->event && !*item->unit)
		item->unit = item->event->unit;
	item->counted = item->kind == ITEM_COUNT && (item->event || !clock_of_name(item->name));
	if (item->kind == ITEM_METRIC)
		item->usual = usual_ratio_find(item->name);
	if (!*record->subject.comm)
		record->subject.comm = NULL;
}

/* Takes what the reader of saved reports leaves out; false for another name. */
static inline bool record_take_other(struct row *row, const char *name, const char *cell)
{
	uint64_t number = strtoull(cell, NULL, 10);

	row->has_raw |= *cell && strcmp(name, "raw") == 0;
	if (strcmp(name, "raw") == 0)
		row->raw.value = number;
	else if (strcmp(name, "enabled_ns") == 0)
		row->raw.enabled = number;
	else if (strcmp(name, "running_ns") == 0)
		row->raw.running = number;
	else if (strcmp(name, "biased") == 0)
		row->biased = number;
	else if (strcmp(name, "may_miss") == 0)
		row->may_miss = number;
	else if (strcmp(name, "reason_of_error") == 0)
		row->reason_of_error = number;
	else
		return strcmp(name, "report") == 0; /* a number for records_add */
	return true;
}

/* Reads the cells of columns. */
static inline bool record_take(struct record *record, const struct cells *names, const struct cells *cells)
{
	struct json_member members[COLUMNS] = {
		[COLUMN_KIND] = {"kind", "count", true},
		[COLUMN_COMMAND] = {"command", "1", false},
		[COLUMN_SCOPE] = {"scope", "total", true},
		[COLUMN_STATUS] = {"status", "exact", true},
	};
	struct reader reader = {0};

	for (size_t i = 0; i < cells->n && i < names->n; i++) {
		enum column column = column_find(names->v[i], (enum column)i);
		bool is_text = columns[column % COLUMNS].is <= COLUMN_IS_CHOICE;

		if (column < COLUMNS && *cells->v[i])
			members[column] = (struct json_member){names->v[i], cells->v[i], is_text};
	}
	for (enum column i = 0; i < COLUMNS; i++)
		reader.fields[i] = members[i].name ? &members[i] : NULL;
	return take_columns(&reader, record) && !reader.wrong;
}

static inline struct row *record_add(struct result *result, const struct event_list *events, const struct cells *names,
				     const struct cells *cells)
{
	struct record record;
	bool known = record_take(&record, names, cells) && cells->n <= names->n;
	struct row *row;

	record_name(&record, events);
	row = result_add(result, &record.item);
	record.row.item = row->item;
	record.row.subject = result_subject(result, &record.subject);
	*row = record.row;
	row->spread = &spread_none;
	if (record.spread.n)
		*result_spread(result, row) = record.spread;
	row->reason = result_text(result, row->reason);
	row->why = why_of_text(row->reason);
	for (size_t i = 0; known && i < cells->n; i++) {
		enum column column = column_find(names->v[i], (enum column)i);

		known = record_take_other(row, names->v[i], cells->v[i]) ||
			(column < COLUMNS && columns[column].size > 0);
	}
	if (!known)
		ok(false, "a table with wrong cells");
	return row;
}

/* The events of the table's names. */
static inline struct event_list records_events(const char *table)
{
	struct cells names = {.n = 0}, cells = {.n = 0};
	struct event_list events = {0};
	struct error e;

	cells_take(&names, &table);
	while (cells_take(&cells, &table))
		for (size_t i = 0; i < cells.n; i++)
			if (strcmp(names.v[i], "name") == 0 && !clock_of_name(cells.v[i]))
				event_list_add(&events, cells.v[i], &e);
	cells_free(&names);
	return events;
}

/* Adds the table's records to the result; part: only those whose first cell, for example the run, is this number; 0:
 * all. events: by name or number, if any. */
static inline void records_add(struct result *result, const struct event_list *events, const char *table, unsigned part)
{
	struct cells names = {.n = 0}, cells = {.n = 0};

	cells_take(&names, &table);
	while (cells_take(&cells, &table)) {
		const struct row *row;

		if (part && strtoul(cells.v[0], NULL, 10) != part)
			continue;
		row = record_add(result, events, &names, &cells);
		if (row_clock(row) == CLOCK_DURATION && isnan(row->time))
			result->session.elapsed_ns = row->value.count;
	}
	cells_free(&names);
}

/* Makes a result of them. Returns false if there are none. */
static inline bool records_read(struct result *result, const struct event_list *events, const char *table,
				unsigned part)
{
	*result = (struct result){0};
	records_add(result, events, table, part);
	return result->n;
}

/* Adds the mean of the first n runs of a command, which had these values. */
static inline void records_add_values(struct result *result, unsigned command, const char *name, const char *unit,
				      const double *values, unsigned n)
{
	struct row *row =
		result_add(result, &(struct item){.name = name, .unit = unit, .counted = !clock_of_name(name)});
	struct spread *spread = result_spread(result, row);
	unsigned *runs = result_allocate(result, n * sizeof(*runs));
	struct summary s = spread_make(spread, values, n);

	for (unsigned i = 0; i < n; i++)
		runs[i] = i + 1;
	spread->runs = runs;
	spread->values = memcpy(result_allocate(result, n * sizeof(*values)), values, n * sizeof(*values));
	row->command = command;
	row->value = real_value(s.mean);
	row->error = summary_half_width(&s);
}

/* The runs, whose numbers are in the first column, before run_stats_finish. */
static inline struct run_stats records_stats(const char *runs)
{
	struct run_stats stats = {.runs = 0};
	struct result run;

	for (unsigned i = 1; records_read(&run, NULL, runs, i); i++) {
		run_stats_add(&stats, &run, i);
		result_free(&run);
	}
	result_free(&run);
	return stats;
}

/* ---- comparing ---- */

static inline void record_put(FILE *f, const struct row *row, const struct cells *names)
{
	struct cell cells[COLUMNS];

	column_cells(row, cells);
	for (size_t i = 0; i < names->n; i++) {
		enum column column = column_find(names->v[i], (enum column)i);
		const struct cell *cell = &cells[column % COLUMNS];

		fputs(i ? "|" : "", f);
		if (strcmp(names->v[i], "may_miss") == 0)
			fputs(row->may_miss ? "1" : "", f);
		else if (strcmp(names->v[i], "outliers") == 0 && row->spread->outliers)
			fprintf(f, "%u", row->spread->outliers);
		else if (column == COLUMNS)
			fputs(strcmp(names->v[i], "outliers") == 0 ? "" : "no such column", f);
		else if (cell->type == CELL_STRING)
			fputs(cell->string, f);
		else if (cell->type == CELL_COUNT)
			fprintf(f, "%" PRIu64, cell->count);
		else if (cell->type == CELL_REAL && cell->real == floor(cell->real))
			fprintf(f, "%.0f", cell->real);
		else if (cell->type == CELL_REAL)
			fprintf(f, "%.10g", cell->real);
		else if (cell->type == CELL_TRUTH)
			fputs(cell->truth ? "true" : "", f);
	}
	putc('\n', f);
}

/* All records, each after its row, if the table has a column kind; otherwise only counts and metrics. */
static inline void records_put(FILE *f, const struct result *result, size_t first, const struct cells *names)
{
	bool all = false;

	for (size_t i = 0; i < names->n; i++)
		all |= strcmp(names->v[i], "kind") == 0;
	for (size_t i = first; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct record record;

		record_put(f, row, names);
		for (const struct variant *v = row->variants; all && v && v->kind; v++) {
			record_of_variant(&record, row, v);
			record_put(f, &record.row, names);
		}
		for (size_t k = 0; all && k < result->n_differences; k++)
			for (enum item_kind kind = ITEM_DIFFERENCE; kind <= ITEM_CHANGE; kind++)
				if (result->differences[k].of == i && difference_record(&record, row, kind))
					record_put(f, &record.row, names);
	}
}

/* From row `first` on, the result has these records, in the columns of the table; numbers that are not whole have ten
 * digits. */
static inline void is_records_from(const struct result *result, size_t first, const char *table, const char *what)
{
	auto_free char *got = NULL, *expected = NULL;
	struct cells names = {.n = 0}, cells = {.n = 0};
	size_t n;
	FILE *f = xopen_memstream(&expected, &n);

	cells_take(&names, &table);
	while (cells_take(&cells, &table)) {
		for (size_t i = 0; i < names.n || i < cells.n; i++)
			fprintf(f, "%s%s", i ? "|" : "", i < cells.n ? cells.v[i] : "");
		putc('\n', f);
	}
	fclose(f);
	f = xopen_memstream(&got, &n);
	records_put(f, result, first, &names);
	fclose(f);
	is_string(got, expected, what);
	cells_free(&names);
}

static inline void is_records(const struct result *result, const char *table, const char *what)
{
	is_records_from(result, 0, table, what);
}
