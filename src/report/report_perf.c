/* -j: the JSON of perf stat, for programs that read it: an object a line for each event that was asked for, with perf's
 * keys in perf's order and of perf's types (numbers are strings in some of them):
 *
 *   interval, cpu|core|…|thread, aggregate-number, counter-value, unit, event, cgroup, variance, event-runtime,
 *   pcnt-running, metric-value, metric-unit
 *
 * Further metrics of an event have lines of their own, with the last two keys. perf 6.1 writes an event without a
 * metric with a metric of 0 and without a unit, and so is it here: some programs take the keys for granted. */
#include <string.h>

#include "lib/json.h"
#include "report/report_internal.h"

static void put_fixed(struct json *j, const char *key, double value, int decimals)
{
	char buf[NUMBER_MAX];

	json_string(j, key, number_fixed(buf, value, decimals));
}

static void put_place(struct json *j, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);

	if (!isnan(row->time))
		json_fixed(j, "interval", row->time, 9);
	if (!subject)
		return;
	json_string(j, aggr_mode_name(row->scope), row->scope == AGGR_CPU ? row->scope_id : subject);
	if (row->scope_count || row->scope == AGGR_COMM)
		json_u64(j, "aggregate-number", row->scope_count);
}

static void put_value(struct json *j, const struct row *row)
{
	struct count_text text = report_count_text(row);
	auto_free char *count = NULL;
	char buf[NUMBER_MAX];

	if (row->status == STATUS_UNSUPPORTED || row->status == STATUS_DENIED) {
		json_string(j, "counter-value", "<not supported>");
	} else if (!status_has_value(row->status) || row->status == STATUS_PARTIAL || row->removed) {
		json_string(j, "counter-value", "<not counted>");
	} else if (text.whole) { /* all its digits, above 2^53, too */
		count = xasprintf("%s.000000", number_u64(buf, text.count));
		json_string(j, "counter-value", count);
	} else {
		put_fixed(j, "counter-value", text.real, 6);
	}
	json_string(j, "unit", text.unit);
}

static void put_metric(struct json *j, const struct row *row)
{
	struct metric_text text = {.prefix = "", .label = "", .unit = ""};
	auto_free char *unit = NULL;

	if (row)
		text = report_metric_text(row);
	unit = report_metric_label(&text);
	if (isnan(text.value))
		json_string(j, "metric-value", "nan");
	else
		put_fixed(j, "metric-value", text.value, text.decimals < 0 && fabs(text.value) < 1 ? -6 : 6);
	json_string(j, "metric-unit", unit);
	json_object_end(j);
	json_newline(j);
}

static void put_count(struct report *report, const struct result *result, const size_t *follow, size_t i)
{
	const struct row *row = &result->rows[i];
	struct json j = {.out = report->out, .spaced = true};
	struct report_running running = report_running(row);
	size_t metric = follow[i];
	auto_free char *name = report_name_text(row);
	const struct row place = report_perf_place(result, row);

	json_object_begin(&j, NULL);
	put_place(&j, &place);
	put_value(&j, row);
	json_string(&j, "event", name);
	if (*row->cgroup)
		json_string(&j, "cgroup", row->cgroup);
	if (report_has_spread(result, row))
		json_fixed(&j, "variance", report_relative_error(row), 2);
	json_u64(&j, "event-runtime", running.ns);
	json_fixed(&j, "pcnt-running", running.share, 2);
	put_metric(&j, metric == SIZE_MAX ? NULL : &result->rows[metric]);
	while (metric != SIZE_MAX && (metric = follow[metric]) != SIZE_MAX) {
		json_object_begin(&j, NULL);
		put_place(&j, &place);
		put_metric(&j, &result->rows[metric]);
	}
}

static void perf_rows(struct report *report, const struct result *result)
{
	const size_t *follow = report_link_metrics(report, result);

	for (size_t i = 0; i < result->n; i++)
		if (report_is_of_perf(result, &result->rows[i]))
			put_count(report, result, follow, i);
}

const struct report_ops report_perf_ops = {.rows = perf_rows};
