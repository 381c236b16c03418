/* The table with a line for each region, below the table of counts: counts, the number of entries or calls, and the
 * time that it was open. If lines are too wide, columns are left out in this order: errors, then events from the last
 * on. */
#include <math.h>
#include <string.h>

#include "report/table/table.h"
#include "rows/call_kinds.h"

/* The columns after the events. */
enum { ENTRIES, LOST, MSEC, MSEC_ERROR, PROBES, REGION, REGION_COLUMNS };

/* The reasons for marks in the table. */
struct marks {
	bool scaled, subtracted, probed;
};

static bool is_count(const struct report *report, const struct row *row)
{
	return row->item->kind == ITEM_COUNT && row->item->counted &&
	       (!row->item->event || report_shows_in_table(report, row->item->event));
}

/* The rows of a region are contiguous. Returns the first row after them. */
static size_t region_end(const struct result *result, size_t first)
{
	size_t end = first + 1;

	while (end < result->n && subject_compare(result->rows[first].subject, result->rows[end].subject) == 0)
		end++;
	return end;
}

/* Returns the mark before a number, and remembers the reason for it. */
static const char *note_mark(struct marks *marks, const struct row *row)
{
	if (row->status != STATUS_SCALED)
		return "";
	marks->probed |= row->why == WHY_PROBES;
	marks->subtracted |= row->why == WHY_SUBTRACTED;
	/* the others have notes */
	marks->scaled |= row->why == WHY_NOT_CODED;
	return "~";
}

/* Reasons that concern probes get no note: lines below the tables explain them. */
static void set_count(struct text_table *t, struct report *report, size_t column, const struct row *row,
		      struct marks *marks)
{
	if (row->why != WHY_PROBES && row->why != WHY_SUBTRACTED && row->why != WHY_WITH_PROBES &&
	    row->why != WHY_MISLED && row->why != WHY_LOST_CALLS && row->why != WHY_LOST_WITHIN)
		report_add_reason(report, row);
	report_count_set(t, report, column, row, note_mark(marks, row));
}

static bool is_region_value(const struct row *row, const char *name)
{
	return row->item->kind == ITEM_COUNT && !row->item->counted && strcmp(row->item->name, name) == 0;
}

/* Lost calls and the cost of the probes are shown only if a function has any. */
static void set_region_value(struct text_table *t, struct report *report, const struct row *row, struct marks *marks)
{
	size_t events = t->n_columns - REGION_COLUMNS;
	double value = value_real(row->value);
	auto_free char *error = report_error_text(report, row);
	char buf[NUMBER_MAX];

	if (is_region_value(row, "entries") || is_region_value(row, "calls")) {
		text_table_set(t, events + ENTRIES, report_count_number(buf, report, row));
	} else if (is_region_value(row, "lost") && !t->columns[events + LOST].hidden) {
		text_table_format(t, events + LOST, "%s%s", row->status == STATUS_SCALED ? "~" : "",
				  report_count_number(buf, report, row));
	} else if (is_region_value(row, "probes") && !t->columns[events + PROBES].hidden) {
		text_table_format(t, events + PROBES, "%s%%", number_real(buf, &report->style, value, 1));
	} else if (is_region_value(row, "duration_time")) {
		text_table_format(t, events + MSEC, "%s%s%s",
				  report_at_least(&report->style, row->status == STATUS_PARTIAL), note_mark(marks, row),
				  number_real(buf, &report->style, value / 1e6, 3));
		text_table_set(t, events + MSEC_ERROR, error);
	}
}

static void add_region(struct text_table *t, struct report *report, const struct row *rows, size_t n,
		       struct marks *marks)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;

	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		if (is_count(report, &rows[i]) && column < events) {
			set_count(t, report, column, &rows[i], marks);
			column += COUNT_COLUMNS;
		} else {
			set_region_value(t, report, &rows[i], marks);
		}
	}
	text_table_set_safe(t, events + REGION, rows->subject->id);
}

/* True if one of the rows is this value, and is not below `least`. */
static bool has_region_value(const struct row *rows, size_t n, const char *name, double least)
{
	for (size_t i = 0; i < n; i++)
		if (is_region_value(&rows[i], name) && value_real(rows[i].value) >= least)
			return true;
	return false;
}

