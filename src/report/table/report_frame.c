/* The text around the tables: above, the target; below, the times and the notes. */
#include <string.h>

#include "lib/text.h"
#include "report/table/table.h"

#define BAR_MOST 40 /* longer bars would show no more */

#define RANGES_LEAST 91 /* columns in which the time of repeated runs with the longest label has a range */

enum { TIME_VALUE, TIME_WHAT, TIME_ERROR, TIME_RANGE, TIME_COLUMNS };
#define TIME_FOLD 19 /* continued lines begin below the label */

struct text_table report_new_table(const struct report *report, struct text_column *columns, size_t n, size_t margin,
				   size_t fold)
{
	return (struct text_table){.columns = columns,
				   .n_columns = n,
				   .margin = margin,
				   .line_width = report->width,
				   .fold = fold,
				   .color = report->color};
}

bool report_shows_spread(const struct report *report, const struct row *row)
{
	return row->spread->n > 1 && report->page->aligned && !report->tty;
}

/* Intervals have a target only in Markdown: on a terminal, names of their columns (as in perf) are above them. */
void report_put_heading(struct report *report, const struct session *session, bool intervals)
{
	auto_free char *target = NULL, *runs = NULL, *rest = NULL;

	if (report->heading_done || (intervals && report->page->aligned))
		return;
	target = text_safe(session->target);
	runs = session->runs > 1 ? xasprintf(" (%u runs)", session->runs) : xstrdup("");
	rest = xasprintf("%s%s:", target, runs);
	report->page->title(report, "Performance counter stats for", rest, report->tty);
}

/* Returns the mean of a clock over all runs; NULL for a single run, or if the clock is unknown. */
static const struct row *find_clock(const struct result *result, enum clock clock)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row_clock(row) == clock && row->run == 0 && row->spread->n > 1 && row->command == 1)
			return row;
	}
	return NULL;
}

/* Without room only the elapsed time has a range, below its line if need be. */
static bool has_range(const struct report *report, const struct row *row)
{
	return report->width >= RANGES_LEAST || report->options.verbose || row_clock(row) == CLOCK_DURATION;
}

/* Sets "1.83 … 1.97", of the runs, in the unit of the value, to four digits. */
static void set_range(struct text_table *t, const struct report *report, const struct row *row, double value)
{
	double unit = value_real(row->value) / value, max = value_real(row->spread->max) / unit;
	int decimals = report_decimals_of_error(max, 4);
	char low[NUMBER_MAX], high[NUMBER_MAX];

	decimals = decimals < 0 ? 0 : decimals;
	text_table_format(t, TIME_RANGE, "%s %s %s",
			  number_real(low, &report->style, value_real(row->spread->min) / unit, decimals),
			  report_ellipsis(report), number_real(high, &report->style, max, decimals));
}

static void add_time(struct text_table *t, const struct report *report, const struct row *row, double seconds,
		     int decimals, const char *what)
{
	auto_free char *error = NULL;
	char buf[NUMBER_MAX];

	text_table_line(t);
	text_table_set(t, TIME_VALUE, number_real(buf, &report->style, seconds, decimals));
	text_table_set(t, TIME_WHAT, what);
	if (!row || !isfinite(row->error) || value_real(row->value) == 0)
		return;
	error = report_shows_spread(report, row) ? report_relative_error_text(report, row)
						 : report_error_text(report, row);
	text_table_set(t, TIME_ERROR, error);
	if (!report_shows_spread(report, row) && has_range(report, row))
		set_range(t, report, row, seconds);
}

/* Returns perf's number of decimals: two more than the standard error's first digit. */
static int decimals_for(double error)
{
	int decimals = 2;

	while (error < 1 && decimals < 9) {
		error *= 10;
		decimals++;
	}
	return decimals;
}

