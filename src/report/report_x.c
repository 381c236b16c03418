/* -x SEP: perf stat's columns, for parsers that were made for it:
 *
 *   [time,|summary,][id,[count,]]value,unit,event[,cgroup][,sem%],run_ns,running%,metric,metric_unit
 *
 * A row for each event that was asked for; its further metrics on lines of their own with the columns before empty. The
 * running share of an event that was not counted is 0.00, where perf says 100.00. A field that holds the separator, a
 * quote or a line's end is quoted. */
#include <string.h>

#include "report/report_internal.h"

static void put_next(struct report *report, const char *text)
{
	fputs(report->separator, report->out);
	report_put_field(report, text);
}

/* Columns before the value, each with the separator behind it. */
static void put_place(struct report *report, const struct row *row)
{
	auto_free char *id = NULL;
	char buf[NUMBER_MAX];

	if (!isnan(row->time)) {
		report_put_field(report, number_fixed(buf, row->time, 9));
		fputs(report->separator, report->out);
		report->intervals_seen = true;
	} else if (report->intervals_seen && !report->options.plain_summary) {
		fprintf(report->out, "summary%s", report->separator);
	}
	if (row->scope == AGGR_TOTAL || row->scope == AGGR_CGROUP)
		return;
	if (row->scope == AGGR_CPU)
		id = xasprintf("CPU%s", row->scope_id);
	else if (row->pid && row->comm && (row->scope == AGGR_THREAD || row->scope == AGGR_PROCESS))
		id = xasprintf("%s-%s", row->comm, row->scope_id);
	else
		id = xstrdup(row->scope_id);
	report_put_field(report, id);
	fputs(report->separator, report->out);
	if (row->scope_count) {
		report_put_field(report, number_u64(buf, row->scope_count));
		fputs(report->separator, report->out);
	}
}

static bool has_spread(const struct result *result, const struct row *row)
{
	return row->n > 0 || (result->session.runs > 1 && row->run == 0 && isnan(row->time));
}

static void put_value(struct report *report, const struct row *row)
{
	struct count_text text = report_count_text(row);
	char buf[NUMBER_MAX];

	if (row->status == STATUS_UNSUPPORTED || row->status == STATUS_DENIED)
		report_put_field(report, "<not supported>");
	else if (!status_has_value(row->status))
		report_put_field(report, "<not counted>");
	else if (text.whole) {
		report_put_field(report, number_u64(buf, text.count));
	} else {
		report_put_field(report, number_fixed(buf, text.real, text.decimals));
	}
	put_next(report, text.unit);
}

/* perf's "stddev" is the standard error of the mean, in per cent of it. */
static void put_spread(struct report *report, const struct row *row)
{
	double mean = value_real(row->value), share = 0;
	char buf[NUMBER_MAX];

	if (status_has_value(row->status) && row->n > 0 && isfinite(row->stddev) && mean != 0)
		share = 100 * row->stddev / sqrt(row->n) / fabs(mean);
	strcat(number_fixed(buf, share, 2), "%");
	put_next(report, buf);
}

static void put_running(struct report *report, const struct row *row)
{
	bool counted = status_has_value(row->status);
	uint64_t running = 0;
	double share = counted ? 100 : 0;
	char buf[NUMBER_MAX];

	if (counted && row->has_raw) {
		running = row->raw.running;
		share = report_running_share(row->raw);
	} else if (counted && strcmp(row->unit, "ns") == 0) { /* the program's own clocks: the time is the value */
		running = row->value.type == VALUE_COUNT ? row->value.count : (uint64_t)(value_real(row->value) + 0.5);
	}
	put_next(report, number_u64(buf, running));
	put_next(report, number_fixed(buf, share, 2));
}

static void put_metric(struct report *report, const struct row *row)
{
	struct metric_text text;
	auto_free char *label = NULL;
	char buf[NUMBER_MAX];

	if (!row) {
		fputs(report->separator, report->out);
		fputs(report->separator, report->out);
		putc('\n', report->out);
		return;
	}
	text = report_metric_text(row);
	label = *text.prefix ? xasprintf("%s%s", text.prefix, text.label) : NULL;
	put_next(report, number_fixed(buf, text.value, text.decimals));
	put_next(report, label ? label : text.label);
	putc('\n', report->out);
}

/* Where cgroups are counted every row has their column, empty for an event of all tasks. */
static bool has_cgroups(const struct result *result)
{
	for (size_t i = 0; i < result->n; i++)
		if (*result->rows[i].cgroup)
			return true;
	return false;
}

/* What the rows are made from. */
struct x_rows {
	const struct result *result;
	const size_t *follow;
	bool cgroups;
};

static void put_count(struct report *report, const struct x_rows *rows, size_t i)
{
	const struct row *row = &rows->result->rows[i];
	bool spread = has_spread(rows->result, row);
	const size_t *follow = rows->follow;

	put_place(report, row);
	put_value(report, row);
	put_next(report, row->name);
	if (rows->cgroups)
		put_next(report, row->cgroup);
	if (spread)
		put_spread(report, row);
	put_running(report, row);
	put_metric(report, follow[i] == SIZE_MAX ? NULL : &rows->result->rows[follow[i]]);
	if (follow[i] == SIZE_MAX)
		return;
	for (size_t m = follow[follow[i]]; m != SIZE_MAX; m = follow[m]) {
		put_place(report, row);
		/* the metric brings a separator along */
		for (int column = 1; column < 5 + rows->cgroups + spread; column++)
			fputs(report->separator, report->out);
		put_metric(report, &rows->result->rows[m]);
	}
}

static void x_rows(struct report *report, const struct result *result)
{
	const struct x_rows rows = {result, report_link_metrics(report, result), has_cgroups(result)};

	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].kind == ROW_COUNT && result->rows[i].counted_event && !result->rows[i].run)
			put_count(report, &rows, i);
}

const struct report_ops report_x_ops = {.rows = x_rows};
