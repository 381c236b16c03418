/* Counts made up here, and what the rows say of them: sums over CPUs, scales, states, and what is not known. */
#include "rows/collect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "rows/call_rows.h"
#include "rows/usual_ratios.h"
#include "run/measure_check.h"
#include "stats/mux_stats.h"
#include "tap.h"

enum { EVENTS = 4, GROUPS = 2, SLICES = 40 };

/* Two multiplexed groups on one PMU: {cycles, instructions} and {cycles, branches}, the cycles their anchors. */
struct setting {
	struct event events[EVENTS];
	struct event_list list;
	struct plan_group groups[GROUPS];
	size_t members[EVENTS];
	int group_of[EVENTS];
	struct plan plan;
	struct counts counts;
	struct advice_machine machine;
	struct collect_context context;
	struct result result;
};

static void setting_init(struct setting *s, size_t n_slots, size_t n_events)
{
	static const uint64_t configs[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
					   PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS};
	static const char *const names[] = {"cycles", "instructions", "cycles", "branches"};

	*s = (struct setting){.context = {.machine = &s->machine, .time = NAN}};
	for (size_t i = 0; i < n_events; i++) {
		event_init(&s->events[i], EVENT_ABI);
		s->events[i].name = xstrdup(names[i]);
		s->events[i].attr.type = PERF_TYPE_HARDWARE;
		s->events[i].attr.config = configs[i];
		s->members[i] = i;
		s->group_of[i] = (int)(i / 2);
	}
	s->list = (struct event_list){.events = s->events, .n = n_events};
	for (size_t g = 0; g < GROUPS; g++)
		s->groups[g] = (struct plan_group){.members = &s->members[2 * g], .n = n_events < 2 ? n_events : 2};
	s->plan = (struct plan){
		.list = &s->list,
		.events = s->events,
		.n_events = n_events,
		.n_shown = n_events,
		.groups = s->groups,
		.group_of = s->group_of,
	};
	s->plan.n_groups = (n_events + 1) / 2;
	counts_init(&s->counts, n_slots, n_events);
	s->result = (struct result){0};
	s->result.session.plan = &s->plan;
}

static void setting_free(struct setting *s)
{
	for (size_t i = 0; i < s->list.n; i++)
		event_free(&s->events[i]);
	counts_free(&s->counts);
	result_free(&s->result);
}

static void put(struct setting *s, size_t slot, size_t event, uint64_t value, uint64_t enabled, uint64_t running)
{
	*counts_at(&s->counts, slot, event) = (struct count){.open = true, .sample = {value, enabled, running}};
}

/* The slices of a group: the first event at one rate, the other's alternates between base and base + step. */
static void put_slices(struct setting *s, size_t group, double base, double step)
{
	struct mux_stats *spread = mux_stats_new(2, 1, 2);

	for (int i = 0; i < SLICES; i++)
		mux_stats_add(spread, (double[]){1, base + (i % 2 ? step : 0)}, 1, 2, 1);
	if (!s->counts.mux_stats) {
		s->counts.n_groups = GROUPS;
		s->counts.mux_stats = xcalloc(s->counts.n_slots * GROUPS, sizeof(struct mux_stats *));
	}
	s->counts.mux_stats[group] = spread;
}

/* The row of an event of all slots. */
static const struct row *collected(struct setting *s, size_t event)
{
	struct aggr_map whole;

	result_clear(&s->result);
	s->result.session.plan = &s->plan;
	aggr_map_total(&whole, s->counts.n_slots);
	collect_counts(&s->result, &s->plan, &s->counts, &whole, &s->context);
	aggr_map_free(&whole);
	for (size_t i = 0; i < s->result.n; i++)
		if (s->result.rows[i].item->event == &s->events[event])
			return &s->result.rows[i];
	abort();
}

static void test_sums(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 3, 1);
	put(&s, 0, 0, 100, 10, 10);
	put(&s, 1, 0, 20, 11, 11);
	put(&s, 2, 0, 3, 12, 12);
	row = collected(&s, 0);
	is_number(row->status, STATUS_EXACT, "three CPUs, each counted all the time: exact");
	is_number(row->value.count, 123, "and the sum of them");
	is_number(row->raw.value, 123, "so is the raw value");
	is_number(row->raw.enabled, 33, "so is the enabled time");
	is_number(row->raw.running, 33, "and the running time");
	put(&s, 1, 0, 0, 11, 0);
	row = collected(&s, 0);
	is_number(row->status, STATUS_SCALED, "on one CPU it had no counter: scaled");
	is_number(row->value.count, 155, "154.5 as the others say, to nearest");
	ok(isnan(row->error) && *row->reason, "the error is unknown, with a reason");
	setting_free(&s);
}

