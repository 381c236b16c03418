/* --openmetrics: for Prometheus, whose node exporter reads it from a file (textfile collector). A document contains the
 * totals of all counts since the start, and the values of the last interval.
 *
 * The text is valid in Prometheus's format and in OpenMetrics, with one exception: in OpenMetrics, TYPE and HELP name a
 * counter without the _total of its samples. With such names, readers of Prometheus's format, such as the textfile
 * collector, would see two metrics, one without a type; Prometheus's reader of OpenMetrics accepts both. # EOF is a
 * comment in Prometheus's format, and the end in OpenMetrics. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/text.h"
#include "report/formats/openmetrics.h"
#include "rows/totals.h"

#define TASKS_MOST 100 /* without --top */

/* ---- families ---- */

/* Prometheus wants seconds, bytes and the like, with the name of the unit in the family's. Other units are labels. */
struct base_unit {
	const char *unit, *base;
	double factor, divisor; /* only one of them is not 1: value / 1e9 is exact where value * 1e-9 is not */
};

static const struct base_unit base_units[] = {
	{"ns", "seconds", 1, 1e9},   {"B", "bytes", 1, 1},    {"KiB", "bytes", 0x1p10, 1}, {"MiB", "bytes", 0x1p20, 1},
	{"GiB", "bytes", 0x1p30, 1}, {"MB", "bytes", 1e6, 1}, {"Joules", "joules", 1, 1},  {"GHz", "hertz", 1e9, 1},
};

static const struct base_unit *base_of(const struct total *t)
{
	static const struct base_unit none = {NULL, NULL, 1, 1};

	for (size_t i = 0; i < ARRAY_SIZE(base_units) && *t->unit; i++)
		if (strcmp(t->unit, base_units[i].unit) == 0)
			return &base_units[i];
	return &none;
}

static const char *in_base_unit(const struct total *t, double value, char buf[NUMBER_MAX])
{
	return number_exact(buf, value * base_of(t)->factor / base_of(t)->divisor);
}

/* The value of a family for an event or metric, or NULL. */
static const char *total_count(const struct total *t, char buf[NUMBER_MAX])
{
	if (!t->was_counted)
		return NULL;
	return base_of(t)->base ? in_base_unit(t, (double)t->sum.value * t->event->scale, buf)
				: number_u64(buf, t->sum.value);
}

static const char *total_enabled(const struct total *t, char buf[NUMBER_MAX])
{
	return t->was_counted ? number_exact(buf, (double)t->sum.enabled / 1e9) : NULL;
}

static const char *total_running(const struct total *t, char buf[NUMBER_MAX])
{
	return t->was_counted ? number_exact(buf, (double)t->sum.running / 1e9) : NULL;
}

static const char *total_value(const struct total *t, char buf[NUMBER_MAX])
{
	if (!t->is_current || t->value.type == VALUE_NONE)
		return NULL;
	return t->value.type == VALUE_COUNT && !base_of(t)->base ? number_u64(buf, t->value.count)
								 : in_base_unit(t, value_real(t->value), buf);
}

static const char *total_error(const struct total *t, char buf[NUMBER_MAX])
{
	return t->is_current && isfinite(t->error) ? in_base_unit(t, t->error, buf) : NULL;
}

static const char *total_status(const struct total *t, char buf[NUMBER_MAX])
{
	return t->is_current ? number_u64(buf, 1) : NULL;
}

static const char *total_threshold(const struct total *t, char buf[NUMBER_MAX])
{
	if (!t->is_current || t->threshold == THRESHOLD_NONE)
		return NULL;
	return number_u64(buf, t->threshold == THRESHOLD_BEYOND);
}

struct family {
	enum item_kind kind;
	const char *name, *type, *help;
	const char *(*value)(const struct total *t, char buf[NUMBER_MAX]);
	enum { LABELS_COMMON, LABELS_UNIT, LABELS_STATUS } labels;
	const char
		*of_base; /* the name before that of a base unit; NULL: values without a unit, or always in seconds */
};

