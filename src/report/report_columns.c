/* --metric-only: a column for each metric, a line for each interval and each part of the machine; nothing of counts.
 * For people; for -x, as perf has it with a heading and a separator after the last field; for -j, an object a line,
 * with the metrics as keys. */
#include <string.h>

#include "lib/json.h"
#include "lib/text.h"
#include "metric/formula.h"
#include "report/report_internal.h"
#include "report/text_table.h"
#include "result/metric.h"

#define LINES_BETWEEN 25 /* headings */
#define FOLD          8  /* where a line goes on in another one */

enum { TIME, SUBJECT, CGROUP, METRICS }; /* the columns of the table; from METRICS on, one for each metric */

/* What perf leaves out, too: rates, and how many CPUs were busy. */
static bool row_has_column(const struct row *row)
{
	if (row->kind != ROW_METRIC || row->run)
		return false;
	return row->formula || (row->metric && !row->metric->prefixed && strcmp(row->metric->unit, "CPUs") != 0);
}

/* Are both in one line? */
static bool rows_are_of_line(const struct row *a, const struct row *b)
{
	return row_compare_subjects(a, b) == 0 && (a->time == b->time || (isnan(a->time) && isnan(b->time)));
}

/* True: there is one more than before. */
static bool take_columns(struct report *report, const struct result *result)
{
	size_t before = report->columns.n;

	for (size_t i = 0; i < result->n; i++)
		if (row_has_column(&result->rows[i]) && !strings_has(&report->columns, result->rows[i].name))
			strings_add(&report->columns, "%s", result->rows[i].name);
	return report->columns.n > before;
}

/* Into cells, per column, the rows of the line that begins with the first; marked as done. */
static void take_line(const struct report *report, const struct result *result, size_t first, bool *done,
		      const struct row **cells)
{
	memset(cells, 0, report->columns.n * sizeof(*cells));
	for (size_t i = first; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (done[i] || !row_has_column(row) || !rows_are_of_line(row, &result->rows[first]))
			continue;
		done[i] = true;
		for (size_t c = 0; c < report->columns.n; c++)
			if (!cells[c] && strcmp(report->columns.v[c], row->name) == 0) {
				cells[c] = row;
				break;
			}
	}
}

/* Call back for each line. */
static void each_line(struct report *report, const struct result *result,
		      void (*put)(struct report *report, const struct row *const *cells, const struct row *first,
				  void *arg),
		      void *arg)
{
	auto_free bool *done = xcalloc(result->n + 1, sizeof(*done));
	auto_free const struct row **cells = xcalloc(report->columns.n + 1, sizeof(*cells));

	for (size_t i = 0; i < result->n; i++) {
		if (done[i] || !row_has_column(&result->rows[i]))
			continue;
		take_line(report, result, i, done, cells);
		put(report, cells, &result->rows[i], arg);
	}
}

/* ---- the table ---- */

static void set_cell(struct text_table *t, struct report *report, size_t column, const struct row *row)
{
	struct metric_text text = report_metric_text(row);
	auto_free char *error = report_metric_error(report, row);
	char buf[NUMBER_MAX];

	report->approximate_seen |= row->approximate;
	if (isnan(text.value))
		report_add_reason(report, row);
	text_table_format(t, column, "%s%s%s%s", row->approximate ? "~" : "",
			  report_metric_number(buf, &report->style, &text), isnan(text.value) ? "" : text.suffix, error);
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
	text_table_set_safe(t, CGROUP, first->cgroup);
	for (size_t i = 0; i < report->columns.n; i++)
		if (cells[i])
			set_cell(t, report, METRICS + i, cells[i]);
	report->lines++;
}

/* With the unit of what people see: "GHz frequency", but "tma_retiring" for a share, whose cells have the sign. */
static void put_names(struct text_table *t, const struct report *report)
{
	text_table_line(t);
	for (size_t i = 0; i < report->columns.n; i++)
		text_table_set_safe(t, METRICS + i, report->columns.v[i]);
}