/* The kernel counts the time of a cgroup's events from before they were switched on: 9 s in a run of 0.2 s. */
static void test_times_of_cgroup(void)
{
	struct setting s;
	struct aggr_map map = {.keys = NULL};
	const uint64_t run = 200000000, surplus = 9000000000;

	setting_init(&s, 2, 1);
	s.context.elapsed_ns = run;
	put(&s, 0, 0, 100, run + surplus, run / 2 + surplus); /* it shared its counter */
	put(&s, 1, 0, 100, run + 2000000, run + 2000000);     /* the CPU was read 2 ms later */
	aggr_map_add(&map, AGGR_CGROUP, "/");
	aggr_map_add(&map, AGGR_CGROUP, "/");
	collect_counts(&s.result, &s.plan, &s.counts, &map, &s.context);
	is_number(s.result.rows[0].raw.enabled, 2 * run + 2000000, "enabled no longer than the run");
	is_number(s.result.rows[0].raw.running, run / 2 + run + 2000000, "... and as long less on the counter");
	is_number(s.result.rows[0].value.count, 300, "... so that it is scaled by the rest");
	aggr_map_free(&map);
	setting_free(&s);
}

static void test_too_large(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 2, 1);
	put(&s, 0, 0, UINT64_MAX / 2 + 1, 10, 10);
	put(&s, 1, 0, UINT64_MAX / 2 + 1, 10, 10);
	row = collected(&s, 0);
	ok(row->value.count == UINT64_MAX && row->raw.value == UINT64_MAX, "a sum that 64 bits do not hold is no 0");
	is_number(row->status, STATUS_SCALED, "nor is it exact");
	ok(isnan(row->error) && row->why == WHY_TOO_LARGE, "but a lower bound, and it says so");
	put(&s, 0, 0, UINT64_MAX / 2, 10, 4);
	put(&s, 1, 0, 1, 10, 10);
	row = collected(&s, 0);
	ok(row->value.count == UINT64_MAX && row->why == WHY_TOO_LARGE, "so does an estimate");
	setting_free(&s);
}

/* Times as the kernel gives those of a cgroup's events on a CPU. */
static void test_software(void)
{
	static const uint32_t types[] = {PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT, PERF_TYPE_BREAKPOINT};
	struct setting s;
	const struct row *row;

	setting_init(&s, 2, 1);
	put(&s, 0, 0, 70, 1000, 131);
	put(&s, 1, 0, 8, 1000, 0);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		s.events[0].attr.type = types[i];
		row = collected(&s, 0);
		ok(row->status == STATUS_EXACT && row->value.count == 78, "no PMU counts it: never scaled");
	}
	is_number(row->raw.running, 131, "the times are the kernel's");
	setting_free(&s);

	setting_init(&s, 1, 2);
	s.events[1].attr.type = PERF_TYPE_SOFTWARE;
	put(&s, 0, 1, 70, 1000, 500);
	row = collected(&s, 1);
	ok(row->status == STATUS_SCALED && row->value.count == 140, "but it is in a group with events of a PMU");
	setting_free(&s);
}

static void test_nothing(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 1, 2);
	put(&s, 0, 1, 0, 2 * SLICES, SLICES);
	put_slices(&s, 0, 0, 0);
	row = collected(&s, 1);
	is_number(row->status, STATUS_SCALED, "never counted, half of the time: scaled");
	ok(isnan(row->error) && strstr(row->reason, "at other times"), "and not known to be 0");
	setting_free(&s);
}

