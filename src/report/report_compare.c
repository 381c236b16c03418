/* The table for people of a comparison: for each event a line for each command, with its mean, the interval and range
 * of its runs, and how it differs from the first command. */
#include <inttypes.h>
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"
#include "result/differences.h"

enum { CELL_COMMAND, CELL_MEAN, CELL_ERROR, CELL_RANGE, CELL_OUTLIERS, CELL_DIFFERENCE, CELL_VERDICT, CELLS };

/* A heading (text) or the cells of a command. */
struct compare_line {
	char *heading;
	char *cells[CELLS];
};

struct compare_table {
	struct report *report;
	const struct result *result;
	struct compare_line *lines;
	size_t n;
	size_t widths[CELLS];
};

/* How people see figures of this row: divided, in another unit. */
struct scale {
	double divisor;
	int decimals; /* -1: of a count */
	const char *unit;
};

static struct scale scale_of(const struct row *row)
{
	if (strcmp(row->unit, "ns") == 0)
		return (struct scale){1e6, 3, "msec"};
	if (strcmp(row->unit, "B") == 0)
		return (struct scale){1e6, 2, "MB"};
	return (struct scale){1, *row->unit ? 2 : -1, row->unit};
}

static const char *figure(char buf[NUMBER_MAX], struct report *report, const struct row *row, double v)
{
	struct scale scale = scale_of(row);
	int decimals = scale.decimals;

	if (decimals < 0)
		decimals = number_is_whole(v) || fabs(v) >= 1000 ? 0 : 2;
	return number_real(buf, report_style(report), v / scale.divisor, decimals);
}

static void set_cell(struct compare_table *t, struct compare_line *line, int cell, char *text)
{
	size_t width = number_width(report_style(t->report), text);

	line->cells[cell] = text;
	if (t->widths[cell] < width)
		t->widths[cell] = width;
}

static char *error_text(struct report *report, const struct row *row)
{
	double value = value_real(row->value);
	char buf[NUMBER_MAX];

	if (isnan(row->error))
		return xstrdup("");
	if (value == 0)
		return xasprintf("%s %s", report_plus_minus(report), figure(buf, report, row, row->error));
	number_real(buf, report_style(report), 100 * row->error / fabs(value), 2);
	return xasprintf("%s %s%%", report_plus_minus(report), buf);
}

/* A small mean of counts that vary has decimals even where it happens to be whole. */
static char *mean_text(struct report *report, const struct row *row)
{
	double value = value_real(row->value);
	char buf[NUMBER_MAX];

	if (scale_of(row).decimals < 0 && row->stddev > 0 && fabs(value) < 1000)
		return xstrdup(number_real(buf, report_style(report), value, 2));
	return xstrdup(figure(buf, report, row, value));
}

static char *range_text(struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], max[NUMBER_MAX];

	if (row->n < 2)
		return xstrdup("");
	return xasprintf("%s %s %s", figure(min, report, row, row->min), report_style(report)->utf8 ? "\u2026" : "..",
			 figure(max, report, row, row->max));
}

/* "+2.92% ± 0.10%"; of a reference of 0, "+12 ± 3". */
static char *difference_text(struct report *report, const struct row *count, const struct row *difference,
			     const struct row *change)
{
	const struct row *row = change ? change : difference;
	const struct number_style *style = report_style(report);
	double value = value_real(row->value);
	auto_free char *number = NULL;
	char buf[NUMBER_MAX];

	if (change)
		number = xasprintf("%s%s%%", value >= 0 ? "+" : "", number_real(buf, style, 100 * value, 2));
	else
		number = xasprintf("%s%s", value >= 0 ? "+" : "", figure(buf, report, count, value));
	if (isnan(row->error))
		return xstrdup(number);
	if (change)
		return xasprintf("%s %s %s%%", number, report_plus_minus(report),
				 number_real(buf, style, 100 * row->error, 2));
	return xasprintf("%s %s %s", number, report_plus_minus(report), figure(buf, report, count, row->error));
}

static void add_difference(struct compare_table *t, struct compare_line *line, const struct row *row)
{
	const struct row *difference = differences_find(t->result, ROW_DIFFERENCE, row);

	if (!difference)
		return;
	set_cell(t, line, CELL_DIFFERENCE,
		 difference_text(t->report, row, difference, differences_find(t->result, ROW_CHANGE, row)));
	set_cell(t, line, CELL_VERDICT, xstrdup(difference->reason));
}

