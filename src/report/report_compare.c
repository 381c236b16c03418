/* The table of a comparison: for each event a line for each command, with its mean, the error and range of its runs,
 * and the difference from the first command. */
#include <inttypes.h>
#include <string.h>

#include "metric/formula.h"
#include "report/report_internal.h"
#include "report/text_table.h"
#include "result/differences.h"

enum { HEADING, COMMAND, MEAN, ERROR, RANGE, OUTLIERS, DIFFERENCE, VERDICT, COLUMNS };

#define FOLD 8 /* where a line goes on in another one */

/* The unit in which people see figures of a row. */
struct scale {
	double divisor;
	int decimals; /* -1: a count */
	const char *unit;
};

static struct scale scale_of(const struct row *row)
{
	if (row->formula && strcmp(row->formula->unit, "%") == 0)
		return (struct scale){0.01, 2, "%"};
	if (row->formula)
		return (struct scale){1, 3, row->unit};
	if (strcmp(row->unit, "ns") == 0)
		return (struct scale){1e6, 3, "msec"};
	if (strcmp(row->unit, "B") == 0)
		return (struct scale){1e6, 2, "MB"};
	return (struct scale){1, *row->unit ? 2 : -1, row->unit};
}

static const char *scaled_figure(char buf[NUMBER_MAX], const struct report *report, const struct row *row, double v)
{
	struct scale scale = scale_of(row);
	int decimals = scale.decimals;

	if (decimals < 0)
		decimals = number_is_whole(v) || fabs(v) >= 1000 ? 0 : 2;
	return number_real(buf, &report->style, v / scale.divisor, decimals);
}

static void set_error(struct text_table *t, const struct report *report, const struct row *row)
{
	double value = value_real(row->value);
	char buf[NUMBER_MAX];

	if (isnan(row->error))
		return;
	if (value == 0)
		scaled_figure(buf, report, row, row->error);
	else
		number_real(buf, &report->style, 100 * row->error / fabs(value), 2);
	text_table_format(t, ERROR, "%s %s%s", report->plus_minus, buf, value == 0 ? "" : "%");
}

/* A small mean of counts that vary has decimals even if it happens to be whole. */
static void set_mean(struct text_table *t, const struct report *report, const struct row *row)
{
	double value = value_real(row->value);
	char buf[NUMBER_MAX];

	if (scale_of(row).decimals < 0 && row->stddev > 0 && fabs(value) < 1000)
		number_real(buf, &report->style, value, 2);
	else
		scaled_figure(buf, report, row, value);
	text_table_set(t, MEAN, buf);
}

/* "+2.92% ± 0.10%"; of a reference of 0, "+12 ± 3". */
static void set_difference(struct text_table *t, const struct report *report, const struct result *result,
			   const struct row *count)
{
	const struct row *difference = differences_find(result, ROW_DIFFERENCE, count);
	const struct row *change = differences_find(result, ROW_CHANGE, count), *row = change ? change : difference;
	const char *percent = change ? "%" : "";
	char number[NUMBER_MAX], error[NUMBER_MAX];
	const char *sign;

	if (!difference)
		return;
	sign = value_real(row->value) >= 0 ? "+" : "";
	if (change) {
		number_real(number, &report->style, 100 * value_real(row->value), 2);
		number_real(error, &report->style, 100 * row->error, 2);
	} else {
		scaled_figure(number, report, count, value_real(row->value));
		scaled_figure(error, report, count, row->error);
	}
	if (isnan(row->error))
		text_table_format(t, DIFFERENCE, "%s%s%s", sign, number, percent);
	else
		text_table_format(t, DIFFERENCE, "%s%s%s %s %s%s", sign, number, percent, report->plus_minus, error,
				  percent);
	text_table_set(t, VERDICT, difference->reason);
}

static void add_command(struct text_table *t, struct report *report, const struct result *result, const struct row *row)
{
	char min[NUMBER_MAX], max[NUMBER_MAX];

	text_table_line(t);
	text_table_format(t, COMMAND, "  %u", row->command);
	if (!status_has_value(row->status)) {
		text_table_format(t, MEAN, "<%s>", status_name(row->status));
		report_add_reason(report, row);
		return;
	}
	set_mean(t, report, row);
	set_error(t, report, row);
	if (row->n >= 2 && isfinite(row->min) && isfinite(row->max)) /* reports may be saved by others */
		text_table_format(t, RANGE, "%s %s %s", scaled_figure(min, report, row, row->min),
				  report->style.utf8 ? "\u2026" : "..", scaled_figure(max, report, row, row->max));
	if (row->outliers)
		text_table_format(t, OUTLIERS, "%u outlier%s", row->outliers, row->outliers == 1 ? "" : "s");
	set_difference(t, report, result, row);
}