static const struct family families[] = {
	{ITEM_COUNT, "pfmstat_events_total", "counter",
	 "Events counted since the start, as read, never extrapolated, without the PMU's scale.", total_count,
	 LABELS_COMMON, "pfmstat_event_"},
	{ITEM_COUNT, "pfmstat_event_enabled_seconds_total", "counter", "Time for which the event was enabled.",
	 total_enabled, LABELS_COMMON, NULL},
	{ITEM_COUNT, "pfmstat_event_running_seconds_total", "counter", "Time for which the event was on a counter.",
	 total_running, LABELS_COMMON, NULL},
	{ITEM_COUNT, "pfmstat_event_value", "gauge",
	 "Count of the last interval, extrapolated if the event was on a counter for part of it.", total_value,
	 LABELS_UNIT, "pfmstat_event_value_"},
	{ITEM_COUNT, "pfmstat_event_error", "gauge", "Half-width of the 95% confidence interval of the value.",
	 total_error, LABELS_UNIT, "pfmstat_event_error_"},
	{ITEM_COUNT, "pfmstat_event_status", "gauge", "How far the value can be trusted, or why it is missing.",
	 total_status, LABELS_STATUS, NULL},
	{ITEM_METRIC, "pfmstat_metric_value", "gauge", "Metric of the last interval.", total_value, LABELS_UNIT,
	 "pfmstat_metric_value_"},
	{ITEM_METRIC, "pfmstat_metric_error", "gauge", "Half-width of the 95% confidence interval of the metric.",
	 total_error, LABELS_UNIT, "pfmstat_metric_error_"},
	{ITEM_METRIC, "pfmstat_metric_status", "gauge", "How far the metric can be trusted, or why it is missing.",
	 total_status, LABELS_STATUS, NULL},
	{ITEM_METRIC, "pfmstat_metric_beyond_threshold", "gauge", "1: the metric is beyond its threshold.",
	 total_threshold, LABELS_COMMON, NULL},
};

/* True if it is no counter: a peak, or the whole, with which everything would be counted twice. The times of tool
 * events exist only for the whole. */
static bool does_not_add_up(const struct session *session, const struct total_subject *s, const struct total *t)
{
	if (t->event && t->event->tool == TOOL_TREE_RSS)
		return true;
	return session->by_task && s->scope == AGGR_TOTAL && t->kind == ITEM_COUNT &&
	       (!t->event || t->event->tool == TOOL_NONE);
}

static void put_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_further_labels(const struct report *report, const struct family *f, const struct total *t)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (f->labels == LABELS_UNIT && !base_of(t)->base)
		openmetrics_put_label(report, out, "unit", t->unit);
	if (f->labels == LABELS_STATUS) {
		openmetrics_put_label(report, out, "status", status_name(t->status));
		openmetrics_put_label(report, out, "reason", t->reason);
	}
	fclose(out);
	fprintf(report->out, "%s%s", *text ? "," : "", text);
}

/* True if the total has a series in the family of this base unit, or of none. */
static bool is_in_family(const struct session *session, const struct family *f, const char *base,
			 const struct total_subject *s, const struct total *t)
{
	const char *own = f->of_base ? base_of(t)->base : NULL;

	return t->kind == f->kind && (own && base ? strcmp(own, base) == 0 : own == base) &&
	       !(strcmp(f->type, "counter") == 0 && does_not_add_up(session, s, t));
}

static void put_family(struct report *report, const struct session *session, const struct family *f, const char *base)
{
	const struct totals *totals = report->state;
	const char *end = strcmp(f->type, "counter") == 0 ? "_total" : "";
	auto_free char *name = base ? xasprintf("%s%s%s", f->of_base, base, end) : xstrdup(f->name);
	const char *type = f->type; /* until it is written */

	for (size_t i = 0; i < totals->n; i++) {
		const struct total_subject *s = totals->subjects[i];

		for (size_t k = 0; k < s->n; k++) {
			const struct total *t = &s->totals[k];
			char buf[NUMBER_MAX];
			const char *value = is_in_family(session, f, base, s, t) ? f->value(t, buf) : NULL;

			if (!value)
				continue;
			auto_free char *labels = openmetrics_total_labels(report, session, s, t);

			if (type)
				put_head(report->out, name, type, f->help);
			type = NULL;
			fprintf(report->out, "%s{%s", name, labels);
			put_further_labels(report, f, t);
			fprintf(report->out, "} %s\n", value);
		}
	}
}

/* Finds the base units of all totals, each once. */
static size_t find_bases(const struct totals *totals, const char *bases[ARRAY_SIZE(base_units)])
{
	size_t n = 0;

	for (size_t i = 0; i < totals->n; i++)
		for (size_t k = 0; k < totals->subjects[i]->n; k++) {
			const char *base = base_of(&totals->subjects[i]->totals[k])->base;
			size_t b = 0;

			while (b < n && base && strcmp(bases[b], base) != 0)
				b++;
			if (base && b == n)
				bases[n++] = base;
		}
	return n;
}