static void add_command(struct compare_table *t, const struct row *row)
{
	struct compare_line *line = ARRAY_PUSH(t->lines, t->n);

	set_cell(t, line, CELL_COMMAND, xasprintf("%u", row->command));
	if (!status_has_value(row->status)) {
		set_cell(t, line, CELL_MEAN, xasprintf("<%s>", status_name(row->status)));
		report_add_reason(t->report, row);
		return;
	}
	set_cell(t, line, CELL_MEAN, mean_text(t->report, row));
	set_cell(t, line, CELL_ERROR, error_text(t->report, row));
	set_cell(t, line, CELL_RANGE, range_text(t->report, row));
	if (row->outliers)
		set_cell(t, line, CELL_OUTLIERS,
			 xasprintf("%u outlier%s", row->outliers, row->outliers == 1 ? "" : "s"));
	add_difference(t, line, row);
}

static void add_heading(struct compare_table *t, const struct row *row)
{
	const char *unit = scale_of(row).unit;
	const char *place = row->scope == AGGR_CGROUP ? "" : row->scope_id;
	auto_free char *text =
		xasprintf("%s%s%s%s%s%s%s%s", row->scope == AGGR_CPU ? "CPU" : "", place, *place ? " " : "", row->name,
			  *row->cgroup ? " " : "", row->cgroup, *unit ? ", " : "", unit);

	ARRAY_PUSH(t->lines, t->n)->heading = text_safe(text);
}

static bool is_shown(const struct row *row)
{
	return row->kind == ROW_COUNT && row->run == 0;
}

/* The rows of one thing, the first command's first; of several equal ones each goes with its like. */
static void add_rows(struct compare_table *t, bool *done, size_t first)
{
	const struct row *rows = t->result->rows;
	unsigned last = 0;

	add_heading(t, &rows[first]);
	for (size_t i = first; i < t->result->n; i++) {
		if (done[i] || !is_shown(&rows[i]) || rows[i].command <= last ||
		    strcmp(rows[i].name, rows[first].name) != 0 || row_compare_subjects(&rows[i], &rows[first]) != 0)
			continue;
		last = rows[i].command;
		done[i] = true;
		add_command(t, &rows[i]);
	}
}

static void put_cell(const struct compare_table *t, const char *text, int cell, size_t *due)
{
	FILE *out = t->report->out;
	size_t width = number_width(report_style(t->report), text), blanks = t->widths[cell] - width;

	if (cell <= CELL_MEAN) /* numbers stand to the right */
		*due += blanks;
	if (width)
		fprintf(out, "%*s%s", (int)*due, "", text);
	*due = (width ? 0 : *due + width) + (cell <= CELL_MEAN ? 0 : blanks) + 3;
}

static void put_line(const struct compare_table *t, struct compare_line *line)
{
	FILE *out = t->report->out;
	size_t due = 3;

	if (line->heading)
		fprintf(out, " %s", line->heading);
	for (int i = 0; i < CELLS; i++) {
		if (!line->heading)
			put_cell(t, line->cells[i] ? line->cells[i] : "", i, &due);
		free(line->cells[i]);
	}
	free(line->heading);
	putc('\n', out);
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
	for (char **word = session->commands ? session->commands[i] : NULL; word && *word; word++) {
		fputs(word == session->commands[i] ? "'" : " ", report->out);
		report_put_safe(report->out, *word);
		fputs(word[1] ? "" : "'", report->out);
	}
	if (runs)
		fprintf(report->out, " (%u run%s)", runs, runs == 1 ? "" : "s");
	fputs(i == 0 ? ", the reference\n" : "\n", report->out);
}

static void put_heading(struct report *report, const struct result *result)
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

/* The times of a command that is not itself what is counted: unknown of each, as everybody knows. */
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
	struct compare_table t = {.report = report, .result = result};
	auto_free bool *done = xcalloc(result->n + 1, sizeof(*done));

	put_heading(report, result);
	for (size_t i = 0; i < result->n; i++)
		if (!done[i] && is_shown(&result->rows[i]) && !is_void(result, &result->rows[i]))
			add_rows(&t, done, i);
	for (size_t i = 0; i < t.n; i++)
		put_line(&t, &t.lines[i]);
	free(t.lines);
}