static void add_heading(struct text_table *t, const struct row *row)
{
	const char *unit = scale_of(row).unit;
	auto_free char *program = row->scope == AGGR_COMM ? report_subject_text(row) : NULL;
	const char *place = row->scope == AGGR_CGROUP ? "" : program ? program : row->scope_id;
	auto_free char *text =
		xasprintf("%s%s%s%s%s%s%s%s", row->scope == AGGR_CPU ? "CPU" : "", place, *place ? " " : "", row->name,
			  *row->cgroup ? " " : "", row->cgroup, *unit ? ", " : "", unit);

	text_table_line(t);
	text_table_set_safe(t, HEADING, text);
}

static bool is_shown(const struct row *row)
{
	return (row->kind == ROW_COUNT || row->formula) && row->run == 0;
}

/* The rows of one event and subject, in the order of the commands. If a command has several such rows, the i-th of each
 * command go together. */
static void add_comparison(struct text_table *t, struct report *report, const struct result *result, bool *done,
			   size_t first)
{
	const struct row *rows = result->rows;
	unsigned last = 0;

	add_heading(t, &rows[first]);
	for (size_t i = first; i < result->n; i++) {
		if (done[i] || !is_shown(&rows[i]) || rows[i].command <= last ||
		    strcmp(rows[i].name, rows[first].name) != 0 || row_compare_subjects(&rows[i], &rows[first]) != 0)
			continue;
		last = rows[i].command;
		done[i] = true;
		add_command(t, report, result, &rows[i]);
	}
}

static unsigned runs_of(const struct result *result, unsigned command)
{
	unsigned runs = 0;

	for (size_t i = 0; i < result->n; i++)
		if (is_shown(&result->rows[i]) && result->rows[i].command == command && result->rows[i].n > runs)
			runs = result->rows[i].n;
	return runs;
}

static void put_command(struct report *report, const struct result *result, size_t i)
{
	const struct session *session = &result->session;
	unsigned runs = runs_of(result, (unsigned)i + 1);

	fprintf(report->out, "   %zu  ", i + 1);
	if (session->command_names)
		report_put_safe(report->out, session->command_names[i]);
	if (session->commands)
		report_put_words(report->out, session->commands[i]);
	if (runs)
		fprintf(report->out, " (%u run%s)", runs, runs == 1 ? "" : "s");
	fputs(i == 0 ? ", the reference\n" : "\n", report->out);
}

static void put_compared(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;

	fputs("\n Performance counter stats of ", report->out);
	fprintf(report->out, "%zu %s", session->n_commands, session->commands ? "commands" : "reports");
	if (session->has_order)
		fprintf(report->out, ", run in random order (--seed=%" PRIu64 ")", session->seed);
	fputs(":\n\n", report->out);
	for (size_t i = 0; i < session->n_commands; i++)
		put_command(report, result, i);
	putc('\n', report->out);
	report->heading_done = true;
}

/* Times that no command has, since commands are not what is counted: not worth lines. */
static bool is_void(const struct result *result, const struct row *row)
{
	bool known = !result_is_clock(row->name);

	for (size_t i = 0; i < result->n && !known; i++)
		known = is_shown(&result->rows[i]) && strcmp(result->rows[i].name, row->name) == 0 &&
			status_has_value(result->rows[i].status);
	return !known;
}

void report_compare_rows(struct report *report, const struct result *result)
{
	struct text_column columns[COLUMNS] = {
		[HEADING] = {.optional = true, .breaks = true},
		[COMMAND] = {.right = true},
		[MEAN] = {.gap = 2, .right = true},
		[ERROR] = {.gap = 2},
		[RANGE] = {.gap = 2, .folds = true},
		[OUTLIERS] = {.gap = 2, .folds = true},
		[DIFFERENCE] = {.gap = 2, .folds = true},
		[VERDICT] = {.gap = 2, .folds = true},
	};
	struct text_table t = {
		.columns = columns, .n_columns = COLUMNS, .margin = 1, .line_width = report->width, .fold = FOLD};
	auto_free bool *done = xcalloc(result->n + 1, sizeof(*done));

	put_compared(report, result);
	for (size_t i = 0; i < result->n; i++)
		if (!done[i] && is_shown(&result->rows[i]) && !is_void(result, &result->rows[i]))
			add_comparison(&t, report, result, done, i);
	text_table_write(&t, report->out);
	text_table_free(&t);
}