/* Seven were not attributed to any task. */
static void test_lack(void)
{
	struct setting s;
	struct count *count;
	char *inexact;

	setting_init(&s, 1, 2);
	put(&s, 0, 0, 3, 10, 10);
	put(&s, 0, 1, 3, 10, 10);
	count = counts_at(&s.counts, 0, 0);
	count->may_miss_up_to = 7;
	s.events[0].scale = 0.5;
	is_number(collected(&s, 0)->status, STATUS_SCALED, "a count that may lack something is not exact");
	ok(collected(&s, 0)->error == 3.5, "its error is the work that it may lack");
	ok(strstr(collected(&s, 0)->reason, "may be unattributed"), "and the row says so");
	inexact = result_find_inexact(&s.result);
	ok(inexact && strstr(inexact, "may be unattributed"), "and --strict says so");
	put(&s, 0, 0, 0, 0, 0);
	count->may_miss_up_to = 7;
	is_number(collected(&s, 0)->status, STATUS_SCALED, "it is not certain that the event was idle");
	ok(collected(&s, 0)->error == 3.5, "and it may lack the same work");
	is_number(collected(&s, 1)->status, STATUS_EXACT, "an event that lacks nothing is exact");
	free(inexact);
	setting_free(&s);
}

/* The row of a process that may lack unattributed work. */
static void test_lack_of_task(void)
{
	struct aggr_map map = {.keys = NULL};
	struct setting s;

	setting_init(&s, 1, 1);
	put(&s, 0, 0, 3, 10, 10);
	counts_at(&s.counts, 0, 0)->may_miss_up_to = 7;
	aggr_map_add(&map, AGGR_PROCESS, "4711");
	collect_counts(&s.result, &s.plan, &s.counts, &map, &s.context);
	is_number(s.result.rows[0].status, STATUS_PARTIAL,
		  "the row of a task that may lack something is a lower bound");
	ok(isnan(s.result.rows[0].error) && value_real(s.result.rows[0].value) == 3, "without an error");
	ok(strstr(s.result.rows[0].reason, "may be unattributed"), "with the reason");
	aggr_map_free(&map);
	setting_free(&s);
}

/* Unattributed work is in the first slot. */
static void test_rest(void)
{
	struct setting s;
	struct count *rest;

	setting_init(&s, 1, 1);
	put(&s, 0, 0, 3, 10, 10);
	rest = counts_at(&s.counts, 0, 0);
	rest->unattributed = rest->may_include_others = true;
	rest->may_miss_up_to = 3;
	is_number(collected(&s, 0)->status, STATUS_EXACT, "unattributed work is known as such");
	ok(!*collected(&s, 0)->reason && !result_find_inexact(&s.result), "and needs no remark");
	setting_free(&s);

	setting_init(&s, 2, 1);
	put(&s, 0, 0, 3, 10, 10);
	put(&s, 1, 0, 5, 10, 10);
	rest = counts_at(&s.counts, 0, 0);
	rest->unattributed = true;
	rest->may_miss_up_to = counts_at(&s.counts, 1, 0)->may_miss_up_to = 3;
	is_number(collected(&s, 0)->status, STATUS_EXACT, "a sum over all tasks that includes it is exact");
	rest->may_include_others = true;
	is_number(collected(&s, 0)->status, STATUS_SCALED, "but not if the work may belong to other tasks");
	ok(collected(&s, 0)->error == 3, "the error is all of it");
	ok(strstr(collected(&s, 0)->reason, "idle time, or work of other tasks"), "and the row says so");
	put(&s, 0, 0, 0, 0, 0);
	put(&s, 1, 0, 0, 0, 0);
	is_number(collected(&s, 0)->status, STATUS_IDLE, "without enabled time, the count is a true 0");
	setting_free(&s);
}

/* The same for a multiplexed group: its missing work was not all counted. */
static void test_vague(void)
{
	struct setting s;
	struct count *count;
	char *inexact;

	setting_init(&s, 1, 2);
	put(&s, 0, 0, 3, 10, 10);
	put(&s, 0, 1, 3, 10, 10);
	count = counts_at(&s.counts, 0, 1);
	count->may_miss_more = true;
	is_number(collected(&s, 1)->status, STATUS_SCALED, "may lack uncounted work: never exact");
	ok(isnan(collected(&s, 1)->error) && strstr(collected(&s, 1)->reason, "may be unattributed"),
	   "the error is unknown, with a reason");
	inexact = result_find_inexact(&s.result);
	ok(inexact && strstr(inexact, "may be unattributed"), "and --strict says so");
	put(&s, 0, 1, 10 * SLICES, 2 * SLICES, SLICES);
	put_slices(&s, 0, 10, 1);
	count->may_miss_more = false;
	ok(!isnan(collected(&s, 1)->error), "a part of the time: an error");
	count->may_miss_more = true;
	ok(isnan(collected(&s, 1)->error) && strstr(collected(&s, 1)->reason, "may be unattributed"),
	   "but none if it may lack more");
	count->unattributed = true;
	ok(!isnan(collected(&s, 1)->error), "a sum that includes the work that other rows lack is exact");
	free(inexact);
	setting_free(&s);
}

