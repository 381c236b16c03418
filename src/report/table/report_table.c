/* The report for people, laid out as in perf stat: value, unit, event, metric, error, running share; below it the times
 * and notes. Text from outside is escaped for terminals; no line ends in a blank. */
#include <string.h>

#include "lib/text.h"
#include "report/picture.h"
#include "report/table/table.h"

#define VALUE_WIDTH     18
#define HISTOGRAM_WIDTH 24
#define METRIC_DIGITS   8  /* columns of a metric's number */
#define FOLD            24 /* indentation of a continued row */

enum { TIME, SUBJECT, CPUS, VALUE, UNIT, BELOW, NAME, CGROUP, METRIC, SPREAD, ERROR, RANGE, RUNNING, COLUMNS };

/* the widths are perf's */
static const struct text_column layout[COLUMNS] = {
	[TIME] = {.width = 16, .right = true, .optional = true, .name = "time, s"},
	[SUBJECT] = {.width = 10, .gap = 1, .optional = true, .kind = TEXT_NAME, .name = "of"},
	[CPUS] = {.width = 9, .gap = 1, .right = true, .optional = true, .name = "CPUs"},
	[VALUE] = {.width = VALUE_WIDTH, .gap = 1, .right = true, .name = "count"},
	[UNIT] = {.width = 4, .gap = 1, .kind = TEXT_BESIDE},
	/* details of a row, in a line below it */
	[BELOW] = {.gap = 1, .optional = true, .breaks = true, .kind = TEXT_BELOW, .name = "details"},
	[NAME] = {.width = 32, .gap = 1, .fixed = true, .breaks = true, .kind = TEXT_NAME, .name = "event"},
	[CGROUP] = {.gap = 1, .hidden = true, .folds = true, .breaks = true, .kind = TEXT_NAME, .name = "cgroup"},
	[METRIC] = {.width = 33, .gap = 1, .folds = true, .name = "metric"},
	[SPREAD] = {.gap = 2, .hidden = true, .folds = true}, /* perf's, of repeated runs */
	[ERROR] = {.gap = 2, .hidden = true, .folds = true, .name = "error"},
	[RANGE] = {.gap = 2, .hidden = true, .folds = true, .name = "range"}, /* of repeated runs */
	[RUNNING] = {.width = strlen("(33.37%)"), .gap = 2, .right = true, .folds = true, .name = "counted for"},
};

/* The order in which columns shrink if lines are too wide. */
static const size_t yielding[] = {RUNNING, METRIC, NAME, TIME, CPUS, SUBJECT, VALUE, UNIT};

static const char *shown_time(struct report *report, double time)
{
	if (!*report->shown.text || report->shown.time != time)
		number_real(report->shown.text, &report->style, time, 9);
	report->shown.time = time;
	return report->shown.text;
}

/* Begins a line with the row's subject. */
static void add_line(struct text_table *t, struct report *report, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);
	char buf[NUMBER_MAX];

	text_table_line(t);
	if (!isnan(row->time))
		text_table_set(t, TIME, shown_time(report, row->time));
	if (subject)
		text_table_set_safe(t, SUBJECT, subject);
	if (subject && row->scope_count)
		text_table_set(t, CPUS, number_u64(buf, row->scope_count));
}

static void set_value(struct text_table *t, const struct report *report, const struct row *row)
{
	static const char *const states[] = {
		[STATUS_STARVED] = "<starved>",
		[STATUS_UNSUPPORTED] = "<not supported>",
		[STATUS_DENIED] = "<denied>",
		[STATUS_LOST] = "<lost>",
	};
	char buf[NUMBER_MAX];

	text_table_set(t, VALUE,
		       status_has_value(row->status) ? report_count_number(buf, report, row) : states[row->status]);
	if (!status_has_value(row->status))
		text_table_color(t, VALUE, row->status == STATUS_UNSUPPORTED ? COLOR_FAINT : COLOR_ATTENTION);
	text_table_set_safe(t, UNIT, report_count_text(row).unit);
}

static void set_event(struct text_table *t, const struct row *row)
{
	auto_free char *name = report_event_text(row);

	text_table_set_safe(t, NAME, name);
	text_table_set_safe(t, CGROUP, row->subject->cgroup);
}

static void set_error(struct text_table *t, struct report *report, const struct row *row)
{
	auto_free char *text = report_count_error_text(report, row, row->spread->n > 1 ? -1 : 2);

	if (!report_shows_spread(report, row) || report_error_is_unknown(row))
		text_table_set(t, ERROR, text);
	if (!report_error_is_unknown(row))
		return;
	report->unknown_seen |= !*row->reason;
	text_table_color(t, ERROR, COLOR_ATTENTION);
}

/* Returns a number in the unit of the row's displayed value. */
static const char *spread_value(char buf[NUMBER_MAX], const struct report *report, const struct row *row,
				struct value value)
{
	struct row like = *row;
	struct count_text text;

