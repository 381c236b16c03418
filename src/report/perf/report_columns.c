/* --metric-only in perf's formats: -x, like perf with a heading and a separator after the last field; -j, one object in
 * each line, with the metrics as keys. */
#include "lib/json.h"
#include "report/report_internal.h"

/* Fields of -x before the metrics, in this order. */
enum { FIELD_TIME = 1, FIELD_SUBJECT = 2, FIELD_COUNT = 4, FIELD_CGROUP = 8 };

/* ---- -x ---- */

struct x_state {
	unsigned fields;      /* before the metrics */
	enum aggr_mode scope; /* of the lines that are not about the whole */
};

static void put_field(struct report *report, const char *text)
{
	report_put_field(report, text);
	fputs(report->separator, report->out);
}

static unsigned row_fields(const struct row *row)
{
	bool subject = row->subject->scope != AGGR_TOTAL && row->subject->scope != AGGR_CGROUP;

	return (isnan(row->time) ? 0U : FIELD_TIME) | (subject ? FIELD_SUBJECT : 0U) |
	       (subject && (row->scope_count || row->subject->scope == AGGR_COMM) ? FIELD_COUNT : 0U) |
	       (*row->subject->cgroup ? FIELD_CGROUP : 0U);
}

/* All lines have the fields that any line had. Returns true if a field is new. */
static bool add_fields(struct report *report, const struct result *result)
{
	struct x_state *state = report->state;
	unsigned before = state->fields;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		unsigned fields = report_has_column(report, row) ? row_fields(row) : 0;

		if (fields & FIELD_SUBJECT)
			state->scope = row->subject->scope;
		state->fields |= fields;
	}
	return state->fields != before;
}

/* With perf's names. */
static void put_x_heading(struct report *report)
{
	const struct x_state *state = report->state;

	if (state->fields & FIELD_TIME)
		put_field(report, "time");
	if (state->fields & FIELD_SUBJECT)
		put_field(report, state->scope == AGGR_THREAD ? "comm-pid" : aggr_mode_name(state->scope));
	if (state->fields & FIELD_COUNT)
		put_field(report, state->scope == AGGR_COMM ? "processes" : "cpus");
	if (state->fields & FIELD_CGROUP)
		put_field(report, "cgroup");
	for (size_t i = 0; i < report->labels.n; i++)
		put_field(report, report->labels.v[i]);
	putc('\n', report->out);
}

static void put_x_line(struct report *report, const struct row *const *cells, const struct row *first, void *arg)
{
	auto_free char *subject = report_subject_text(first);
	const struct x_state *state = report->state;
	unsigned fields = row_fields(first);
	char buf[NUMBER_MAX];

	(void)arg;
	if (fields & FIELD_TIME)
		put_field(report, number_fixed(buf, first->time, 9));
	else if (state->fields & FIELD_TIME)
		put_field(report, report->options.plain_summary ? "" : "summary");
	if (state->fields & FIELD_SUBJECT)
		put_field(report, subject ? subject : "");
	if (state->fields & FIELD_COUNT)
		put_field(report, fields & FIELD_COUNT ? number_u64(buf, first->scope_count) : "");
	if (state->fields & FIELD_CGROUP)
		put_field(report, first->subject->cgroup);
	for (size_t i = 0; i < report->columns.n; i++) {
		struct metric_text text = {.value = NAN};

		if (cells[i])
			text = report_column_text(cells[i]);
		put_field(report, cells[i] ? report_metric_number(buf, NULL, &text) : "");
	}
	putc('\n', report->out);
}

static void x_rows(struct report *report, const struct result *result)
{
	bool columns = report_add_columns(report, result), fields = add_fields(report, result);

	if (columns || fields)
		put_x_heading(report);
	report_each_line(report, result, put_x_line, NULL);
}

const struct report_ops report_columns_x_ops = {
	.start = report_put_started, .rows = x_rows, .state_size = sizeof(struct x_state)};

/* ---- -j ---- */

static void put_json_line(struct report *report, const struct row *const *cells, const struct row *first, void *arg)
{
	struct json j = {.out = report->out, .spaced = true};
	char buf[NUMBER_MAX];

	(void)arg;
	json_object_begin(&j, NULL);
	report_put_json_place(&j, first);
	if (*first->subject->cgroup)
		json_string(&j, "cgroup", first->subject->cgroup);
	for (size_t i = 0; i < report->columns.n; i++) {
		struct metric_text text;

		if (!cells[i])
			continue;
		text = report_column_text(cells[i]);
		json_string(&j, report->labels.v[i], report_metric_number(buf, NULL, &text));
	}
	json_object_end(&j);
	json_newline(&j);
}

static void json_rows(struct report *report, const struct result *result)
{
	report_add_columns(report, result);
	report_each_line(report, result, put_json_line, NULL);
}

const struct report_ops report_columns_json_ops = {.rows = json_rows};
