/* The formats of perf stat, for programs that parse them: a line or object for each event that the user named, and
 * additional ones for its further metrics. */
#include <string.h>

#include "lib/json.h"
#include "lib/text.h"
#include "report/report_internal.h"

/* ---- common code ---- */

/* As in perf, a program that adds up the rows of an event on several core PMUs gets its count, not twice its count. */
static bool shows_event(const struct report *report, const struct event *event)
{
	return report->options.hybrid_merge ? event->parent < 0 : !event->parts || event->instances;
}

/* True if these formats show the row. With -r 0 they show the rows of each run, otherwise the rows over all runs. They
 * do not show the total of an event with rows of threads. */
static bool is_of_perf(const struct report *report, const struct result *result, const struct row *row)
{
	bool threads = false;

	if (row->item->kind != ITEM_COUNT || !row->item->counted || (row->run > 0) != report->options.each_run)
		return false;
	if (row->item->event && !shows_event(report, row->item->event))
		return false;
	if (row->subject->scope != AGGR_TOTAL || (row->item->event && row->item->event->tool != TOOL_NONE))
		return true;
	for (size_t i = 0; i < result->n && !threads; i++)
		threads = result->rows[i].item->event == row->item->event &&
			  result->rows[i].subject->scope == AGGR_THREAD;
	return !threads;
}

/* Copies the row with the subject that these formats show: a clock of the whole gets the subject of the first row, as
 * in perf. */
static struct row perf_place(const struct report *report, const struct result *result, const struct row *row)
{
	struct row place = *row;

	if (row->subject->scope != AGGR_TOTAL || !row->item->event || row->item->event->tool == TOOL_NONE)
		return place;
	for (size_t i = 0; i < result->n; i++) {
		const struct row *first = &result->rows[i];

		if (!is_of_perf(report, result, first) || (first->item->event && first->item->event->tool != TOOL_NONE))
			continue;
		row_copy_subject(&place, first);
		place.scope_count = first->scope_count ? 1 : 0;
		break;
	}
	return place;
}

/* False if the value needs a remark for which these formats have no place: a lower bound, a probe counted in the first
 * thread only, a removed cgroup. */
static bool has_value(const struct row *row)
{
	return status_has_value(row->status) && row->status != STATUS_PARTIAL &&
	       !(row->status == STATUS_IDLE && row->subject->removed) &&
	       !(row->item->event && row->item->event->not_inherited);
}

/* The time on a counter, and its share in per cent. */
struct running {
	uint64_t ns;
	double share;
};

static struct running running_of(const struct row *row)
{
	bool counted = has_value(row);
	struct running running = {.share = counted ? 100 : 0};

	if (counted && row->has_raw)
		running = (struct running){row->raw.running, report_running_share(row->raw)};
	else if (counted && row_is_time(row)) /* a clock of pfmstat: the value is its time */
		running.ns =
			row->value.type == VALUE_COUNT ? row->value.count : (uint64_t)(value_real(row->value) + 0.5);
	return running;
}

/* True if there is a column for the spread. perf's "stddev" or "variance" is the standard error of the mean, in per
 * cent. */
static bool has_spread(const struct result *result, const struct row *row)
{
	return result->session.runs > 1 && row->run == 0 && isnan(row->time);
}

/* ---- -x SEP ----
 *
 *   [time,|summary,][id,[count,]]value,unit,event[,cgroup][,sem%],run_ns,running%,metric,metric_unit
 *
 * In the lines of further metrics the other columns are empty. The running share of an event that was not counted is
 * 0.00; in perf it is 100.00. A field that contains the separator, a quote or a newline is quoted. */

struct x_state {
	bool intervals_seen; /* rows of intervals have been written */
};

static void put_next(struct report *report, const char *text)
{
	fputs(report->separator, report->out);
	report_put_field(report, text);
}

/* Writes the columns before the value, each with a separator after it. */
static void x_put_place(struct report *report, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);
	struct x_state *state = report->state;
	char buf[NUMBER_MAX];

	if (!isnan(row->time)) {
		report_put_field(report, number_fixed(buf, row->time, 9));
		fputs(report->separator, report->out);
		state->intervals_seen = true;
	} else if (state->intervals_seen && !report->options.plain_summary) {
		fprintf(report->out, "summary%s", report->separator);
	}
	if (!subject)
		return;
	report_put_field(report, subject);
	fputs(report->separator, report->out);
	if (row->scope_count || row->subject->scope == AGGR_COMM) {
		report_put_field(report, number_u64(buf, row->scope_count));
		fputs(report->separator, report->out);
	}
}

static void x_put_value(struct report *report, const struct row *row)
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

static void x_put_spread(struct report *report, const struct row *row)
{
	char buf[NUMBER_MAX];

	strcat(number_fixed(buf, has_value(row) ? report_relative_error(row) : 0, 2), "%");
	put_next(report, buf);
}

static void x_put_running(struct report *report, const struct row *row)
{
	struct running running = running_of(row);
	char buf[NUMBER_MAX];

	put_next(report, number_u64(buf, running.ns));
	put_next(report, number_fixed(buf, running.share, 2));
}

static void x_put_metric(struct report *report, const struct row *row)
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
		if (*result->rows[i].subject->cgroup)
			return true;
	return false;
}