/* The second of two CPUs was not there all the time. */
static void test_cpus_that_go_and_come(void)
{
	struct setting s;
	const struct row *row;
	struct count *second;
	char *inexact;

	setting_init(&s, 2, 1);
	put(&s, 0, 0, 3, 10, 10);
	put(&s, 1, 0, 4, 5, 5);
	second = counts_at(&s.counts, 1, 0);
	second->came = true;
	row = collected(&s, 0);
	ok(row->status == STATUS_EXACT && row->value.count == 7, "a CPU came online: the count is exact");
	is_string(row->reason, "its CPU came online: it was counted from then on", "but incomplete, with a remark");
	inexact = result_find_inexact(&s.result);
	ok(inexact && strstr(inexact, "came online"), "and --strict refuses it");
	free(inexact);
	second->came = false;
	second->gone = true;
	is_string(collected(&s, 0)->reason, "its CPU went offline: it was counted until then",
		  "the same for a CPU that went offline");
	inexact = result_find_inexact(&s.result);
	ok(inexact && strstr(inexact, "went offline"), "neither is that");
	free(inexact);
	counts_at(&s.counts, 0, 0)->came = true;
	is_string(collected(&s, 0)->reason, "its CPU went offline and came online: it was counted only while online",
		  "and of both");
	second->stopped = true;
	row = collected(&s, 0);
	ok(row->status == STATUS_PARTIAL && row->value.count == 7, "a CPU went and came back: a lower bound");
	is_string(row->reason, "its CPU went offline and came back: it was counted until it went", "... and why");
	second->stopped = false;
	put(&s, 0, 0, 3, 10, 5);
	row = collected(&s, 0);
	ok(row->status == STATUS_SCALED && row->reason_of_error && strstr(row->reason, "error unknown"),
	   "the reason for an unknown error comes first");
	setting_free(&s);
}

static void test_scale(void)
{
	struct setting s;
	const struct row *row;
	double error;

	setting_init(&s, 1, 2);
	put(&s, 0, 0, 7, 10, 10);
	put(&s, 0, 1, 1000, 2 * SLICES, SLICES);
	put_slices(&s, 0, 10, 30);
	row = collected(&s, 1);
	error = row->error;
	is_number(row->status, STATUS_SCALED, "on its counter half of the time: scaled");
	is_number(row->value.count, 2000, "to twice as much");
	ok(error > 0, "with an error, since its rate was uneven");
	s.events[0].scale = s.events[1].scale = 0.25;
	row = collected(&s, 1);
	ok(row->value.type == VALUE_REAL && value_real(row->value) == 500,
	   "an event with a scale: its value is scaled");
	ok(fabs(row->error - error / 4) < 1e-9 * error, "and so is its error");
	is_number(row->raw.value, 1000, "the raw value stays the counter's");
	row = collected(&s, 0);
	ok(row->value.type == VALUE_REAL && value_real(row->value) == 1.75, "the same for an exact count");
	is_number(row->status, STATUS_EXACT, "which is not extrapolated");
	setting_free(&s);
}

/* The error of instructions per cycle, for this many times as many instructions. */
static double error_of_ratio(uint64_t times)
{
	struct setting s;
	double error = NAN;

	setting_init(&s, 1, 2);
	put(&s, 0, 0, 1000, 2 * SLICES, SLICES);
	put(&s, 0, 1, 1000 * times, 2 * SLICES, SLICES);
	put_slices(&s, 0, 10 * (double)times, 30 * (double)times);
	collected(&s, 0);
	metrics_add(&s.result);
	for (size_t i = 0; i < s.result.n; i++)
		if (strcmp(s.result.rows[i].item->name, "insn per cycle") == 0)
			error = s.result.rows[i].error;
	setting_free(&s);
	return error;
}

static void test_ratio(void)
{
	double once = error_of_ratio(1), thrice = error_of_ratio(3);

	ok(once > 0, "a ratio of two scaled events of one group has an error");
	ok(fabs(thrice - 3 * once) < 1e-9 * once, "which grows with the ratio");
}