	like.value = value;
	text = report_count_text(&like);
	if (!text.decimals)
		text.decimals = !number_is_whole(value_real(value));
	return report_number(buf, &report->style, &text);
}

/* For scripts, sets "( +- 4.15% )": as in perf, the standard error of the mean. For people, sets the range. */
static void set_spread(struct text_table *t, const struct report *report, const struct row *row)
{
	if (report_shows_spread(report, row)) {
		auto_free char *text = report_relative_error_text(report, row);

		text_table_set(t, SPREAD, text);
	} else if (row->spread->n > 1 && !report->options.verbose) { /* -v: in the line below */
		char min[NUMBER_MAX], max[NUMBER_MAX];

		text_table_format(t, RANGE, "%s %s %s", spread_value(min, report, row, row->spread->min),
				  report_ellipsis(report), spread_value(max, report, row, row->spread->max));
	}
}

/* Sets "# 1.23  insn per cycle", "# ~2.34% of all branches", "# 1.218 K/sec" or "# 41.2% ± 0.8 tma_retiring". A number
 * with two decimals but no % has a blank in its place, so that labels are aligned. Only a terminal has the #. */
static void set_metric(struct text_table *t, struct report *report, const struct row *row)
{
	struct metric_text text = report_metric_beside(row);
	bool has_unit = *text.unit && !*text.suffix;
	auto_free char *error = report_metric_error(report, row, &text);
	const char *mark = report_threshold_mark(report, row);
	const char *suffix = !*text.suffix && text.decimals == 2 && !*error && !*mark ? " " : text.suffix;
	char buf[NUMBER_MAX];
	const char *parts[] = {row->approximate ? "~" : "", report_metric_number(buf, &report->style, &text),
			       isnan(text.value) ? " " : suffix, mark};
	size_t width = 0;

	report->approximate_seen |= row->approximate;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		width += text_columns(parts[i]);
	text_table_set(t, METRIC, report->page->aligned ? "# " : "");
	for (; width < METRIC_DIGITS; width++)
		text_table_append(t, METRIC, " ");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		text_table_append(t, METRIC, parts[i]);
	text_table_append(t, METRIC, error);
	text_table_append(t, METRIC, " ");
	text_table_append_safe(t, METRIC, has_unit ? text.unit : "");
	text_table_append(t, METRIC, has_unit ? " " : "");
	text_table_append(t, METRIC, text.prefix);
	text_table_append_safe(t, METRIC, text.label);
	text_table_color(t, METRIC, row->approximate || *mark ? COLOR_ATTENTION : COLOR_PLAIN);
	if (row->item->metric && !row_has_value(row))
		report_add_reason(report, row);
}

/* Returns min, median and so on of a row's runs; NULL without -v. */
static char *spread_text(const struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], median[NUMBER_MAX], max[NUMBER_MAX], deviation[NUMBER_MAX];
	struct value stddev = {.type = VALUE_REAL, .real = row->spread->stddev};

	if (!report->options.verbose || row->spread->n < 2)
		return NULL;
	return xasprintf("%u runs: min %s, median %s, max %s, standard deviation %s", row->spread->n,
			 spread_value(min, report, row, row->spread->min),
			 spread_value(median, report, row, row->spread->median),
			 spread_value(max, report, row, row->spread->max),
			 spread_value(deviation, report, row, stddev));
}

/* Returns a picture of the distribution of a row's runs; NULL without -v. */
static char *histogram_text(const struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], max[NUMBER_MAX];
	auto_free char *picture = NULL;

	if (!report->options.verbose || row->spread->n < 2)
		return NULL;
	picture = picture_histogram(row->spread->values, row->spread->n, HISTOGRAM_WIDTH, report->style.utf8);
	if (!*picture)
		return NULL;
	return xasprintf("%s %s %s", spread_value(min, report, row, row->spread->min), picture,
			 spread_value(max, report, row, row->spread->max));
}

static void add_below(struct text_table *t, struct report *report, const struct row *row)
{
	auto_free char *spread = spread_text(report, row), *histogram = histogram_text(report, row);
	char raw[NUMBER_MAX], enabled[NUMBER_MAX], running[NUMBER_MAX];

	if (report->options.verbose && row->has_raw) {
		add_line(t, report, row);
		text_table_format(t, BELOW, "raw %s, enabled %s ns, running %s ns",
				  number_count(raw, &report->style, row->raw.value),
				  number_count(enabled, &report->style, row->raw.enabled),
				  number_count(running, &report->style, row->raw.running));
	}
	if (spread) {
		add_line(t, report, row);
		text_table_set(t, BELOW, spread);
	}
	if (histogram) {
		add_line(t, report, row);
		text_table_set(t, BELOW, histogram);
		text_table_color(t, BELOW, COLOR_PICTURE);
	}
}

