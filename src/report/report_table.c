/* The table for people, laid out as perf stat's users know it: value, unit, event, metric, error, running share; below
 * it the times and notes. Everything from outside is made safe for a terminal; no line ends in a blank. */
#include <string.h>

#include "report/report_internal.h"
#include "report/report_piece.h"
#include "result/metric.h"

/* perf's widths; longer texts widen the column */
#define VALUE_WIDTH  18
#define UNIT_WIDTH   4
#define NAME_WIDTH   32
#define METRIC_WIDTH 33
#define NUMBER_WIDTH 8 /* of a metric's number */
#define ID_WIDTH     10

/* One line of the table, in pieces that only need to be lined up. */
struct line {
	struct piece time, id, count; /* before the value */
	struct piece value, unit, name, cgroup, metric;
	struct piece error, running;
	struct piece details, spread; /* lines of their own below */
};

struct table {
	struct report *report;
	struct pieces *pieces;
	const struct number_style *style;
	double time; /* that time_piece says */
	struct piece time_piece;
	struct line *lines;
	size_t n;
	size_t id_width, value_width, unit_width, name_width, cgroup_width, metric_width, error_width;
};

static void widen(size_t *width, size_t needed)
{
	if (*width < needed)
		*width = needed;
}

static void add(struct table *t, const char *text)
{
	pieces_add(t->pieces, text);
}

static struct piece safe_piece(struct table *t, const char *text)
{
	return pieces_end(t->pieces, pieces_add_safe(t->pieces, text, strlen(text)));
}

static struct piece number_piece(struct table *t, const char *number)
{
	add(t, number);
	return pieces_end_number(t->pieces, t->style);
}

static struct piece value_piece(struct table *t, const struct row *row)
{
	static const char *const states[] = {
		[STATUS_STARVED] = "<starved>",
		[STATUS_UNSUPPORTED] = "<not supported>",
		[STATUS_DENIED] = "<denied>",
		[STATUS_LOST] = "<lost>",
	};
	struct count_text text = report_count_text(row);
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status))
		return safe_piece(t, states[row->status]);
	if (text.whole)
		return number_piece(t, number_count(buf, t->style, text.count));
	return number_piece(t, number_real(buf, t->style, text.real, text.decimals));
}

/* "± 1.21%"; of a zero, which has no per cent, the error itself. */
static struct piece error_piece(struct table *t, const struct row *row)
{
	double value = value_real(row->value);
	struct report *report = t->report;
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status) || (isnan(row->error) && row->status != STATUS_SCALED))
		return (struct piece){0};
	add(t, report_plus_minus(report));
	add(t, " ");
	if (isnan(row->error)) {
		report->unknown_seen |= !*row->reason;
		add(t, "unknown");
	} else if (value == 0) {
		add(t, number_real(buf, t->style, row->error, 2));
	} else {
		add(t, number_real(buf, t->style, 100 * row->error / fabs(value), 2));
		add(t, "%");
	}
	return pieces_end_number(t->pieces, t->style);
}

static struct piece running_piece(struct table *t, const struct row *row)
{
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status) || !row->has_raw || row->raw.running >= row->raw.enabled)
		return (struct piece){0};
	add(t, "(");
	add(t, number_real(buf, t->style, report_running_share(row->raw), 2));
	add(t, "%)");
	return pieces_end_number(t->pieces, t->style);
}

/* "#    1.23  insn per cycle", "#   ~2.34% of all branches", "#    1.218 K/sec": two decimals leave room for a %. */
static struct piece metric_piece(struct table *t, const struct row *row)
{
	struct metric_text text = report_metric_text(row);
	const char *suffix = !*text.suffix && text.decimals == 2 ? " " : text.suffix;
	const char *mark = row->approximate ? "~" : "";
	char number[NUMBER_MAX];
	size_t width;

	t->report->approximate_seen |= row->approximate;
	number_real(number, t->style, text.value, text.decimals);
	width = strlen(mark) + number_width(t->style, number) + strlen(suffix);
	add(t, "#");
	pieces_add_blanks(t->pieces, width < NUMBER_WIDTH ? NUMBER_WIDTH - width + 1 : 1);
	add(t, mark);
	add(t, number);
	add(t, suffix);
	add(t, " ");
	add(t, text.prefix);
	width = (width < NUMBER_WIDTH ? NUMBER_WIDTH : width) + strlen("#  ") + strlen(text.prefix);
	return pieces_end(t->pieces, width + pieces_add_safe(t->pieces, text.label, strlen(text.label)));
}

