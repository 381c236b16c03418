/* The table of calls, below the table of regions: for each function and event, the counts per call. If the line is too
 * long, columns are left out in this order: exclusive, median, min. */
#include <math.h>
#include <string.h>

#include "report/call_histogram.h"
#include "report/picture.h"
#include "report/table/table.h"
#include "rows/call_kinds.h"

#define BAR_WIDTH 30

enum { EVENT = CALL_ROWS, REGION, COLUMNS };

static void set_number(struct text_table *t, const struct report *report, int column, const struct row *row)
{
	double value = value_real(row->value) / (row_is_time(row) ? 1e3 : 1);
	char buf[NUMBER_MAX];

	text_table_format(t, (size_t)column, "%s%s%s", report_at_least(&report->style, row->status == STATUS_PARTIAL),
			  row->status == STATUS_SCALED ? "~" : "",
			  number_real(buf, &report->style, value,
				      row_is_time(row)        ? 3
				      : value == floor(value) ? 0
							      : 2));
}

/* Returns true if the total of a function includes calls of other functions. */
static bool has_exclusive(const struct result *result)
{
	const struct row *total = NULL;
	size_t length;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (call_row_kind(row, &length) == CALL_EXCLUSIVE && total &&
		    strncmp(total->item->name, row->item->name, length) == 0 && !total->item->name[length] &&
		    value_real(row->value) != value_real(total->value))
			return true;
		total = row;
	}
	return false;
}

static void add_headings(struct text_table *t, bool exclusive)
{
	static const char *const headings[COLUMNS] = {
		[CALL_EXCLUSIVE] = "exclusive",
		[CALL_MEAN] = "per call",
		[CALL_MIN] = "min",
		[CALL_MEDIAN] = "median",
		[CALL_MAX] = "max",
		[EVENT] = "event",
		[REGION] = "region",
	};

	t->headings = 1;
	text_table_line(t);
	for (size_t i = exclusive ? 0 : CALL_MEAN; i < COLUMNS; i++)
		text_table_set(t, i, headings[i]);
}

/* The exclusive count is the first row of each line, even if its column is hidden. */
static void add_number(struct text_table *t, const struct report *report, const struct row *row, int kind,
		       size_t length)
{
	auto_free char *name = xasprintf("%.*s%s", (int)length, row->item->name, row_is_time(row) ? ", usec" : "");

	if (kind == CALL_EXCLUSIVE) {
		text_table_line(t);
		text_table_set_safe(t, EVENT, name);
		text_table_set_safe(t, REGION, row->subject->id);
		if (t->columns[CALL_EXCLUSIVE].hidden)
			return;
	}
	set_number(t, report, kind, row);
}

/* Without calls, only the exclusive count is known. */
static bool has_calls(const struct result *result, size_t exclusive)
{
	size_t length;

	return exclusive + 1 < result->n && call_row_kind(&result->rows[exclusive + 1], &length) == CALL_MEAN;
}

/* With -v: the number of calls in each range of an event's counts. */
static void put_histogram(struct report *report, const struct call_histogram *h)
{
	struct text_column columns[] = {{.right = true}, {.gap = 2, .right = true}, {.gap = 2}};
	struct text_table t = report_new_table(report, columns, ARRAY_SIZE(columns), 2, 0);
	auto_free char *name = call_histogram_name(h);
	char buf[NUMBER_MAX];

	t.headings = 1;
	text_table_line(&t);
	text_table_set_safe(&t, 0, name);
	text_table_set(&t, 1, "calls");
	text_table_set_safe(&t, 2, h->row->subject->id);
	for (unsigned octave = h->first; octave <= h->last; octave++) {
		double n = (double)h->row->spread->octaves[octave];
		auto_free char *range = call_histogram_range(h, report, octave, false);
		auto_free char *bar = picture_bar(n / (double)h->most, BAR_WIDTH, report->style.utf8);

		text_table_line(&t);
		text_table_set(&t, 0, range);
		text_table_set(&t, 1, number_real(buf, &report->style, n, 0));
		text_table_set(&t, 2, bar);
	}
	report->page->gap(report);
	report->page->table(report, &t, NULL);
	text_table_free(&t);
}

void report_put_calls(struct report *report, const struct result *result)
{
	bool exclusive = has_exclusive(result), any = false;
	struct text_column columns[COLUMNS];
	struct text_table t = report_new_table(report, columns, COLUMNS, 2, 0);
	struct call_histogram histogram;
	size_t length;

	for (size_t i = 0; i < COLUMNS; i++)
		columns[i] = (struct text_column){.gap = 2, .right = i < CALL_ROWS};
	columns[CALL_EXCLUSIVE].hidden = !exclusive;
	columns[REGION].breaks = !report->tty;
	columns[EVENT].kind = columns[REGION].kind = TEXT_NAME;
	add_headings(&t, exclusive);
	for (size_t i = 0; i < result->n; i++) {
		int kind = call_row_kind(&result->rows[i], &length);

		if (kind < 0 || (kind == CALL_EXCLUSIVE && !has_calls(result, i)))
			continue;
		any |= kind == CALL_MEAN;
		add_number(&t, report, &result->rows[i], kind, length);
	}
	text_table_hide_wide(&t, CALL_EXCLUSIVE);
	text_table_hide_wide(&t, CALL_MEDIAN);
	text_table_hide_wide(&t, CALL_MIN);
	if (any) {
		report->page->gap(report);
		report->page->table(report, &t, "Calls:");
	}
	text_table_free(&t);
	for (size_t at = 0; report->options.verbose && call_histogram_next(&histogram, result, &at, false);)
		put_histogram(report, &histogram);
}
