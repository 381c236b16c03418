/* The table of --regions: a line for each region, with its counts, how often it was entered and how long it was open.
 * The name comes last: at the end of the line it is cut off on a terminal, elsewhere it goes on below. Where lines are
 * too wide, events are left out from the last on (a line says so). */
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"
#include "report/text_table.h"

#define NAME_LEAST 16

/* The columns after the events. */
enum { ENTRIES, MSEC, NAME, COLUMNS };

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

static void set_count(struct text_table *t, struct report *report, size_t column, const struct row *row, bool *scaled)
{
	struct count_text text = report_count_text(row);
	char buf[NUMBER_MAX];

	report_add_reason(report, row);
	if (!status_has_value(row->status)) {
		text_table_set(t, column, "-");
		return;
	}
	*scaled |= row->status == STATUS_SCALED;
	text_table_format(t, column, "%s%s", row->status == STATUS_SCALED ? "~" : "",
			  report_number(buf, &report->style, &text));
}

static void add_region(struct text_table *t, struct report *report, const struct row *rows, size_t n, bool *scaled)
{
	size_t events = t->n_columns - COLUMNS, column = 0;
	char buf[NUMBER_MAX];

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		struct count_text text = report_count_text(&rows[i]);

		if (is_count(report, &rows[i]) && column < events)
			set_count(t, report, column++, &rows[i], scaled);
		else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "entries") == 0)
			text_table_set(t, events + ENTRIES, report_number(buf, &report->style, &text));
		else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "duration_time") == 0)
			text_table_set(t, events + MSEC,
				       number_real(buf, &report->style, value_real(rows[i].value) / 1e6, 3));
	}
	text_table_set_safe(t, events + NAME, rows->scope_id);
}

static void add_headings(struct text_table *t, const struct report *report, const struct row *rows, size_t n)
{
	size_t events = t->n_columns - COLUMNS, column = 0;

	text_table_line(t);
	for (size_t i = 0; i < n; i++)
		if (is_count(report, &rows[i]))
			text_table_set_safe(t, column++, rows[i].name);
	text_table_set(t, events + ENTRIES, "entries");
	text_table_set(t, events + MSEC, "msec");
	text_table_set(t, events + NAME, "region");
}

/* Hide the events that a line has no room for; returns how many. */
static size_t hide_columns(struct text_table *t)
{
	size_t events = t->n_columns - COLUMNS, used = t->margin + NAME_LEAST, hidden = 0;

	for (size_t i = 0; i < events + NAME; i++)
		used += t->columns[i].width + t->columns[i].gap;
	for (; events - hidden > 1 && used > t->line_width; hidden++) {
		struct text_column *last = &t->columns[events - hidden - 1];

		used -= last->width + last->gap;
		last->hidden = true;
	}
	return hidden;
}

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

	for (size_t i = 0; i < events + NAME; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	columns[events + NAME] = (struct text_column){.gap = 2, .breaks = !report->tty};
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
		events += is_count(report, &result->rows[i]);
	put_regions(report, result, first, events);
}
