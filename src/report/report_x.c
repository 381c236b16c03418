/* -x SEP: the columns of perf stat -x, for programs that parse them:
 *
 *   [time,|summary,][id,[count,]]value,unit,event[,cgroup][,sem%],run_ns,running%,metric,metric_unit
 *
 * A line for each event that was asked for; its further metrics have lines of their own with the other columns empty.
 * The running share of an event that was not counted is 0.00; perf says 100.00. A field that contains the separator, a
 * quote or a newline is quoted. */
#include <string.h>

#include "report/report_internal.h"

static void put_next(struct report *report, const char *text)
{
	fputs(report->separator, report->out);
	report_put_field(report, text);
}

/* Columns before the value, each with the separator after it. */
static void put_place(struct report *report, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);
	char buf[NUMBER_MAX];

	if (!isnan(row->time)) {
		report_put_field(report, number_fixed(buf, row->time, 9));
		fputs(report->separator, report->out);
		report->intervals_seen = true;
	} else if (report->intervals_seen && !report->options.plain_summary) {
		fprintf(report->out, "summary%s", report->separator);
	}
	if (!subject)
		return;
	report_put_field(report, subject);
	fputs(report->separator, report->out);
	if (row->scope_count || row->scope == AGGR_COMM) {
		report_put_field(report, number_u64(buf, row->scope_count));
		fputs(report->separator, report->out);
	}
}

/* There is no column to say in that a count is a lower bound, that a probe was counted in the first thread only, or
 * that a cgroup was removed. */
static bool has_value(const struct row *row)
{
	return status_has_value(row->status) && row->status != STATUS_PARTIAL && !row->removed &&
	       !(row->event && row->event->not_inherited);
}

static void put_value(struct report *report, const struct row *row)
{
	struct count_text text = report_count_text(row);
	char buf[NUMBER_MAX];

	if (text.mean) /* scripts expect whole numbers there */
		text.decimals = 0;
	if (row->status == STATUS_UNSUPPORTED || row->status == STATUS_DENIED)
		report_put_field(report, "<not supported>");
	else if (!has_value(row))
		report_put_field(report, "<not counted>");
	else
		report_put_field(report, report_number(buf, NULL, &text));
	put_next(report, text.unit);
}

static void put_spread(struct report *report, const struct row *row)
{
	char buf[NUMBER_MAX];

	strcat(number_fixed(buf, has_value(row) ? report_relative_error(row) : 0, 2), "%");
	put_next(report, buf);
}

static void put_running(struct report *report, const struct row *row)
{
	struct report_running running = has_value(row) ? report_running(row) : (struct report_running){0};
	char buf[NUMBER_MAX];

	put_next(report, number_u64(buf, running.ns));
	put_next(report, number_fixed(buf, running.share, 2));
}

static void put_metric(struct report *report, const struct row *row)
{
	if (row) {
		struct metric_text text = report_metric_text(row);
		auto_free char *label = report_metric_label(&text);
		char buf[NUMBER_MAX];

		put_next(report, report_metric_number(buf, NULL, &text));
		put_next(report, label);
	} else {
		put_next(report, "");
		put_next(report, "");
	}
	putc('\n', report->out);
}

/* If cgroups are counted, every line has their column, empty for an event of all tasks. */
static bool has_cgroups(const struct result *result)
{
	for (size_t i = 0; i < result->n; i++)
		if (*result->rows[i].cgroup)
			return true;
	return false;
}

static void put_count(struct report *report, const struct result *result, const size_t *follow, bool cgroups, size_t i)
{
	const struct row *row = &result->rows[i];
	bool spread = report_has_spread(result, row);
	size_t metric = has_value(row) ? follow[i] : SIZE_MAX;
	auto_free char *name = report_name_text(row);
	const struct row place = report_perf_place(result, row);

	put_place(report, &place);
	put_value(report, row);
	put_next(report, name);
	if (cgroups)
		put_next(report, row->cgroup);
	if (spread)
		put_spread(report, row);
	put_running(report, row);
	put_metric(report, metric == SIZE_MAX ? NULL : &result->rows[metric]);
	while (metric != SIZE_MAX && (metric = follow[metric]) != SIZE_MAX) {
		put_place(report, &place);
		/* put_metric writes one more */
		for (int column = 1; column < 5 + cgroups + spread; column++)
			fputs(report->separator, report->out);
		put_metric(report, &result->rows[metric]);
	}
}

static void x_rows(struct report *report, const struct result *result)
{
	const size_t *follow = report_link_metrics(report, result);
	bool cgroups = has_cgroups(result);

	for (size_t i = 0; i < result->n; i++)
		if (report_is_of_perf(result, &result->rows[i]))
			put_count(report, result, follow, cgroups, i);
}

const struct report_ops report_x_ops = {.start = report_put_started, .rows = x_rows};