static struct piece details_piece(struct table *t, const struct row *row)
{
	char buf[NUMBER_MAX];

	if (!t->report->options.verbose || !row->has_raw)
		return (struct piece){0};
	add(t, "raw ");
	add(t, number_count(buf, t->style, row->raw.value));
	add(t, ", enabled ");
	add(t, number_count(buf, t->style, row->raw.enabled));
	add(t, " ns, running ");
	add(t, number_count(buf, t->style, row->raw.running));
	add(t, " ns");
	return pieces_end(t->pieces, 0);
}

static struct piece spread_piece(struct table *t, const struct row *row)
{
	auto_free char *text = report_spread_text(t->report, row);

	if (text)
		add(t, text);
	return pieces_end(t->pieces, 0);
}

static struct piece id_piece(struct table *t, const struct row *row)
{
	size_t width = 0;

	if (row->scope == AGGR_CPU) {
		width = pieces_add_safe(t->pieces, "CPU", 3);
	} else if (row->pid && row->comm && (row->scope == AGGR_THREAD || row->scope == AGGR_PROCESS)) {
		width = pieces_add_safe(t->pieces, row->comm, strlen(row->comm));
		width += pieces_add_safe(t->pieces, "-", 1);
	}
	width += pieces_add_safe(t->pieces, row->scope_id, strlen(row->scope_id));
	return pieces_end(t->pieces, width);
}

static void fill_place(struct table *t, struct line *line, const struct row *row)
{
	char buf[NUMBER_MAX];

	if (!isnan(row->time)) {
		if (!t->time_piece.length || row->time != t->time)
			t->time_piece = number_piece(t, number_real(buf, t->style, row->time, 9));
		t->time = row->time;
		line->time = t->time_piece;
	}
	if (row->scope == AGGR_TOTAL || row->scope == AGGR_CGROUP)
		return;
	line->id = id_piece(t, row);
	widen(&t->id_width, line->id.width);
	if (row->scope_count)
		line->count = number_piece(t, number_u64(buf, row->scope_count));
}

static struct line *add_line(struct table *t, const struct row *row)
{
	struct line *line = ARRAY_PUSH(t->lines, t->n);

	fill_place(t, line, row);
	return line;
}

static void set_metric(struct table *t, struct line *line, const struct row *row)
{
	line->metric = metric_piece(t, row);
	widen(&t->metric_width, line->metric.width);
}

/* What was counted in user space alone is called that, as perf has it. A name may not end in blanks. */
static struct piece name_piece(struct table *t, const struct row *row)
{
	size_t n = strlen(row->name), width;

	while (n && row->name[n - 1] == ' ')
		n--;
	width = pieces_add_safe(t->pieces, row->name, n);
	if (row->user_only) {
		const char *mode = n && row->name[n - 1] == '/' ? "u" : ":u";

		width += pieces_add_safe(t->pieces, mode, strlen(mode));
	}
	return pieces_end(t->pieces, width);
}

static void add_count(struct table *t, const struct result *result, const size_t *follow, size_t i)
{
	const struct row *row = &result->rows[i];
	struct line *line = add_line(t, row);

	line->value = value_piece(t, row);
	line->unit = safe_piece(t, report_count_text(row).unit);
	line->name = name_piece(t, row);
	line->cgroup = safe_piece(t, row->cgroup);
	line->error = error_piece(t, row);
	line->running = running_piece(t, row);
	line->details = details_piece(t, row);
	line->spread = spread_piece(t, row);
	widen(&t->value_width, line->value.width);
	widen(&t->unit_width, line->unit.width);
	widen(&t->name_width, line->name.width);
	widen(&t->cgroup_width, line->cgroup.width);
	widen(&t->error_width, line->error.width);
	if (follow[i] == SIZE_MAX)
		return;
	set_metric(t, line, &result->rows[follow[i]]);
	for (size_t m = follow[follow[i]]; m != SIZE_MAX; m = follow[m])
		set_metric(t, add_line(t, row), &result->rows[m]);
}