static void test_states(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 2, 1);
	put(&s, 0, 0, 0, 10, 10);
	put(&s, 1, 0, 0, 10, 10);
	row = collected(&s, 0);
	is_number(row->status, STATUS_EXACT, "a counted event that did not occur is exact");
	is_number(row->value.count, 0, "a 0");
	put(&s, 0, 0, 0, 0, 0);
	put(&s, 1, 0, 0, 0, 0);
	is_number(collected(&s, 0)->status, STATUS_IDLE, "an event that was never enabled is idle");
	put(&s, 0, 0, 4, 0, 0);
	row = collected(&s, 0);
	ok(row->status == STATUS_EXACT && row->value.count == 4, "but not if it has a count");
	put(&s, 0, 0, 0, 10, 0);
	put(&s, 1, 0, 0, 10, 0);
	is_number(collected(&s, 0)->status, STATUS_STARVED,
		  "an event that was enabled and never got a counter is starved");
	setting_free(&s);
}

static void test_gaps(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 2, 1);
	put(&s, 0, 0, 5, 10, 10);
	*counts_at(&s.counts, 1, 0) = (struct count){.error = EBUSY, .cpu = 7};
	row = collected(&s, 0);
	is_number(row->status, STATUS_LOST, "refused on one of two CPUs: no count of the machine");
	is_number(row->raw.value, 5, "but the other one's count");
	ok(strstr(row->reason, "only on 1 of 2 CPUs, not on CPU 7: its counter is in use"), "and the row says where");
	s.context.on_task = true;
	row = collected(&s, 0);
	is_number(row->status, STATUS_LOST, "without one of its threads, no count of the process");
	ok(strstr(row->reason, "only on 1 of 2 threads: "), "and the row says so");
	for (size_t slot = 0; slot < 2; slot++) {
		put(&s, slot, 0, 5, 10, 10);
		counts_at(&s.counts, slot, 0)->cpus = 8;
		counts_at(&s.counts, slot, 0)->refused = 3;
		counts_at(&s.counts, slot, 0)->cpu = 2;
		counts_at(&s.counts, slot, 0)->error = ENOSPC;
	}
	row = collected(&s, 0);
	is_number(row->status, STATUS_LOST, "tasks that were not watched on three of eight CPUs");
	ok(strstr(row->reason, "only on 5 of 8 CPUs, not on CPU 2 and 2 more: the PMU has no room"), "the row says so");
	s.context.on_task = false;
	put(&s, 0, 0, 5, 10, 10);
	*counts_at(&s.counts, 1, 0) = (struct count){.error = EIO, .cpu = 1, .not_switched = true};
	ok(strstr(collected(&s, 0)->reason,
		  "not on CPU 1: its counter could not be switched on or off: Input/output error"),
	   "a counter that could not be switched on is also missing");
	put(&s, 1, 0, 6, 10, 10);
	ok(!*collected(&s, 0)->reason, "switched on on both CPUs, it needs no remark");
	counts_at(&s.counts, 1, 0)->user_only = true;
	row = collected(&s, 0);
	ok(row->user_only, "the kernel was excluded to open it at all: known to the metrics");
	ok(strstr(row->reason, "user space only"), "and the row says so");
	setting_free(&s);
}

/* Tasks on two core PMUs: the first event is the sum of the other two. */
static void test_core_pmus(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 2, 3);
	s.context.on_task = true;
	s.events[0].parts = 2;
	s.events[0].first_part = 1;
	s.events[1].parent = s.events[2].parent = 0;
	for (size_t slot = 0; slot < 2; slot++)
		for (size_t part = 1; part < 3; part++) {
			put(&s, slot, part, 5, 10, 10);
			counts_at(&s.counts, slot, part)->cpus = 2 * (unsigned)part;
		}
	row = collected(&s, 0);
	is_number(row->status, STATUS_EXACT, "on all CPUs of either PMU: nothing is missing");
	is_number(row->value.count, 20, "the sum of the parts");
	s.groups[0].pass = 1;
	s.groups[1].pass = 2;
	row = collected(&s, 0);
	ok(row->status == STATUS_SCALED && isnan(row->error) && strstr(row->reason, "different runs"),
	   "parts of two runs of the command: their sum is an estimate, and says so");
	is_number(value_real(row->value), 20, "... of the same value");
	is_number(collected(&s, 1)->status, STATUS_EXACT, "each part is exact");
	s.groups[0].pass = s.groups[1].pass = 0;
	for (size_t slot = 0; slot < 2; slot++)
		*counts_at(&s.counts, slot, 2) = (struct count){.elsewhere = true};
	row = collected(&s, 0);
	is_number(row->status, STATUS_EXACT, "or if no CPU of one PMU is counted");
	is_number(row->value.count, 10, "the sum is the other part");
	for (size_t slot = 0; slot < 2; slot++) {
		struct count *first = counts_at(&s.counts, slot, 1);

		put(&s, slot, 2, 5, 10, 10);
		counts_at(&s.counts, slot, 2)->cpus = 4;
		first->refused = 1;
		first->error = ENOSPC;
	}
	row = collected(&s, 0);
	is_number(row->status, STATUS_LOST, "a CPU of the first is also missing in the sum");
	ok(strstr(row->reason, "only on 5 of 6 CPUs, not on CPU 0: the PMU has no room"), "and the row says so");
	setting_free(&s);
}

