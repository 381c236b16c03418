/* The table of --regions: a line for each region, with its counts, how often it was entered and how long it was open.
 * The name comes last: at the end of the line it is cut off on a terminal, elsewhere it goes on below. Where lines are
 * too wide, errors are left out, and then events from the last on (a line says so). */
#include <math.h>
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"
#include "report/text_table.h"

#define NAME_LEAST 16 /* columns of a longer name */

/* The columns of an event, and those after the events. */
enum { VALUE, ERROR, OF_EVENT };
enum { ENTRIES, MSEC, MSEC_ERROR, NAME, COLUMNS };

bool report_is_of_region(const struct row *row)
{
	return row->scope == AGGR_REGION;
}

static bool is_count(const struct report *report, const struct row *row)
{
	return row->kind == ROW_COUNT && row->counted_event &&
	       (!row->event || row->event->parent < 0 || report->options.verbose);
}

/* The rows of a region stand together: where those of the next begin. */
static size_t region_end(const struct result *result, size_t first)
{
	size_t end = first + 1;

	while (end < result->n && row_compare_subjects(&result->rows[first], &result->rows[end]) == 0)
		end++;
	return end;
}

static void set_error(struct text_table *t, const struct report *report, size_t column, const struct row *row)
{
	auto_free char *text = isnan(row->error) ? NULL : report_error_text(report, row);

	if (text)
		text_table_set(t, column, text);
}

/* In the column and that of its error. */
static void set_count(struct text_table *t, struct report *report, size_t column, const struct row *row, bool *scaled)
{
	char buf[NUMBER_MAX];

	report_add_reason(report, row);
	if (!status_has_value(row->status)) {
		text_table_set(t, column, "-");
		return;
	}
	set_error(t, report, column + ERROR, row);
	*scaled |= row->status == STATUS_SCALED;
	text_table_format(t, column, "%s%s", row->status == STATUS_SCALED ? "~" : "",
			  report_count_number(buf, report, row));
}

static void add_region(struct text_table *t, struct report *report, const struct row *rows, size_t n, bool *scaled)
{
	size_t events = t->n_columns - COLUMNS, column = 0;
	char buf[NUMBER_MAX];

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		if (is_count(report, &rows[i]) && column < events) {
			set_count(t, report, column, &rows[i], scaled);
			column += OF_EVENT;
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "entries") == 0) {
			text_table_set(t, events + ENTRIES, report_count_number(buf, report, &rows[i]));
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "duration_time") == 0) {
			text_table_set(t, events + MSEC,
				       number_real(buf, &report->style, value_real(rows[i].value) / 1e6, 3));
			set_error(t, report, events + MSEC_ERROR, &rows[i]);
		}
	}
	text_table_set_safe(t, events + NAME, rows->scope_id);
}

/* "task-clock, msec": as in comparisons. */
static void set_heading(struct text_table *t, size_t column, const struct row *row)
{
	const char *unit = report_count_text(row).unit;
	auto_free char *text = xasprintf("%s%s%s", row->name, *unit ? ", " : "", unit);

	text_table_set_safe(t, column, text);
}

static void add_headings(struct text_table *t, const struct report *report, const struct row *rows, size_t n)
{
	size_t events = t->n_columns - COLUMNS, column = 0;

	text_table_line(t);
	for (size_t i = 0; i < n; i++)
		if (is_count(report, &rows[i])) {
			set_heading(t, column, &rows[i]);
			column += OF_EVENT;
		}
	text_table_set(t, events + ENTRIES, "entries");
	text_table_set(t, events + MSEC, "msec");
	text_table_set(t, events + NAME, "region");
}

static size_t table_width(const struct text_table *t)
{
	size_t last = t->n_columns - 1, name = t->columns[last].width;
	size_t used = t->margin + (name < NAME_LEAST ? name : NAME_LEAST);

	for (size_t i = 0; i < last; i++) /* the first has no gap before it, the last has one */
		used += t->columns[i].hidden ? 0 : t->columns[i].width + t->columns[i].gap;
	return used;
}

/* Hide what a line has no room for; returns how many events. */
static size_t hide_columns(struct text_table *t)
{
	size_t events = t->n_columns - COLUMNS, hidden = 0;

	if (table_width(t) > t->line_width)
		t->columns[events + MSEC_ERROR].hidden = true;
	for (size_t i = events + ERROR; i > OF_EVENT && table_width(t) > t->line_width; i -= OF_EVENT)
		t->columns[i - OF_EVENT].hidden = true;
	for (; events > OF_EVENT && table_width(t) > t->line_width; hidden++)
		t->columns[events -= OF_EVENT].hidden = true;
	return hidden;
}

/* Errors take no room until there is one. */
static void init_columns(struct text_column *columns, size_t events, bool breaks)
{
	for (size_t i = 0; i < events + NAME; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	for (size_t i = ERROR; i < events; i += OF_EVENT)
		columns[i] = (struct text_column){.gap = 1, .hidden = true};
	columns[events + MSEC_ERROR] = (struct text_column){.gap = 1, .hidden = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = breaks};
}

/* events: their columns. */
static void put_regions(struct report *report, const struct result *result, size_t first, size_t events)
{
	auto_free struct text_column *columns = xcalloc(events + COLUMNS, sizeof(*columns));
	struct text_table t = {.columns = columns,
			       .n_columns = events + COLUMNS,
			       .margin = 2,
			       .line_width = report->width,
			       .color = report->color};
	bool scaled = false;
	size_t hidden;

	init_columns(columns, events, !report->tty);
	add_headings(&t, report, &result->rows[first], region_end(result, first) - first);
	for (size_t i = first, end; i < result->n; i = end) {
		end = region_end(result, i);
		if (report_is_of_region(&result->rows[i]) && result->rows[i].kind == ROW_COUNT)
			add_region(&t, report, &result->rows[i], end - i, &scaled);
	}
	hidden = hide_columns(&t);
	fputs("\n Regions:\n\n", report->out);
	text_table_write(&t, report->out);
	if (hidden)
		fprintf(report->out, "  (no room for %zu more event%s: --csv has them all)\n", hidden,
			hidden == 1 ? "" : "s");
	if (scaled)
		fputs("  (~: extrapolated, as the event was on a counter for a part of the time only)\n", report->out);
	text_table_free(&t);
}

void report_put_regions(struct report *report, const struct result *result)
{
	size_t first = 0, events = 0;

	while (first < result->n && !report_is_of_region(&result->rows[first]))
		first++;
	if (first == result->n)
		return;
	for (size_t i = first; i < region_end(result, first); i++)
		events += is_count(report, &result->rows[i]) ? OF_EVENT : 0;
	put_regions(report, result, first, events);
}