static void put_place(struct table *t, const struct line *line)
{
	if (line->time.length) {
		pieces_put_right(t->pieces, &line->time, 16);
		add(t, " ");
	}
	if (line->id.length) {
		pieces_put(t->pieces, &line->id, 0);
		pieces_add_blanks(t->pieces, t->id_width - line->id.width);
		if (line->count.length)
			pieces_put_right(t->pieces, &line->count, 10);
		add(t, " ");
	}
}

static void put_below(struct table *t, const struct line *line, const struct piece *text)
{
	if (!text->length)
		return;
	put_place(t, line);
	pieces_put(t->pieces, text, t->value_width + 1 + t->unit_width + 1);
	add(t, "\n");
}

/* The value and what it is of; returns how many blanks are due before a metric. */
static size_t put_count(struct table *t, const struct line *line)
{
	size_t behind = t->cgroup_width ? t->cgroup_width + 1 : 0;

	if (!line->value.length)
		return t->value_width + 1 + t->unit_width + 1 + t->name_width + 1 + behind;
	pieces_put_right(t->pieces, &line->value, t->value_width);
	pieces_put(t->pieces, &line->unit, 1);
	pieces_put(t->pieces, &line->name, t->unit_width - line->unit.width + 1);
	if (!line->cgroup.length)
		return t->name_width + 1 - line->name.width + behind;
	pieces_put(t->pieces, &line->cgroup, t->name_width + 1 - line->name.width);
	return behind - line->cgroup.width;
}

/* Pieces are put with the blanks that are due before them, so that nothing trails. */
static void put_line(struct table *t, const struct line *line)
{
	size_t due;

	put_place(t, line);
	due = put_count(t, line);
	if (line->metric.length) {
		pieces_put(t->pieces, &line->metric, due);
		due = t->metric_width - line->metric.width;
	} else {
		due += t->metric_width;
	}
	if (line->error.length) {
		pieces_put(t->pieces, &line->error, due + 2);
		due = t->error_width - line->error.width;
	} else if (t->error_width) {
		due += 2 + t->error_width;
	}
	if (line->running.length) {
		pieces_add_blanks(t->pieces, due + 2);
		pieces_put_right(t->pieces, &line->running, strlen("(33.37%)"));
	}
	add(t, "\n");
	put_below(t, line, &line->details);
	put_below(t, line, &line->spread);
}

static void put_headings(struct report *report, const struct result *result)
{
	bool intervals = result->n > 0 && !isnan(result->rows[0].time);

	if (!intervals && !report->heading_done)
		report_put_heading(report, &result->session);
	if (intervals && !report->interval_heading_done) {
		fprintf(report->out, "#%15s %*s unit events\n", "time", VALUE_WIDTH, "counts");
		report->interval_heading_done = true;
	} else if (intervals && result->session.tree) { /* the shares of the one before stand above */
		putc('\n', report->out);
	}
}

static void put_table(struct report *report, const struct result *result)
{
	const size_t *follow = report_link_metrics(report, result);
	struct table t = {.report = report,
			  .pieces = &report->pieces,
			  .style = report_style(report),
			  .id_width = ID_WIDTH,
			  .value_width = VALUE_WIDTH,
			  .unit_width = UNIT_WIDTH,
			  .name_width = NAME_WIDTH,
			  .metric_width = METRIC_WIDTH};

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row->kind != ROW_COUNT || !row->counted_event || report_is_share(result, row))
			continue;
		if (row->event && row->event->parent >= 0 && !report->options.verbose)
			continue;
		add_count(&t, result, follow, i);
		report_add_reason(report, row);
	}
	put_headings(report, result);
	for (size_t i = 0; i < t.n; i++)
		put_line(&t, &t.lines[i]);
	pieces_write(t.pieces, report->out);
	pieces_clear(t.pieces);
	free(t.lines);
	report_put_shares(report, result);
}

static void table_rows(struct report *report, const struct result *result)
{
	if (result->n > 0 && result->rows[0].run)
		return; /* one of several runs: a table shows their means */
	if (result->session.n_commands > 1)
		report_compare_rows(report, result);
	else
		put_table(report, result);
}

static void table_end(struct report *report, const struct result *result)
{
	if (!report->heading_done && !report->interval_heading_done && result->session.n_commands < 2)
		report_put_heading(report, &result->session);
	if (result->session.n_commands < 2)
		report_put_times(report, result);
	report_put_notes(report, result);
	putc('\n', report->out);
}

const struct report_ops report_table_ops = {.start = report_put_started, .rows = table_rows, .end = table_end};