static void add_count(struct text_table *t, struct report *report, const struct result *result, const size_t *follow,
		      size_t i)
{
	const struct row *row = &result->rows[i];
	size_t metric = follow[i];
	char buf[NUMBER_MAX];

	add_line(t, report, row);
	set_value(t, report, row);
	set_event(t, row);
	if (status_has_value(row->status)) {
		set_spread(t, report, row);
		set_error(t, report, row);
		if (row->has_raw && row->raw.running < row->raw.enabled) {
			text_table_format(t, RUNNING, "(%s%%)",
					  number_real(buf, &report->style, report_running_share(row->raw), 2));
			text_table_color(t, RUNNING, COLOR_ATTENTION);
		}
	}
	if (metric != SIZE_MAX)
		set_metric(t, report, &result->rows[metric]);
	add_below(t, report, row);
	while (metric != SIZE_MAX && (metric = follow[metric]) != SIZE_MAX) {
		add_line(t, report, row);
		set_metric(t, report, &result->rows[metric]);
	}
}

static void add_zeros(struct text_table *t, struct report *report, const struct report_line *line)
{
	add_line(t, report, line->row);
	text_table_set(t, VALUE, "0");
	text_table_format(t, NAME, "%zu event%s not listed%s", line->zeros, line->zeros == 1 ? "" : "s",
			  report->options.nonzero ? "" : " (--sort=none: all)");
	text_table_color(t, VALUE, COLOR_FAINT);
	text_table_color(t, NAME, COLOR_FAINT);
}

/* The range of repeated runs is shown only if there is room. */
static void fit_columns(struct text_table *t)
{
	struct text_column before[COLUMNS];

	memcpy(before, t->columns, sizeof(before));
	if (text_table_fit(t, yielding, ARRAY_SIZE(yielding)) || before[RANGE].hidden)
		return;
	memcpy(t->columns, before, sizeof(before));
	t->columns[RANGE].hidden = true;
	text_table_fit(t, yielding, ARRAY_SIZE(yielding));
}

static void put_headings(struct report *report, const struct result *result, const struct text_column *columns)
{
	bool intervals = result->n > 0 && !isnan(result->rows[0].time);

	report_put_heading(report, &result->session, intervals);
	if (intervals && !report->interval_heading_done) {
		if (report->page->aligned)
			fprintf(report->out, "#%*s %*s unit events\n", (int)columns[TIME].width - 1, "time",
				(int)columns[VALUE].width, "counts");
		report->interval_heading_done = true;
	} else if (intervals && result->session.by_task) { /* after the shares of the previous interval */
		report->page->gap(report);
	}
}

static void put_table(struct report *report, const struct result *result)
{
	auto_free size_t *follow = report_link_metrics(report, result, report_shows_in_table);
	struct text_column columns[COLUMNS];
	struct report_lines lines = {0};
	struct text_table t = report_new_table(report, columns, COLUMNS, 0, FOLD);

	memcpy(columns, layout, sizeof(layout));
	report_choose_lines(report, result, &lines);
	for (size_t i = 0; i < lines.n; i++)
		if (lines.v[i].zeros)
			add_zeros(&t, report, &lines.v[i]);
		else
			add_count(&t, report, result, follow, (size_t)(lines.v[i].row - result->rows));
	free(lines.v);
	fit_columns(&t);
	put_headings(report, result, columns);
	t.continues = result->n && !isnan(result->rows[0].time);
	if (t.n_cells)
		report->page->table(report, &t, NULL);
	text_table_free(&t);
	report_put_shares(report, result);
	report_put_regions(report, result);
}

static void table_rows(struct report *report, const struct result *result)
{
	if (result->n > 0 && result->rows[0].run) /* one of several runs: a table shows their means */
		return;
	if (result->n > 0 && report->options.summary)
		series_add_interval(&report->series, result);
	if (result->session.n_merged)
		report_merge_rows(report, result);
	else if (result->session.calibrates)
		report_calibration_rows(report, result);
	else if (result->session.n_commands > 1)
		report_compare_rows(report, result);
	else
		put_table(report, result);
}

static void table_end(struct report *report, const struct result *result)
{
	if (!report->interval_heading_done && result->session.n_commands < 2)
		report_put_heading(report, &result->session, false);
	report_put_series(report);
	if (result->session.n_commands < 2 && !result->session.n_merged)
		report_put_times(report, result);
	report_put_notes(report, result);
	report_put_answers(report, result);
	report_put_judgements(report, result);
	report_put_conditions(report, result);
	putc('\n', report->out);
}

const struct report_ops report_table_ops = {.start = report_put_started,
					    .rows = table_rows,
					    .end = table_end,
					    .columns = &report_columns_table_ops,
					    .page = &page_terminal};

const struct report_ops report_markdown_ops = {
	.rows = table_rows, .end = table_end, .columns = &report_columns_markdown_ops, .page = &page_markdown};
