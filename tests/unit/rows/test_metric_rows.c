/* Rows of metrics by expression: their errors against values worked out by hand, and why some have no value. */
#include "rows/metric_rows.h"

#include <stdlib.h>

#include "compare/run_stats.h"
#include "metric/metric_set.h"
#include "plan/plan.h"
#include "rows/usual_ratios.h"
#include "tap.h"

struct setting {
	struct vendor_files files;
	struct vendor_events vendor;
	struct event_list list;
	struct metric_set set;
	struct plan plan;
	struct result result;
};

static bool has_event(const struct event *event)
{
	(void)event;
	return true;
}

/* The metrics' events are in one group, unless others are asked for with setting_group. */
static void setting_make(struct setting *s, const char *metrics)
{
	const struct metric_context context = {"-M", &s->list, false, has_event, NULL, false};
	struct error e = {0};

	*s = (struct setting){.list = {.n = 0}};
	s->vendor.files = &s->files;
	s->list.vendor = &s->vendor;
	if (!ok(metric_set_define(&s->set, metrics, &context, &e) == 0 &&
			metric_set_add(&s->set, metrics, &context, &e) == 0,
		metrics))
		printf("# %s\n", e.text);
	plan_init(&s->plan, &s->list);
	s->plan.groups = xcalloc(32, sizeof(*s->plan.groups)); /* each of no pass */
	s->result = (struct result){0};
	s->result.session.plan = &s->plan;
	s->result.session.metrics = &s->set;
}

/* A count of the i-th event, in a group, with the half-width of its interval; NAN: it was counted the whole time. */
static struct row *count(struct setting *s, size_t i, double value, int group, double error)
{
	const struct event *event = &s->plan.events[i];
	struct row *row = result_add(&s->result, &(struct item){.name = event->name, .event = event});

	row->value = (struct value){.type = VALUE_REAL, .real = value};
	row->group = group;
	row->error = error;
	row->status = isnan(error) ? STATUS_EXACT : STATUS_SCALED;
	return row;
}

/* Sets the error of the ratio of the i-th row to the event of another. */
static void set_ratio(struct setting *s, size_t i, size_t event, double error)
{
	double *errors = result_allocate(&s->result, s->plan.n_events * sizeof(*errors));

	for (size_t k = 0; k < s->plan.n_events; k++)
		errors[k] = s->result.rows[i].ratio_errors ? s->result.rows[i].ratio_errors[k] : NAN;
	errors[event] = error;
	s->result.rows[i].ratio_errors = errors;
}

static const struct row *metric(struct setting *s, const char *name)
{
	for (size_t i = 0; i < s->result.n; i++)
		if (s->result.rows[i].item->metric && strcmp(s->result.rows[i].item->name, name) == 0)
			return &s->result.rows[i];
	return NULL;
}