/* As in perf stat --table, for its readers: each run has a #, and another one for each 5% between it and the mean. */
static void put_run_table(const struct report *report, const struct row *elapsed, int decimals, double mean)
{
	char run[NUMBER_MAX], apart[NUMBER_MAX];

	fputs("         # Table of individual measurements:\n", report->out);
	for (unsigned i = 0; i < elapsed->spread->n; i++) {
		double time = elapsed->spread->values[i] / 1e9, percent = time > 0 ? 100 * (time - mean) / time : 0;
		int used;

		number_real(apart, &report->style, time - mean, decimals);
		used = fprintf(report->out, "%18s (%s%s) ", number_real(run, &report->style, time, decimals),
			       *apart == '-' ? "" : "+", apart);
		for (int bar = 0; 5.0 * bar <= fabs(percent) && bar < BAR_MOST && used + bar < (int)report->width;
		     bar++)
			putc('#', report->out);
		putc('\n', report->out);
	}
	fputs("\n         # Final result:\n", report->out);
}

/* "1.00149 +- 0.00023 seconds time elapsed  ( +-  0.02% )" for scripts, "1.00149 seconds time elapsed  ± 0.06%  1.001 …
 * 1.003" for people. */
static void add_elapsed(struct text_table *t, const struct report *report, const struct row *row, double seconds)
{
	double error = row ? report_relative_error(row) / 100 * seconds : 0;
	int decimals = row && error > 0 ? decimals_for(error) : 9;
	auto_free char *what = NULL;
	char buf[NUMBER_MAX];

	if (row && report->options.run_table && report->page->aligned)
		put_run_table(report, row, decimals, seconds);
	if (row && report_shows_spread(report, row))
		what = xasprintf("+- %s seconds time elapsed", number_real(buf, &report->style, error, decimals));
	add_time(t, report, row, seconds, decimals, what ? what : "seconds time elapsed");
}

static void add_tree_peak(struct text_table *t, const struct report *report, const struct result *result)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row_clock(row) == CLOCK_TREE_RSS && row->run == 0 && row->command <= 1)
			add_time(t, report, row, value_real(row->value) / 1e6, 1,
				 row->status == STATUS_PARTIAL ? "MB of all processes together, at least"
							       : "MB sum of all processes' peaks");
	}
}

void report_put_times(struct report *report, const struct result *result)
{
	const struct session *s = &result->session;
	struct text_column columns[TIME_COLUMNS] = {[TIME_VALUE] = {.width = 18, .right = true, .fixed = true},
						    [TIME_WHAT] = {24, .gap = 1, .fixed = report->width < RANGES_LEAST},
						    [TIME_ERROR] = {.gap = 2, .folds = true},
						    [TIME_RANGE] = {.gap = 2, .folds = true}};
	struct text_table t = report_new_table(report, columns, TIME_COLUMNS, 0, TIME_FOLD);

	if (!session_is_of_times_only(s)) /* rows are above */
		report->page->gap(report);
	add_elapsed(&t, report, find_clock(result, CLOCK_DURATION),
		    (double)(s->wall_ns ? s->wall_ns : s->elapsed_ns) / 1e9);
	if (s->has_usage) {
		text_table_line(&t);
		add_time(&t, report, find_clock(result, CLOCK_USER), (double)s->user_ns / 1e9, 9, "seconds user");
		add_time(&t, report, find_clock(result, CLOCK_SYSTEM), (double)s->system_ns / 1e9, 9, "seconds sys");
		text_table_line(&t);
		add_time(&t, report, find_clock(result, CLOCK_MAX_RSS), (double)s->max_rss / 1e6, 1,
			 s->max_rss_is_bound ? "MB maximum resident set (upper bound)" : "MB maximum resident set");
	}
	add_tree_peak(&t, report, result);
	report->page->list(report, &t, false);
	text_table_free(&t);
}

void report_put_notes(struct report *report, const struct result *result)
{
	auto_strings struct strings notes = {0};

	report_list_notes(report, result, &notes);
	if (!notes.n)
		return;
	report->page->gap(report);
	report->page->notes(report, result, &notes);
}
