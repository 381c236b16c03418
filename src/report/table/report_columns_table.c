/* --metric-only for people. */
#include <string.h>

#include "report/table/table.h"

#define LINES_BETWEEN 25 /* headings */

enum { TIME, SUBJECT, CGROUP, METRICS }; /* the columns of the table; from METRICS on, one for each metric */

struct columns_state {
	size_t lines;             /* of rows since the last heading */
	size_t *widths, n_widths; /* of the columns at that heading */
};

/* "~50.0%! ± 0.8" */
static char *cell_text(struct report *report, const struct row *row)
{
	struct metric_text text = report_column_text(row);
	auto_free char *error = report_metric_error(report, row, &text);
	char buf[NUMBER_MAX];

	report->approximate_seen |= row->approximate;
	if (isnan(text.value))
		report_add_reason(report, row);
	return xasprintf("%s%s%s%s%s", row->approximate ? "~" : "", report_metric_number(buf, &report->style, &text),
			 isnan(text.value) ? "" : text.suffix, report_threshold_mark(report, row), error);
}

static void set_cell(struct text_table *t, struct report *report, size_t column, const struct row *row)
{
	auto_free char *text = cell_text(report, row);

	text_table_set(t, column, text);
	if (row->approximate || row->threshold == THRESHOLD_BEYOND)
		text_table_color(t, column, COLOR_ATTENTION);
}

static void put_table_line(struct report *report, const struct row *const *cells, const struct row *first, void *arg)
{
	auto_free char *subject = report_subject_text(first);
	struct text_table *t = arg;
	char buf[NUMBER_MAX];

	text_table_line(t);
	if (!isnan(first->time))
		text_table_set(t, TIME, number_real(buf, &report->style, first->time, 9));
	if (subject)
		text_table_set_safe(t, SUBJECT, subject);
	text_table_set_safe(t, CGROUP, first->subject->cgroup);
	for (size_t i = 0; i < report->columns.n; i++)
		if (cells[i])
			set_cell(t, report, METRICS + i, cells[i]);
}

/* Lines without a heading keep the columns of the last one: a wider cell only shifts the cells after it. */
static void init_columns(const struct report *report, struct text_column *columns, bool heading, bool intervals)
{
	const struct columns_state *state = report->state;

	columns[TIME] = (struct text_column){.width = 16, .right = true, .hidden = !intervals, .name = "time, s"};
	columns[SUBJECT] = (struct text_column){.gap = 1, .hidden = true, .kind = TEXT_NAME, .name = "of"};
	columns[CGROUP] = (struct text_column){.gap = 1, .hidden = true, .kind = TEXT_NAME, .name = "cgroup"};
	for (size_t i = METRICS; i < METRICS + report->columns.n; i++)
		columns[i] = (struct text_column){.gap = 2, .right = true};
	for (size_t i = SUBJECT; i < state->n_widths; i++) {
		columns[i].width = state->widths[i];
		columns[i].fixed = !heading;
	}
}

static void keep_widths(struct columns_state *state, const struct text_table *t)
{
	if (t->n_columns > state->n_widths)
		state->widths = xreallocarray(state->widths, t->n_columns, sizeof(*state->widths));
	state->n_widths = t->n_columns;
	for (size_t i = 0; i < t->n_columns; i++)
		state->widths[i] = t->columns[i].width;
}

static void add_names(struct text_table *t, const struct report *report)
{
	text_table_line(t);
	for (size_t i = 0; i < report->headings.n; i++) {
		text_table_set_safe(t, METRICS + i, report->headings.v[i]);
		text_table_color(t, METRICS + i, COLOR_HEADING);
	}
}

/* Returns the end of the metrics, from the first, that fit in a line beside its subject; at least one. */
static size_t block_end(const struct text_table *t, size_t first, size_t room)
{
	size_t at = 0, end = first;

	for (size_t i = 0; i < METRICS; i++)
		if (!t->columns[i].hidden)
			at += (at ? t->columns[i].gap : 0) + t->columns[i].width;
	for (; end < t->n_columns; end++) {
		at += (at ? t->columns[end].gap : 0) + t->columns[end].width;
		if (at > room && end > first)
			break;
	}
	return end;
}

/* If not all columns fit, writes blocks of them below each other, each with its heading. */
static void put_blocks(struct report *report, struct text_table *t)
{
	if (block_end(t, METRICS, report->width) < t->n_columns)
		t->continues = false;
	for (size_t first = METRICS, end; first < t->n_columns; first = end) {
		end = block_end(t, first, report->width);
		for (size_t i = METRICS; i < t->n_columns; i++)
			t->columns[i].hidden = i < first || i >= end;
		if (first > METRICS)
			report->page->gap(report);
		report->page->table(report, t, NULL);
	}
}

static void put_table(struct report *report, const struct result *result)
{
	struct columns_state *state = report->state;
	bool is_new = report_add_columns(report, result), intervals = result->n && !isnan(result->rows[0].time);
	bool heading = is_new || state->lines >= LINES_BETWEEN || !intervals || !report->interval_heading_done;
	size_t n = METRICS + report->columns.n;
	auto_free struct text_column *columns = xcalloc(n, sizeof(*columns));
	struct text_table t = {.columns = columns, .n_columns = n, .color = report->color, .headings = 1};

	t.continues = report->page->aligned ? !heading : intervals;
	if (heading)
		state->lines = 0;
	init_columns(report, columns, heading, intervals);
	report_put_heading(report, &result->session, intervals);
	report->interval_heading_done |= intervals;
	if (!report->columns.n)
		return;
	add_names(&t, report);
	report_each_line(report, result, put_table_line, &t);
	state->lines += t.n_cells / t.n_columns - 1;
	put_blocks(report, &t);
	keep_widths(state, &t);
	text_table_free(&t);
}

static void table_rows(struct report *report, const struct result *result)
{
	if (!result->n || !result->rows[0].run) /* not for one of several runs: their means follow */
		put_table(report, result);
}

static void table_end(struct report *report, const struct result *result)
{
	if (!report->columns.n)
		strings_add(&report->notes, "none of the events has a metric; -M computes some");
	report_table_ops.end(report, result);
}

static void table_free(void *state)
{
	struct columns_state *s = state;

	free(s->widths);
}

const struct report_ops report_columns_table_ops = {.start = report_put_started,
						    .rows = table_rows,
						    .end = table_end,
						    .state_size = sizeof(struct columns_state),
						    .free = table_free,
						    .page = &page_terminal};

const struct report_ops report_columns_markdown_ops = {.rows = table_rows,
						       .end = table_end,
						       .state_size = sizeof(struct columns_state),
						       .free = table_free,
						       .page = &page_markdown};
