/* The table for people, laid out as perf stat's users know it: value, unit, event, metric, error, running share; below
 * it the times and notes. Everything from outside is made safe for a terminal; no line ends in a blank. */
#include <string.h>

#include "metric.h"
#include "report_internal.h"
#include "text.h"

/* perf's widths; longer texts widen the column */
#define VALUE_WIDTH  18
#define UNIT_WIDTH   4
#define NAME_WIDTH   32
#define METRIC_WIDTH 33
#define NUMBER_WIDTH 8 /* of a metric's number */
#define ID_WIDTH     10

/* One line of the table, as texts that only need to be lined up. */
struct line {
	char *time, *id, *count;            /* before the value; NULL: no such column */
	char *value, *unit, *name, *metric; /* NULL: nothing there */
	char *error, *running;
	char *details, *spread; /* lines of their own below */
};

struct table {
	struct report *report;
	double time; /* that time_text says */
	char time_text[NUMBER_MAX];
	struct line *lines;
	size_t n;
	size_t id_width, value_width, unit_width, name_width, metric_width, error_width;
};

static void widen(size_t *width, size_t needed)
{
	if (*width < needed)
		*width = needed;
}

/* Lines are put together without printf where that is easy: intervals may be short, and rows many. */
static void put_blanks(FILE *out, size_t n)
{
	static const char blanks[] = "                                                                ";

	for (; n >= sizeof(blanks); n -= sizeof(blanks) - 1)
		fwrite(blanks, 1, sizeof(blanks) - 1, out);
	fwrite(blanks, 1, n, out);
}

/* A text that takes so many columns (used) at the right end of width. */
static void put_right(FILE *out, const char *text, size_t used, size_t width)
{
	put_blanks(out, width > used ? width - used : 0);
	fputs(text, out);
}

/* Columns a number takes, whose separators are in the user's character set; text_width is for all the rest. */
static size_t number_columns(struct report *report, const char *text)
{
	return number_width(report_style(report), text);
}

static char *value_text(struct report *report, const struct row *row)
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
		return xstrdup(states[row->status]);
	if (text.whole)
		return xstrdup(number_count(buf, report_style(report), text.count));
	return xstrdup(number_real(buf, report_style(report), text.real, text.decimals));
}

/* "± 1.21%"; of a zero, which has no per cent, the error itself. */
static char *error_text(struct report *report, const struct row *row)
{
	double value = value_real(row->value);
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status))
		return NULL;
	if (isnan(row->error)) {
		if (row->status != STATUS_SCALED || row->kind == ROW_METRIC)
			return NULL;
		report->unknown_seen |= !*row->reason;
		return xasprintf("%s unknown", report_plus_minus(report));
	}
	if (value == 0)
		return xasprintf("%s %s", report_plus_minus(report),
				 number_real(buf, report_style(report), row->error, 2));
	number_real(buf, report_style(report), 100 * row->error / fabs(value), 2);
	return xasprintf("%s %s%%", report_plus_minus(report), buf);
}

static char *running_text(struct report *report, const struct row *row)
{
	char buf[NUMBER_MAX];

	if (!status_has_value(row->status) || !row->has_raw || row->raw.running >= row->raw.enabled)
		return NULL;
	return xasprintf("(%s%%)", number_real(buf, report_style(report), report_running_share(row->raw), 2));
}

/* "#    1.23  insn per cycle", "#   ~2.34% of all branches", "#    1.218 K/sec": two decimals leave room for a %. */
static char *metric_text(struct report *report, const struct row *row)
{
	struct metric_text text = report_metric_text(row);
	const char *suffix = !*text.suffix && text.decimals == 2 ? " " : text.suffix;
	const char *mark = row->approximate ? "~" : "";
	auto_free char *label = text_safe(text.label);
	char number[NUMBER_MAX];
	char *line, *p;
	size_t blanks;

	number_real(number, report_style(report), text.value, text.decimals);
	blanks = strlen(mark) + number_columns(report, number) + strlen(suffix);
	blanks = blanks < NUMBER_WIDTH ? NUMBER_WIDTH - blanks + 1 : 1;
	report->approximate_seen |= row->approximate;
	line = xmalloc(blanks + strlen(mark) + strlen(number) + strlen(suffix) + strlen(text.prefix) + strlen(label) +
		       sizeof("# "));
	*line = '#';
	p = (char *)memset(line + 1, ' ', blanks) + blanks;
	p = stpcpy(stpcpy(stpcpy(p, mark), number), suffix);
	strcpy(stpcpy(stpcpy(p, " "), text.prefix), label);
	return line;
}

static char *details_text(struct report *report, const struct row *row)
{
	char raw[NUMBER_MAX], enabled[NUMBER_MAX], running[NUMBER_MAX];
	const struct number_style *style = report_style(report);

	if (!report->options.verbose || !row->has_raw)
		return NULL;
	return xasprintf("raw %s, enabled %s ns, running %s ns", number_count(raw, style, row->raw.value),
			 number_count(enabled, style, row->raw.enabled),
			 number_count(running, style, row->raw.running));
}

static char *id_text(const struct row *row)
{
	auto_free char *text = NULL;

	if (row->scope == SCOPE_CPU)
		text = xasprintf("CPU%s", row->scope_id);
	else if (row->pid && row->comm && (row->scope == SCOPE_THREAD || row->scope == SCOPE_PROCESS))
		text = xasprintf("%s-%s", row->comm, row->scope_id);
	else
		text = xstrdup(row->scope_id);
	return text_safe(text);
}

