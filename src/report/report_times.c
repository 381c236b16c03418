/* Below the table for people: the times of the whole; and what its rows say of repeated runs. */
#include <string.h>

#include "report/report_internal.h"

#define FIGURE_WIDTH 18

/* The row over all runs that a figure is of; NULL: a single run, or a figure that is not known. */
static const struct row *find_clock(const struct result *result, const char *name)
{
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row->kind == ROW_COUNT && row->scope == AGGR_TOTAL && row->run == 0 && row->n > 1 &&
		    row->command == 1 && strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

static void put_figure(struct report *report, double value, int decimals, const char *what, const struct row *row)
{
	const struct number_style *style = report_style(report);
	char buf[NUMBER_MAX];
	size_t width;

	number_real(buf, style, value, decimals);
	width = number_width(style, buf);
	fprintf(report->out, "%*s%s ", (int)(width < FIGURE_WIDTH ? FIGURE_WIDTH - width : 0), "", buf);
	if (row && isfinite(row->error) && value_real(row->value) != 0) {
		number_real(buf, style, 100 * row->error / value_real(row->value), 2);
		fprintf(report->out, "%-24s %s %s%%\n", what, report_plus_minus(report), buf);
	} else {
		fprintf(report->out, "%s\n", what);
	}
}

void report_put_times(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;

	putc('\n', report->out);
	put_figure(report, (double)session->elapsed_ns / 1e9, 9, "seconds time elapsed",
		   find_clock(result, "duration_time"));
	if (!session->has_usage)
		return;
	putc('\n', report->out);
	put_figure(report, (double)session->user_ns / 1e9, 9, "seconds user", find_clock(result, "user_time"));
	put_figure(report, (double)session->system_ns / 1e9, 9, "seconds sys", find_clock(result, "system_time"));
	putc('\n', report->out);
	put_figure(report, (double)session->max_rss / 1e6, 1, "MB maximum resident set", find_clock(result, "max_rss"));
}

/* A figure in the unit that the row's value is shown in. */
static const char *figure_text(char buf[NUMBER_MAX], struct report *report, const struct row *row, double figure)
{
	struct row like = *row;
	struct count_text text;

	like.value = (struct value){.type = VALUE_REAL, .real = figure};
	text = report_count_text(&like);
	return number_real(buf, report_style(report), text.real,
			   text.decimals ? text.decimals : !number_is_whole(figure));
}

char *report_spread_text(struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], median[NUMBER_MAX], max[NUMBER_MAX], stddev[NUMBER_MAX];

	if (!report->options.verbose || row->n < 2)
		return NULL;
	return xasprintf("%u runs: min %s, median %s, max %s, standard deviation %s", row->n,
			 figure_text(min, report, row, row->min), figure_text(median, report, row, row->median),
			 figure_text(max, report, row, row->max), figure_text(stddev, report, row, row->stddev));
}