static void setting_free(struct setting *s)
{
	result_free(&s->result);
	plan_free(&s->plan);
	metric_set_free(&s->set);
	event_list_free(&s->list);
	vendor_events_free(&s->vendor);
	vendor_files_free(&s->files);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void is_value(struct setting *s, const char *name, double value, double error, bool approximate)
{
	const struct row *row = metric(s, name);

	if (!ok(row && is_near(value_real(row->value), value) &&
			(isnan(error) ? isnan(row->error) : is_near(row->error, error)) &&
			row->approximate == approximate,
		name) &&
	    row)
		printf("# got %.17g +- %.17g%s\n", value_real(row->value), row->error, row->approximate ? " ~" : "");
}

static void test_exact(void)
{
	struct setting s;

	setting_make(&s, "m=cycles/instructions,twice=2*m");
	count(&s, 0, 600, 1, NAN);
	count(&s, 1, 400, 2, NAN);
	metrics_add(&s.result);
	is_value(&s, "m", 1.5, NAN, false);
	is_value(&s, "twice", 3, NAN, false);
	ok(metric(&s, "m")->status == STATUS_EXACT && metric(&s, "m")->item->beside == s.result.rows[0].item->event,
	   "exact, beside its first event");
	is_number(s.result.n, 4, "events of metrics have no other ratios");
	setting_free(&s);
}

/* In different groups: the parts of independent events. */
static void test_independent(void)
{
	struct setting s;

	setting_make(&s, "sum=cycles+2*instructions,ratio=cycles/instructions,one=cycles");
	count(&s, 0, 600, 1, 30);
	count(&s, 1, 400, 2, 20);
	metrics_add(&s.result);
	is_value(&s, "sum", 1400, sqrt(30 * 30 + 40 * 40), true);
	is_value(&s, "ratio", 1.5, 1.5 * sqrt(0.05 * 0.05 + 0.05 * 0.05), true);
	is_value(&s, "one", 600, 30, false);
	ok(metric(&s, "sum")->status == STATUS_SCALED && strstr(metric(&s, "sum")->reason, "approximate"),
	   "and says so");
	setting_free(&s);
}

/* Exact counts of two runs of the command, of which the first has the elapsed time. */
static void test_passes(void)
{
	static const char metrics[] =
		"m=cycles/instructions,same=cycles/duration_time,other=instructions/duration_time";
	struct setting s;

	setting_make(&s, metrics);
	s.plan.n_groups = 2;
	s.plan.groups[0].pass = 1;
	s.plan.groups[1].pass = 2;
	count(&s, 0, 600, 1, NAN);
	count(&s, 1, 400, 2, NAN);
	count(&s, 2, 1e9, 0, NAN);
	metrics_add(&s.result);
	is_value(&s, "m", 1.5, NAN, true);
	is_number(metric(&s, "m")->status, STATUS_SCALED, "of two runs: not exact");
	is_value(&s, "same", 600, NAN, false);
	is_number(metric(&s, "same")->status, STATUS_EXACT, "of one run: exact");
	is_value(&s, "other", 400, NAN, true);
	is_number(metric(&s, "other")->status, STATUS_SCALED, "of the second run by the first one's time: not exact");
	s.result.n = 0;
	count(&s, 0, 600, 1, 30);
	count(&s, 1, 400, 2, 20);
	metrics_add(&s.result);
	is_value(&s, "m", 1.5, NAN, true); /* the errors of the counts say nothing about the difference of the runs */
	setting_free(&s);
}

/* In one group, with a known error of the ratio: a plain ratio has this error; the covariance changes sums in the other
 * direction. */
static void test_together(void)
{
	/* of relative errors 0.05 and 0.04, and 0.02 of the ratio */
	const double common = (0.05 * 0.05 + 0.04 * 0.04 - 0.02 * 0.02) / 2 * 600 * 400;
	struct setting s;

	setting_make(&s, "ratio=cycles/instructions,sum=cycles+instructions,share=cycles/(cycles+instructions)");
	count(&s, 0, 600, 1, 30);
	count(&s, 1, 400, 1, 16);
	set_ratio(&s, 0, 1, 0.02);
	set_ratio(&s, 1, 0, 0.02);
	metrics_add(&s.result);
	is_value(&s, "ratio", 1.5, 1.5 * 0.02, false);
	is_value(&s, "sum", 1000, sqrt(30 * 30 + 16 * 16 + 2 * common), false);
	is_value(&s, "share", 0.6, 0.6 * 0.4 * 0.02, false);
	is_number(metric(&s, "sum")->group, 1, "with their group");
	setting_free(&s);
}

/* In one group, where it is not: the worst. */
static void test_unknown_ratio(void)
{
	struct setting s;

	setting_make(&s, "ratio=cycles/instructions,sum=cycles+instructions");
	count(&s, 0, 600, 1, 30);
	count(&s, 1, 400, 1, 16);
	metrics_add(&s.result);
	is_value(&s, "ratio", 1.5, 1.5 * (0.05 + 0.04), false);
	is_value(&s, "sum", 1000, 46, false);
	setting_free(&s);
}

/* Estimates of pairs may contradict one another. */
static void test_contradiction(void)
{
	struct setting s;

	setting_make(&s, "m=2*cycles-instructions-branches");
	for (size_t i = 0; i < 3; i++)
		count(&s, i, 100, 1, 10);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			if (i != k) /* cycles go with either, which never occur in one group */
				set_ratio(&s, i, k, i && k ? 0.2 : 0);
	metrics_add(&s.result);
	is_value(&s, "m", 0, sqrt(400 + 100 + 100), false);
	setting_free(&s);
}

static void test_unknown_error(void)
{
	struct setting s;

	setting_make(&s, "m=cycles+instructions,branch=instructions if cycles>0 else branches,bits=cycles|1,"
			 "other=instructions+branches");
	count(&s, 0, 600, 1, NAN)->status = STATUS_SCALED;
	count(&s, 1, 400, 1, 16);
	count(&s, 2, 10, 1, 1);
	metrics_add(&s.result);
	is_value(&s, "m", 1000, NAN, false);
	ok(metric(&s, "m")->status == STATUS_SCALED, "which is not exact");
	is_value(&s, "branch", 400, NAN, false); /* cycles may be nothing */
	is_value(&s, "bits", 601, NAN, false);
	is_value(&s, "other", 410, 17, false);
	setting_free(&s);
	/* none while it was on the PMU, which does not say that there were none */
	setting_make(&s, "d=d_ratio(instructions,cycles),larger=max(instructions,cycles)");
	count(&s, 0, 400, 1, 16);
	count(&s, 1, 0, 1, NAN)->status = STATUS_SCALED;
	metrics_add(&s.result);
	is_value(&s, "d", 0, NAN, false);
	is_value(&s, "larger", 400, NAN, false);
	setting_free(&s);
}

static void test_no_value(void)
{
	struct setting s;
	struct row *row;

	setting_make(&s, "zero=cycles/(instructions-400),no=branches+cycles,safe=branches if cycles<0 else "
			 "1,big=1e200*cycles*1e200");
	count(&s, 0, 600, 1, NAN);
	count(&s, 1, 400, 1, NAN);
	row = count(&s, 2, 0, 1, NAN);
	row->value.type = VALUE_NONE;
	row->status = STATUS_DENIED;
	row->reason = "because";
	metrics_add(&s.result);
	ok(!row_has_value(metric(&s, "zero")), "a division by zero has no value");
	is_string(metric(&s, "zero")->reason, "division by zero: instructions-400 is 0", "and names the divisor");
	is_string(metric(&s, "no")->reason, "branches: because", "an event without a value is named");
	is_number(metric(&s, "no")->status, STATUS_DENIED, "with its state");
	is_value(&s, "safe", 1, NAN, false);
	is_string(metric(&s, "big")->reason, "the value is too large", "an infinite value");
	setting_free(&s);
}

/* Times are in seconds, and counts as the counter had them. */
static void test_units(void)
{
	struct setting s;

	setting_make(&s, "rate=cycles/duration_time,constant=3,scaled=instructions");
	s.plan.events[2].scale = 0.5;
	for (int cpu = 0; cpu < 2; cpu++) {
		for (size_t i = 0; i < 3; i += 2) {
			struct row *row = count(&s, i, 600, 1, NAN);

			row->subject =
				result_subject(&s.result, &(struct subject){.scope = AGGR_CPU, .id = cpu ? "1" : "0"});
		}
	}
	count(&s, 1, 2e9, 0, NAN);
	metrics_add(&s.result);
	is_value(&s, "rate", 300, NAN, false);
	is_value(&s, "scaled", 1200, NAN, false);
	is_value(&s, "constant", 3, NAN, false);
	is_number(s.result.n, 5 + 2 + 1 + 2, "a row for each CPU, and a row of the whole");
	is_number(metric(&s, "constant")->subject->scope, AGGR_TOTAL, "whose scope is the total");
	setting_free(&s);
}

static void test_threshold(void)
{
	struct setting s;

	setting_make(&s, "a=cycles,b=cycles,c=cycles");
	s.set.chosen[0]->threshold = "a > 500 & b < 900";
	s.set.chosen[1]->threshold = "b > 700";
	metric_set_judge(&s.set, NULL);
	count(&s, 0, 600, 1, NAN);
	metrics_add(&s.result);
	is_number(metric(&s, "a")->threshold, THRESHOLD_BEYOND, "beyond");
	is_number(metric(&s, "b")->threshold, THRESHOLD_WITHIN, "within");
	is_number(metric(&s, "c")->threshold, THRESHOLD_NONE, "none");
	setting_free(&s);
}

/* Each event has a part on either of two core PMUs. */
static void test_cores(void)
{
	static const char *const pmus[] = {"big", "little"};
	struct setting s;

	setting_make(&s, "ratio=cycles/instructions,rate=cycles/duration_time,busy=cycles/task\\-clock");
	for (size_t i = 0; i < 2; i++) {
		s.plan.events[i].first_part = s.plan.n_events;
		s.plan.events[i].parts = 2;
		for (size_t core = 0; core < 2; core++) {
			size_t part = plan_add_event(&s.plan, &s.list.events[i]);

			s.plan.events[part].parent = (int)i;
			s.plan.events[part].core = (int)core;
			free(s.plan.events[part].pmu);
			s.plan.events[part].pmu = xstrdup(pmus[core]);
		}
	}
	s.plan.n_shown = s.plan.n_events;
	count(&s, 0, 900, 1, NAN);
	count(&s, 1, 500, 1, NAN);
	count(&s, 2, 2e9, 0, NAN);
	count(&s, 3, 3, 1, NAN);
	for (size_t i = 0; i < 4; i++) /* cycles on either, and then instructions */
		count(&s, s.list.n + i, (double[]){600, 300, 400, 100}[i], 1, NAN);
	metrics_add(&s.result);
	is_value(&s, "ratio on big", 1.5, NAN, false);
	is_value(&s, "ratio on little", 3, NAN, false);
	ok(!metric(&s, "ratio"), "no row for the sum");
	is_value(&s, "rate on little", 150, NAN, false);
	is_value(&s, "busy", 300, NAN, false);
	ok(!metric(&s, "busy on big"), "... except with an event of neither PMU");
	ok(metric(&s, "ratio on little")->item->beside == s.result.rows[5].item->event, "they stand beside the parts");
	setting_free(&s);
}

/* Three runs; in the second there is no counter for the second of two or three events. */
static void make_runs(struct setting *s, struct run_stats *stats, const char *metrics)
{
	const double values[3][3] = {{100, 100, 10}, {50000, NAN, 20}, {900, 300, 30}};

	setting_make(s, metrics);
	*stats = (struct run_stats){0};
	for (unsigned run = 0; run < 3; run++) {
		result_clear(&s->result);
		for (size_t i = 0; i < s->plan.n_events; i++) {
			struct row *row = count(s, i, values[run][i], 0, NAN);

			if (isnan(values[run][i])) {
				row->status = STATUS_STARVED;
				row->value = (struct value){.type = VALUE_NONE};
			}
		}
		metrics_add(&s->result);
		run_stats_add(stats, &s->result, run + 1);
	}
	run_stats_finish(stats);
	result_free(&s->result);
	s->result = stats->result;
}

/* It is the mean of the runs that have it. */
static void test_runs(void)
{
	struct run_stats stats;
	struct setting s;

	make_runs(&s, &stats, "m=cycles/instructions,both=cycles/branches,one=instructions*2");
	is_value(&s, "m", 2, 12.706204736174694, false); /* 1 and 3; Student's t for 2 runs */
	is_number(metric(&s, "m")->spread->n, 2, "of two runs");
	is_string(metric(&s, "m")->reason, "it has a value in 2 of 3 runs", "and the row says so");
	ok(is_near(value_real(metric(&s, "both")->value), 2540.0 / 3), "10, 2500 and 30, of all three");
	is_string(metric(&s, "both")->reason, "", "which needs no remark");
	ok(value_real(metric(&s, "one")->value) == 400 && metric(&s, "one")->spread->n == 2,
	   "twice the mean of two runs");
	s.result = (struct result){0};
	run_stats_free(&stats);
	setting_free(&s);
}

int main(void)
{
	unsetenv("PFMSTAT_METRICS");
	test_exact();
	test_independent();
	test_passes();
	test_together();
	test_unknown_ratio();
	test_contradiction();
	test_unknown_error();
	test_no_value();
	test_units();
	test_threshold();
	test_cores();
	test_runs();
	return tap_done();
}