static void fill_place(struct table *t, struct line *line, const struct row *row)
{
	if (!isnan(row->time)) {
		if (!*t->time_text || row->time != t->time)
			number_real(t->time_text, report_style(t->report), row->time, 9);
		t->time = row->time;
		line->time = xstrdup(t->time_text);
	}
	if (row->scope == SCOPE_TOTAL)
		return;
	line->id = id_text(row);
	widen(&t->id_width, text_width(line->id));
	if (row->scope_count)
		line->count = xasprintf("%u", row->scope_count);
}

static struct line *add_line(struct table *t, const struct row *row)
{
	struct line *line = ARRAY_PUSH(t->lines, t->n);

	fill_place(t, line, row);
	return line;
}

static void set_metric(struct table *t, struct line *line, const struct row *row)
{
	line->metric = metric_text(t->report, row);
	widen(&t->metric_width, text_width(line->metric));
}

/* What was counted in user space alone is called that, as perf has it. A name may not end in blanks. */
static char *name_text(const struct row *row)
{
	size_t n = strlen(row->name);
	bool slash = n && row->name[n - 1] == '/';
	auto_free char *name = row->user_only ? xasprintf("%s%s", row->name, slash ? "u" : ":u") : NULL;
	char *text = text_safe(name ? name : row->name);

	n = strlen(text);
	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	return text;
}

static void add_count(struct table *t, const struct result *result, const size_t *follow, size_t i)
{
	const struct row *row = &result->rows[i];
	struct line *line = add_line(t, row);

	line->value = value_text(t->report, row);
	line->unit = text_safe(report_count_text(row).unit);
	line->name = name_text(row);
	line->error = error_text(t->report, row);
	line->running = running_text(t->report, row);
	line->details = details_text(t->report, row);
	line->spread = report_spread_text(t->report, row);
	widen(&t->value_width, number_columns(t->report, line->value));
	widen(&t->unit_width, text_width(line->unit));
	widen(&t->name_width, text_width(line->name));
	if (line->error)
		widen(&t->error_width, text_width(line->error));
	if (follow[i] == SIZE_MAX)
		return;
	set_metric(t, line, &result->rows[follow[i]]);
	for (size_t m = follow[follow[i]]; m != SIZE_MAX; m = follow[m])
		set_metric(t, add_line(t, row), &result->rows[m]);
}

static void put_place(const struct table *t, const struct line *line)
{
	FILE *out = t->report->out;

	if (line->time) {
		put_right(out, line->time, number_columns(t->report, line->time), 16);
		putc(' ', out);
	}
	if (line->id) {
		fputs(line->id, out);
		put_blanks(out, t->id_width - text_width(line->id));
		if (line->count)
			put_right(out, line->count, strlen(line->count), 10);
		putc(' ', out);
	}
}

static void put_below(const struct table *t, const struct line *line, const char *text)
{
	if (!text)
		return;
	put_place(t, line);
	put_blanks(t->report->out, t->value_width + 1 + t->unit_width + 1);
	fprintf(t->report->out, "%s\n", text);
}

/* Cells are put with the blanks that are due before them, so that nothing trails. */
static void put_line(const struct table *t, const struct line *line)
{
	FILE *out = t->report->out;
	size_t due = t->value_width + 1 + t->unit_width + 1 + t->name_width + 1;

	put_place(t, line);
	if (line->value) {
		put_right(out, line->value, number_columns(t->report, line->value), t->value_width);
		putc(' ', out);
		fputs(line->unit, out);
		put_blanks(out, t->unit_width - text_width(line->unit) + 1);
		fputs(line->name, out);
		due = t->name_width + 1 - text_width(line->name);
	}
	if (line->metric) {
		put_blanks(out, due);
		fputs(line->metric, out);
		due = t->metric_width - text_width(line->metric);
	} else {
		due += t->metric_width;
	}
	if (line->error) {
		put_blanks(out, due + 2);
		fputs(line->error, out);
		due = t->error_width - text_width(line->error);
	} else if (t->error_width) {
		due += 2 + t->error_width;
	}
	if (line->running) {
		put_blanks(out, due + 2);
		put_right(out, line->running, text_width(line->running), strlen("(33.37%)"));
	}
	putc('\n', out);
	put_below(t, line, line->details);
	put_below(t, line, line->spread);
}

static void line_free(struct line *line)
{
	char *const texts[] = {line->time,   line->id,    line->count,   line->value,   line->unit,  line->name,
			       line->metric, line->error, line->running, line->details, line->spread};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
}

static void put_headings(struct report *report, const struct result *result)
{
	bool intervals = result->n > 0 && !isnan(result->rows[0].time);

	if (!intervals && !report->heading_done)
		report_put_heading(report, &result->session);
	if (intervals && !report->interval_heading_done) {
		fprintf(report->out, "#%15s %*s unit events\n", "time", VALUE_WIDTH, "counts");
		report->interval_heading_done = true;
	}
}

static void put_table(struct report *report, const struct result *result)
{
	auto_free size_t *follow = report_link_metrics(result);
	struct table t = {.report = report,
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
	for (size_t i = 0; i < t.n; i++) {
		put_line(&t, &t.lines[i]);
		line_free(&t.lines[i]);
	}
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

const struct report_ops report_table_ops = {report_put_started, table_rows, table_end};