static void table_rows(struct report *report, const struct result *result)
{
	bool is_new = take_columns(report, result), intervals = result->n && !isnan(result->rows[0].time);
	size_t n = METRICS + report->columns.n;
	auto_free struct text_column *columns = xcalloc(n, sizeof(*columns));
	struct text_table t = {.columns = columns, .n_columns = n, .line_width = report->width, .fold = FOLD};

	if (result->n && result->rows[0].run)
		return; /* one of several runs: their means follow */
	columns[TIME] = (struct text_column){.width = 16, .right = true, .optional = !intervals};
	columns[SUBJECT] = (struct text_column){.gap = 1, .optional = true};
	columns[CGROUP] = (struct text_column){.gap = 1, .optional = true};
	for (size_t i = 0; i < report->columns.n; i++)
		columns[METRICS + i] = (struct text_column){
			.width = text_width(report->columns.v[i]), .gap = 2, .right = true, .folds = true};
	if (!intervals && !report->heading_done)
		report_put_heading(report, &result->session);
	if (is_new || report->lines >= LINES_BETWEEN || !intervals || !report->interval_heading_done) {
		put_names(&t, report);
		report->lines = 0;
		report->interval_heading_done |= intervals;
	}
	each_line(report, result, put_table_line, &t);
	text_table_write(&t, report->out);
	text_table_free(&t);
}

static void table_end(struct report *report, const struct result *result)
{
	report_table_ops.end(report, result);
}

const struct report_ops report_columns_table_ops = {.start = report_put_started, .rows = table_rows, .end = table_end};

/* ---- -x ---- */

static void put_field(struct report *report, const char *text)
{
	report_put_field(report, text);
	fputs(report->separator, report->out);
}

/* As perf calls them in its heading. */
static void put_x_heading(struct report *report, const struct result *result, const struct row *const *cells,
			  const struct row *first)
{
	auto_free char *subject = report_subject_text(first);

	(void)result;
	if (!isnan(first->time))
		put_field(report, "time");
	if (subject)
		put_field(report, first->scope == AGGR_THREAD ? "comm-pid" : aggr_mode_name(first->scope));
	if (subject && first->scope_count)
		put_field(report, "cpus");
	if (*first->cgroup)
		put_field(report, "cgroup");
	for (size_t i = 0; i < report->columns.n; i++) {
		struct metric_text text = {.unit = "", .prefix = "", .label = report->columns.v[i]};
		auto_free char *label = NULL;

		if (cells[i])
			text = report_metric_text(cells[i]);
		label = report_metric_label(&text);
		put_field(report, label);
	}
	putc('\n', report->out);
}

static void put_x_line(struct report *report, const struct row *const *cells, const struct row *first, void *arg)
{
	auto_free char *subject = report_subject_text(first);
	bool *heading_due = arg;
	char buf[NUMBER_MAX];

	if (*heading_due)
		put_x_heading(report, NULL, cells, first);
	*heading_due = false;
	if (!isnan(first->time))
		put_field(report, number_fixed(buf, first->time, 9));
	if (subject)
		put_field(report, subject);
	if (subject && first->scope_count)
		put_field(report, number_u64(buf, first->scope_count));
	if (*first->cgroup)
		put_field(report, first->cgroup);
	for (size_t i = 0; i < report->columns.n; i++) {
		struct metric_text text = {.value = NAN};

		if (cells[i])
			text = report_metric_text(cells[i]);
		put_field(report, cells[i] ? report_metric_number(buf, NULL, &text) : "");
	}
	putc('\n', report->out);
}

static void x_rows(struct report *report, const struct result *result)
{
	bool heading_due = take_columns(report, result);

	each_line(report, result, put_x_line, &heading_due);
}

const struct report_ops report_columns_x_ops = {.start = report_put_started, .rows = x_rows};

/* ---- -j ---- */

static void put_json_line(struct report *report, const struct row *const *cells, const struct row *first, void *arg)
{
	auto_free char *subject = report_subject_text(first);
	struct json j = {.out = report->out, .spaced = true};
	char buf[NUMBER_MAX];

	(void)arg;
	json_object_begin(&j, NULL);
	if (!isnan(first->time))
		json_fixed(&j, "interval", first->time, 9);
	if (subject)
		json_string(&j, aggr_mode_name(first->scope), first->scope == AGGR_CPU ? first->scope_id : subject);
	if (subject && first->scope_count)
		json_u64(&j, "aggregate-number", first->scope_count);
	if (*first->cgroup)
		json_string(&j, "cgroup", first->cgroup);
	for (size_t i = 0; i < report->columns.n; i++) {
		struct metric_text text;
		auto_free char *label = NULL;

		if (!cells[i])
			continue;
		text = report_metric_text(cells[i]);
		label = report_metric_label(&text);
		json_string(&j, label, report_metric_number(buf, NULL, &text));
	}
	json_object_end(&j);
	json_newline(&j);
}

static void json_rows(struct report *report, const struct result *result)
{
	take_columns(report, result);
	each_line(report, result, put_json_line, NULL);
}

const struct report_ops report_columns_json_ops = {.rows = json_rows};