static void x_put_count(struct report *report, const struct result *result, const size_t *follow, bool cgroups,
			size_t i)
{
	const struct row *row = &result->rows[i];
	bool spread = has_spread(result, row);
	size_t metric = has_value(row) ? follow[i] : SIZE_MAX;
	auto_free char *name = report_name_text(row);
	const struct row place = perf_place(report, result, row);

	x_put_place(report, &place);
	x_put_value(report, row);
	put_next(report, name);
	if (cgroups)
		put_next(report, row->subject->cgroup);
	if (spread)
		x_put_spread(report, row);
	x_put_running(report, row);
	x_put_metric(report, metric == SIZE_MAX ? NULL : &result->rows[metric]);
	while (metric != SIZE_MAX && (metric = follow[metric]) != SIZE_MAX) {
		x_put_place(report, &place);
		/* x_put_metric writes one more */
		for (int column = 1; column < 5 + cgroups + spread; column++)
			fputs(report->separator, report->out);
		x_put_metric(report, &result->rows[metric]);
	}
}

static void x_rows(struct report *report, const struct result *result)
{
	auto_free size_t *follow = report_link_metrics(report, result, shows_event);
	bool cgroups = has_cgroups(result);

	for (size_t i = 0; i < result->n; i++)
		if (is_of_perf(report, result, &result->rows[i]))
			x_put_count(report, result, follow, cgroups, i);
}

const struct report_ops report_x_ops = {.start = report_put_started,
					.rows = x_rows,
					.state_size = sizeof(struct x_state),
					.columns = &report_columns_x_ops};

/* ---- -j ----
 *
 * The keys of perf since Linux 6.13, in perf's order and of perf's types (numbers are strings in some of them):
 *
 *   interval, cpu|core|…|thread, counters, counter-value, unit, event, cgroup, variance, event-runtime, pcnt-running,
 *   metric-value, metric-unit, metric-threshold
 *
 * Further metrics have the last keys only. Older versions of perf have aggregate-number instead of counters, and a
 * metric of 0 without a unit for an event without a metric. No public program is known that reads either. */

static void json_put_fixed(struct json *j, const char *key, double value, int decimals)
{
	char buf[NUMBER_MAX];

	json_string(j, key, number_fixed(buf, value, decimals));
}

void report_put_json_place(struct json *j, const struct row *row)
{
	auto_free char *subject = report_subject_text(row);

	if (!isnan(row->time))
		json_fixed(j, "interval", row->time, 9);
	if (!subject)
		return;
	json_string(j, aggr_mode_name(row->subject->scope),
		    row->subject->scope == AGGR_CPU ? row->subject->id : subject);
	if (row->scope_count || row->subject->scope == AGGR_COMM)
		json_u64(j, "counters", row->scope_count);
}

static void json_put_value(struct json *j, const struct row *row)
{
	struct count_text text = report_count_text(row);
	auto_free char *count = NULL;
	char buf[NUMBER_MAX];

	if (row->status == STATUS_UNSUPPORTED || row->status == STATUS_DENIED) {
		json_string(j, "counter-value", "<not supported>");
	} else if (!has_value(row)) {
		json_string(j, "counter-value", "<not counted>");
	} else if (text.whole) { /* all its digits, also above 2^53 */
		count = xasprintf("%s.000000", number_u64(buf, text.count));
		json_string(j, "counter-value", count);
	} else {
		json_put_fixed(j, "counter-value", text.real, 6);
	}
	json_string(j, "unit", text.unit);
}

static void json_put_metric(struct json *j, const struct row *row)
{
	struct metric_text text = report_metric_text(row);
	auto_free char *unit = report_metric_label(&text);

	if (isnan(text.value))
		json_string(j, "metric-value", "nan");
	else
		json_put_fixed(j, "metric-value", text.value, text.decimals < 0 && fabs(text.value) < 1 ? -6 : 6);
	json_string(j, "metric-unit", unit);
	if (row->threshold != THRESHOLD_NONE && !isnan(text.value))
		json_string(j, "metric-threshold", row->threshold == THRESHOLD_BEYOND ? "bad" : "good");
}

static void json_end_line(struct json *j)
{
	json_object_end(j);
	json_newline(j);
}

static void json_put_count(struct report *report, const struct result *result, const size_t *follow, size_t i)
{
	const struct row *row = &result->rows[i];
	struct json j = {.out = report->out, .spaced = true};
	struct running running = running_of(row);
	size_t metric = has_value(row) ? follow[i] : SIZE_MAX;
	auto_free char *name = report_name_text(row);
	const struct row place = perf_place(report, result, row);

	json_object_begin(&j, NULL);
	report_put_json_place(&j, &place);
	json_put_value(&j, row);
	json_string(&j, "event", name);
	if (*row->subject->cgroup)
		json_string(&j, "cgroup", row->subject->cgroup);
	if (has_spread(result, row))
		json_fixed(&j, "variance", has_value(row) ? report_relative_error(row) : 0, 2);
	json_u64(&j, "event-runtime", running.ns);
	json_fixed(&j, "pcnt-running", running.share, 2);
	if (metric != SIZE_MAX)
		json_put_metric(&j, &result->rows[metric]);
	json_end_line(&j);
	while (metric != SIZE_MAX && (metric = follow[metric]) != SIZE_MAX) {
		json_object_begin(&j, NULL);
		report_put_json_place(&j, &place);
		json_put_metric(&j, &result->rows[metric]);
		json_end_line(&j);
	}
}

static void json_rows(struct report *report, const struct result *result)
{
	auto_free size_t *follow = report_link_metrics(report, result, shows_event);

	for (size_t i = 0; i < result->n; i++)
		if (is_of_perf(report, result, &result->rows[i]))
			json_put_count(report, result, follow, i);
}

const struct report_ops report_perf_ops = {.rows = json_rows, .columns = &report_columns_json_ops};