static void put_families(struct report *report, const struct session *session)
{
	const char *bases[ARRAY_SIZE(base_units)];
	size_t n = find_bases(report->state, bases);

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		const struct family *f = &families[i];

		if (f->kind == ITEM_COUNT && report->options.metric_only)
			continue;
		put_family(report, session, f, NULL);
		for (size_t b = 0; f->of_base && b < n; b++)
			put_family(report, session, f, bases[b]);
	}
}

/* ---- the run ---- */

/* Writes a family of one series, about the run. */
static void put_run_value(struct report *report, const struct session *session, const char *name, const char *type,
			  const char *help, const char *value)
{
	auto_free char *labels = NULL;
	size_t size;
	FILE *out = xopen_memstream(&labels, &size);

	openmetrics_put_run_label(report, out, session);
	fclose(out);
	put_head(report->out, name, type, help);
	fprintf(report->out, *labels ? "%s{%s} %s\n" : "%s%s %s\n", name, labels, value);
}

static void put_seconds(struct report *report, const struct session *session, const char *name, const char *type,
			const char *help, uint64_t ns)
{
	char buf[NUMBER_MAX];

	put_run_value(report, session, name, type, help, number_exact(buf, (double)ns / 1e9));
}

/* Writes values that are known after the command has ended. */
static void put_end(struct report *report, const struct session *s)
{
	int status = WIFSIGNALED(s->wait_status) ? 128 + WTERMSIG(s->wait_status) : WEXITSTATUS(s->wait_status);
	char buf[NUMBER_MAX];

	if (!s->has_usage)
		return;
	put_seconds(report, s, "pfmstat_user_seconds", "gauge", "User time of the command; of a run, on average.",
		    s->user_ns);
	put_seconds(report, s, "pfmstat_system_seconds", "gauge", "System time of the command; of a run, on average.",
		    s->system_ns);
	if (s->max_rss && !s->max_rss_is_bound)
		put_run_value(report, s, "pfmstat_max_rss_bytes", "gauge",
			      "Peak memory of the command; of a run, on average.", number_u64(buf, s->max_rss));
	if (s->tree_rss)
		put_run_value(report, s, "pfmstat_tree_rss_bytes", "gauge",
			      "Sum of the peak memory of all processes; of a run, on average.",
			      number_u64(buf, s->tree_rss));
	put_run_value(report, s, "pfmstat_exit_status", "gauge",
		      "Exit status of the command; 128+N: signal N killed it.", number_u64(buf, (uint64_t)status));
}

static void put_document(struct report *report, const struct result *result, bool last)
{
	const struct session *s = &result->session;
	const struct totals *totals = report->state;
	char buf[NUMBER_MAX];

	put_families(report, s);
	put_seconds(report, s, "pfmstat_counting_seconds_total", "counter", "Time for which counting was on.",
		    totals->elapsed_ns);
	put_seconds(report, s, "pfmstat_interval_seconds", "gauge",
		    "Length of the last interval, to which the values apply.", totals->last_ns);
	put_run_value(report, s, "pfmstat_start_time_seconds", "gauge",
		      "Start of the measurement, in seconds since the Unix epoch.",
		      number_exact(buf, totals->start_time));
	put_run_value(report, s, "pfmstat_ended", "gauge", "1: the measurement has ended.", last ? "1" : "0");
	if (last)
		put_end(report, s);
	fputs("# EOF\n", report->out);
}

static void openmetrics_rows(struct report *report, const struct result *result)
{
	struct totals *totals = report->state;

	totals->most = report->options.top ? report->options.top : TASKS_MOST;
	totals_add(totals, result);
}

static void openmetrics_rows_end(struct report *report, const struct result *result)
{
	put_document(report, result, false);
}

static void openmetrics_end(struct report *report, const struct result *result)
{
	put_document(report, result, true);
}

static void openmetrics_free(void *state)
{
	totals_free(state);
}

const struct report_ops report_openmetrics_ops = {.rows = openmetrics_rows,
						  .rows_end = openmetrics_rows_end,
						  .end = openmetrics_end,
						  .state_size = sizeof(struct totals),
						  .free = openmetrics_free,
						  .need = REPORT_NEEDS_ALL_TASKS,
						  .replaces = true};