static void add_region_headings(struct text_table *t, const struct report *report, const struct row *rows, size_t n)
{
	size_t events = t->n_columns - REGION_COLUMNS, column = 0;

	t->headings = 1;
	text_table_line(t);
	for (size_t i = 0; i < n; i++) {
		const char *unit = report_count_text(&rows[i]).unit;
		auto_free char *text = xasprintf("%s%s%s", rows[i].item->name, *unit ? ", " : "", unit);

		if (is_count(report, &rows[i])) {
			text_table_set_safe(t, column, text); /* "task-clock, msec" */
			column += COUNT_COLUMNS;
		}
	}
	text_table_set(t, events + ENTRIES, has_region_value(rows, n, "calls", 0) ? "calls" : "entries");
	if (!t->columns[events + LOST].hidden)
		text_table_set(t, events + LOST, "lost");
	if (!t->columns[events + PROBES].hidden)
		text_table_set(t, events + PROBES, "probes");
	text_table_set(t, events + MSEC, "msec");
	text_table_set(t, events + REGION, "region");
}

/* Hides columns without room in a line; returns the number of events among them. */
static size_t hide_region_columns(struct text_table *t)
{
	size_t events = t->n_columns - REGION_COLUMNS, hidden = 0;

	text_table_hide_wide(t, events + MSEC_ERROR);
	for (size_t i = events + COUNT_ERROR; i > COUNT_COLUMNS; i -= COUNT_COLUMNS)
		text_table_hide_wide(t, i - COUNT_COLUMNS);
	for (size_t i = events; i > COUNT_COLUMNS; i -= COUNT_COLUMNS)
		hidden += text_table_hide_wide(t, i - COUNT_COLUMNS);
	return hidden;
}

static void put_mark(struct report *report, const struct result *result, const char *text)
{
	report->page->sentence(report, result, NULL, text, COLOR_PLAIN);
}

void report_put_regions(struct report *report, const struct result *result)
{
	auto_free struct text_column *columns = NULL;
	size_t first = 0, end, hidden, events = 0; /* columns of events */
	struct marks marks = {.scaled = false};
	struct text_table t;

	while (first < result->n && result->rows[first].subject->scope != AGGR_REGION)
		first++;
	if (first == result->n)
		return;
	for (size_t i = first; i < region_end(result, first); i++)
		events += is_count(report, &result->rows[i]) ? COUNT_COLUMNS : 0;
	columns = xcalloc(events + REGION_COLUMNS, sizeof(*columns));
	for (size_t i = 0; i < events + REGION; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	for (size_t i = COUNT_ERROR; i < events; i += COUNT_COLUMNS)
		columns[i] =
			(struct text_column){.gap = 1, .hidden = true, .kind = TEXT_BESIDE}; /* until there is one */
	columns[events + MSEC_ERROR] = (struct text_column){.gap = 1, .hidden = true, .kind = TEXT_BESIDE};
	columns[events + LOST].hidden = !has_region_value(result->rows, result->n, "lost", 1e-9);
	columns[events + PROBES].hidden = !has_region_value(result->rows, result->n, "probes", 0);
	columns[events + REGION] = (struct text_column){.gap = 2, .breaks = !report->tty, .kind = TEXT_NAME};
	t = report_new_table(report, columns, events + REGION_COLUMNS, 2, 0);
	add_region_headings(&t, report, &result->rows[first], region_end(result, first) - first);
	for (; first < result->n; first = end) {
		end = region_end(result, first);
		if (result->rows[first].subject->scope == AGGR_REGION && result->rows[first].item->kind == ITEM_COUNT)
			add_region(&t, report, &result->rows[first], end - first, &marks);
	}
	hidden = hide_region_columns(&t);
	report->page->gap(report);
	report_counts_write(&t, report, "Regions:", hidden);
	if (marks.scaled)
		put_mark(report, result, "(~: extrapolated: the event was on a counter for part of the time)");
	if (marks.probed)
		put_mark(report, result,
			 "(~: the cost of the probes was subtracted, from some numbers more than 10%; fix: name a "
			 "function that is called less often)");
	else if (marks.subtracted)
		put_mark(report, result, "(~: the cost of the probes was subtracted)");
	text_table_free(&t);
	report_put_calls(report, result);
}
