/* The table below that of the counts with a line for each region: counts, the number of entries and the time that it
 * was open. Columns are left out in this order: errors, and then events from the last on. */
#include <math.h>
#include <string.h>

#include "report/table/table.h"

/* The columns after the events. */
enum { ENTRIES, MSEC, MSEC_ERROR, REGION, REGION_COLUMNS };

static bool is_count(const struct report *report, const struct row *row)
{
	return row->kind == ROW_COUNT && row->counted_event &&
	       (!row->event || row->event->parent < 0 || report->options.verbose);
}

/* The rows of a region are contiguous. Returns the first row after them. */
static size_t region_end(const struct result *result, size_t first)
{
	size_t end = first + 1;

	while (end < result->n && row_compare_subjects(&result->rows[first], &result->rows[end]) == 0)
		end++;
	return end;
}

static void add_region(struct text_table *t, struct report *report, const struct row *rows, size_t n, bool *scaled)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;
	char buf[NUMBER_MAX];

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		if (is_count(report, &rows[i]) && column < events) {
			report_add_reason(report, &rows[i]);
			*scaled |= rows[i].status == STATUS_SCALED;
			report_part_set(t, report, column, &rows[i], rows[i].status == STATUS_SCALED ? "~" : "");
			column += PART_OF_EVENT;
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "entries") == 0) {
			text_table_set(t, events + ENTRIES, report_count_number(buf, report, &rows[i]));
		} else if (rows[i].kind == ROW_COUNT && strcmp(rows[i].name, "duration_time") == 0) {
			auto_free char *error = report_error_text(report, &rows[i]);

			text_table_set(t, events + MSEC,
				       number_real(buf, &report->style, value_real(rows[i].value) / 1e6, 3));
			text_table_set(t, events + MSEC_ERROR, error);
		}
	}
	text_table_set_safe(t, events + REGION, rows->scope_id);
}

static void add_region_headings(struct text_table *t, const struct report *report, const struct row *rows, size_t n)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		const char *unit = report_count_text(&rows[i]).unit;
		auto_free char *text = xasprintf("%s%s%s", rows[i].name, *unit ? ", " : "", unit);

		if (is_count(report, &rows[i])) {
			text_table_set_safe(t, column, text); /* Returns "task-clock, msec", like in comparisons. */
			column += PART_OF_EVENT;
		}
	}
	text_table_set(t, events + ENTRIES, "entries");
	text_table_set(t, events + MSEC, "msec");
	text_table_set(t, events + REGION, "region");
}

/* Hides columns without room in a line; returns the number of events among them. */
static size_t hide_region_columns(struct text_table *t)
{
	size_t events = t->n_columns - REGION_COLUMNS, hidden = 0;

	text_table_hide_wide(t, events + MSEC_ERROR);
	for (size_t i = events + PART_ERROR; i > PART_OF_EVENT; i -= PART_OF_EVENT)
		text_table_hide_wide(t, i - PART_OF_EVENT);
	for (size_t i = events; i > PART_OF_EVENT; i -= PART_OF_EVENT)
		hidden += text_table_hide_wide(t, i - PART_OF_EVENT);
	return hidden;
}

void report_put_regions(struct report *report, const struct result *result)
{
	auto_free struct text_column *columns = NULL;
	size_t first = 0, end, hidden, events = 0; /* columns of events */
	bool scaled = false;
	struct text_table t;

	while (first < result->n && result->rows[first].scope != AGGR_REGION)
		first++;
	if (first == result->n)
		return;
	for (size_t i = first; i < region_end(result, first); i++)
		events += is_count(report, &result->rows[i]) ? PART_OF_EVENT : 0;
	columns = xcalloc(events + REGION_COLUMNS, sizeof(*columns));
	for (size_t i = 0; i < events + REGION; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	for (size_t i = PART_ERROR; i < events; i += PART_OF_EVENT)
		columns[i] = (struct text_column){.gap = 1, .hidden = true}; /* until there is one */
	columns[events + MSEC_ERROR] = (struct text_column){.gap = 1, .hidden = true};
	columns[events + REGION] = (struct text_column){.gap = 2, .breaks = !report->tty};
	t = report_new_table(report, columns, events + REGION_COLUMNS, 2, 0);
	add_region_headings(&t, report, &result->rows[first], region_end(result, first) - first);
	for (; first < result->n; first = end) {
		end = region_end(result, first);
		if (result->rows[first].scope == AGGR_REGION && result->rows[first].kind == ROW_COUNT)
			add_region(&t, report, &result->rows[first], end - first, &scaled);
	}
	hidden = hide_region_columns(&t);
	fputs("\n Regions:\n\n", report->out);
	report_part_write(&t, report, hidden);
	if (scaled)
		fputs("  (~: extrapolated: the event was on a counter for part of the time)\n", report->out);
	text_table_free(&t);
}