static void test_bound_to_cpu(void)
{
	struct setting s;
	const struct row *row;

	setting_init(&s, 1, 1);
	s.events[0].cpu = 1;
	s.context.on_task = true;
	put(&s, 0, 0, 7, 10, 2);
	row = collected(&s, 0);
	is_number(row->value.count, 7,
		  "a task's event bound to a CPU is complete, though the task was there for a part of it");
	is_number(row->status, STATUS_EXACT, "and exact");
	setting_free(&s);
}

/* The anchor counts 2 while its first group is on the PMU, 2 of 5 ns, and more in the other's. */
static void put_rotation(struct setting *s, uint64_t others_anchor)
{
	setting_init(s, 1, EVENTS);
	for (size_t g = 0; g < GROUPS; g++) {
		s->groups[g].has_anchor = true;
		s->groups[g].anchor = 2 * g;
	}
	put(s, 0, 0, 2, 5, 2);
	put(s, 0, 1, 3, 5, 2);
	put(s, 0, 2, others_anchor, 5, 3);
	put(s, 0, 3, 9, 5, 3);
}

static void test_anchor(void)
{
	struct setting s;
	const struct row *row;

	put_rotation(&s, 4);
	put_slices(&s, 0, 10, 0);
	row = collected(&s, 1);
	is_number(row->value.count, 8, "by time it is also 7.5");
	ok(fabs(row->error - 1.6) < 1e-9,
	   "an even rate, but an anchor that was 5 rather than 6: that much is the error");
	counts_at(&s.counts, 0, 2)->sample.running = 1; /* the anchor's count in 2 of the 5 ns is unknown */
	ok(collected(&s, 1)->error == 0, "an anchor that was not counted all the time says nothing");
	setting_free(&s);

	put_rotation(&s, 3);
	put_slices(&s, 0, 10, 30);
	ok(collected(&s, 1)->error > 0, "an uneven rate, and an accurate anchor: the error is that of the slices");
	setting_free(&s);
}

/* What is known to be missing of all counts is missing of the calls also. */
static void test_calls(void)
{
	static const char *const names[] = {"cycles", "cycles exclusive", "duration_time", "calls"};
	const enum call_kind kind = CALL_EMULATED;
	struct functions functions = {.kinds = NULL};
	struct calls *calls = calls_new(1, &kind, 1);
	struct setting s;

	setting_init(&s, 1, 1);
	put(&s, 0, 0, 9, 9, 9);
	s.context.lost = "a CPU came online";
	strings_add(&functions.names, "f");
	calls_enter(calls, 1, 1, 0, 1, 1000);
	calls_charge(calls_thread(calls, 1), 0, 5);
	calls_return(calls, 1, 1, 0, 2, 1000);
	call_rows_add(&s.result, &functions, calls, &s.plan, &s.counts, &s.context);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (size_t k = 0; k < s.result.n; k++)
			if (strcmp(s.result.rows[k].item->name, names[i]) == 0)
				ok(s.result.rows[k].status == STATUS_PARTIAL && *s.result.rows[k].reason, names[i]);
	strings_free(&functions.names);
	calls_free(calls);
	setting_free(&s);
}

static void set_probe(struct event *event, uint64_t inode, uint64_t offset)
{
	event_init(event, EVENT_PROBE);
	event->user_side = true;
	event->file.inode = inode;
	event->attr.config2 = offset;
}

/* Checks the state of each row of a region that begins with the name of the event. */
static void check_states(const struct result *result, const char *region, const char *event, enum status total,
			 enum status exclusive, enum status each)
{
	size_t length, n = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		int kind = call_row_kind(row, &length);

		if (strcmp(row->subject->id, region) != 0 || strncmp(row->item->name, event, strlen(event)) != 0)
			continue;
		is_number(row->status, kind < 0 ? total : kind == CALL_EXCLUSIVE ? exclusive : each, row->item->name);
		ok((row->status == STATUS_EXACT) == (*row->reason == '\0'), "a reason, or none");
		n++;
	}
	is_number((int)n, 1 + CALL_ROWS, "the total, exclusive and of each call");
}

/* f calls g; "cycles" is a probe at this offset in their file, whose probes are at 16 and 32. */
static void collect_probe(struct setting *s, uint64_t offset, size_t copies)
{
	const enum call_kind kinds[] = {CALL_EMULATED, CALL_EMULATED};
	struct functions functions = {.kinds = NULL};
	struct event probes[2];
	struct calls *calls = calls_new(2, kinds, 1);

	setting_init(s, 1, 1);
	event_free(&s->events[0]);
	set_probe(&s->events[0], 7, offset);
	s->events[0].name = xstrdup("cycles");
	s->events[0].config1_string = xstrdup("a file that is not there");
	s->events[0].copies = copies;
	put(s, 0, 0, 9, 9, 9);
	strings_add(&functions.names, "f");
	strings_add(&functions.names, "g");
	for (size_t i = 0; i < 2; i++)
		set_probe(&probes[i], 7, 16 * (i + 1));
	functions.probes = probes;
	functions.n_probes = 2;
	functions.of = (size_t[]){0, 1};
	functions.returns = (bool[]){false, false};
	for (size_t i = 0; i < 2 * CALIBRATION_CALLS; i++) { /* the probes cost nothing */
		calls_enter(calls, 2, 2, CALIBRATION(2, CALL_EMULATED), i, 1000);
		calls_return(calls, 2, 2, CALIBRATION(2, CALL_EMULATED), i, 1000);
	}
	calls_compute_costs(calls);
	for (size_t i = 0; i < 2; i++) {
		calls_enter(calls, 1, 1, i, i, 1000 - 100 * i);
		calls_charge(calls_thread(calls, 1), 0, 4);
	}
	for (size_t i = 2; i-- > 0;)
		calls_return(calls, 1, 1, i, 4 - i, 1000 - 100 * i);
	call_rows_add(&s->result, &functions, calls, &s->plan, &s->counts, &s->context);
	for (size_t i = 0; i < 2; i++)
		event_free(&probes[i]);
	strings_free(&functions.names);
	calls_free(calls);
}

/* An event whose probe is where a function has one is hit before or after it. */
static void test_same_place(void)
{
	struct setting s;

	collect_probe(&s, 32, 0);
	check_states(&s.result, "f", "cycles", STATUS_EXACT, STATUS_SCALED, STATUS_EXACT);
	check_states(&s.result, "g", "cycles", STATUS_SCALED, STATUS_SCALED, STATUS_SCALED);
	setting_free(&s);
	collect_probe(&s, 48, 0);
	check_states(&s.result, "f", "cycles", STATUS_EXACT, STATUS_EXACT, STATUS_EXACT);
	check_states(&s.result, "g", "cycles", STATUS_EXACT, STATUS_EXACT, STATUS_EXACT);
	setting_free(&s);
}

/* The rows beside a total that is a lower bound are lower bounds. */
static void test_calls_of_copies(void)
{
	struct setting s;

	collect_probe(&s, 48, 1);
	check_states(&s.result, "f", "cycles", STATUS_PARTIAL, STATUS_PARTIAL, STATUS_PARTIAL);
	setting_free(&s);
	collect_probe(&s, 32, 1);
	check_states(&s.result, "g", "cycles", STATUS_SCALED, STATUS_SCALED, STATUS_SCALED);
	setting_free(&s);
}

int main(void)
{
	test_sums();
	test_times_of_cgroup();
	test_too_large();
	test_software();
	test_nothing();
	test_lack();
	test_lack_of_task();
	test_rest();
	test_vague();
	test_cpus_that_go_and_come();
	test_scale();
	test_ratio();
	test_states();
	test_gaps();
	test_core_pmus();
	test_bound_to_cpu();
	test_anchor();
	test_calls();
	test_same_place();
	test_calls_of_copies();
	return tap_done();
}
