/* Plans made with probes of imagined PMUs: which probes, how many, and the resulting groups. */
#include <errno.h>
#include <string.h>

#include "lib/util.h"
#include "plan/anchor.h"
#include "plan/plan.h"
#include "plan/rotation.h"
#include "run/passes.h"
#include "tap.h"

/* A PMU of N programmable counters, one more only for cycles (fixed), and two events that never get on together. */
struct pmu {
	unsigned counters;
	bool fixed_cycles;
	uint64_t never_a, never_b; /* raw events */
	bool topdown;              /* Intel's: metrics open only behind slots, and need no counter */
	bool validates;            /* says of each event whether it gets on with those before it */
	unsigned asked, asked_of_software;
};

static bool gets_on(struct pmu *pmu, const struct event *const *events, size_t n, size_t n_held)
{
	unsigned need = (unsigned)n_held, cycles = 0, of_pair = 0;
	uint64_t type = 0;
	size_t hardware = 0;

	for (size_t i = 0; i < n; i++) {
		const struct perf_event_attr *a = &events[i]->attr;

		if (!event_is_hardware(events[i]))
			continue;
		if (hardware++ && event_pmu_type(events[i]) != type)
			return false; /* two PMUs in one group */
		type = event_pmu_type(events[i]);
		if (a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES)
			cycles++;
		if (a->type == PERF_TYPE_RAW && (a->config == pmu->never_a || a->config == pmu->never_b))
			of_pair++;
		if (pmu->topdown && event_needs_slots(events[i]) && !event_is_slots(events[0]))
			return false;
		need += !pmu->topdown || !(event_needs_slots(events[i]) || event_is_slots(events[i]));
	}
	if (hardware == 0)
		pmu->asked_of_software++;
	if (pmu->fixed_cycles && cycles)
		need--;
	return need <= pmu->counters && of_pair < 2;
}

static bool probe(void *arg, const struct plan_question *question, bool *refused)
{
	const struct event *const *events = question->events;
	struct pmu *pmu = arg;
	size_t n = question->n;
	const struct event *on[64];
	size_t n_on = 0;

	pmu->asked++;
	if (!refused)
		return gets_on(pmu, events, n, question->n_held);
	if (!pmu->validates)
		return gets_on(pmu, events, n, question->n_held);
	for (size_t i = 0; i < n; i++) {
		on[n_on] = events[i];
		refused[i] = !gets_on(pmu, on, n_on + 1, question->n_held);
		n_on += !refused[i];
	}
	return true;
}

/* "0,1;2": the members of each group in order. */
static const char *shape(const struct plan *plan, char buf[256])
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t g = 0; g < plan->n_groups; g++)
		for (size_t i = 0; i < plan->groups[g].n; i++)
			used += (size_t)snprintf(buf + used, 256 - used, "%s%zu",
						 i   ? ","
						 : g ? ";"
						     : "",
						 plan->groups[g].members[i]);
	return buf;
}

struct trial {
	struct event_list list;
	struct plan plan;
	struct plan_options options;
};

static void build(struct trial *t, struct pmu *pmu, const char *events)
{
	struct error e;

	*t = (struct trial){.options = {.probe = probe, .probe_arg = pmu}};
	if (event_list_parse(&t->list, events, &e) < 0) {
		printf("Bail out! %s: %s\n", events, e.text);
		exit(1);
	}
	plan_init(&t->plan, &t->list);
	plan_build(&t->plan, &t->options);
}

static void finish(struct trial *t)
{
	plan_free(&t->plan);
	event_list_free(&t->list);
}

static void is_planned(struct pmu pmu, const char *events, const char *groups, unsigned asked, const char *what)
{
	struct trial t;
	char buf[256];

	build(&t, &pmu, events);
	is_string(shape(&t.plan, buf), groups, what);
	is_number(pmu.asked, asked, "... with this number of probes");
	is_number(pmu.asked_of_software, 0, "... never of software events alone");
	for (size_t i = 0; i < t.list.n; i++) {
		int g = t.plan.group_of[i];
		bool found = g < 0;

		for (size_t k = 0; g >= 0 && k < t.plan.groups[g].n; k++)
			found |= t.plan.groups[g].members[k] == i;
		if (!found)
			ok(false, "... each event knows its group");
	}
	finish(&t);
}

static void test_outside_braces(void)
{
	const struct pmu four = {.counters = 4}, six = {.counters = 6, .fixed_cycles = true};

	is_planned(four, "cycles", "0", 0, "one event needs no probe");
	is_planned(four, "page-faults,cs,task-clock", "0,1,2", 0, "software events are one group");
	is_planned(four, "cs,cycles,page-faults", "0,2;1", 0, "software is never under a hardware leader");
	is_planned(four, "task-clock,cs,migrations,faults,cycles,instructions,branches,branch-misses",
		   "0,1,2,3;4,5,6,7", 1, "the default events need one probe");
	is_planned(six, "cycles,r1,r2,r3,r4,r5,r6", "0,1,2,3,4,5,6", 1, "a counter for cycles alone is used");
	is_planned(six, "r1,r2,r3,r4,r5,r6,r7,cycles", "0,1,2,3,4,5,7;6", 8, "one too many, and cycles beside six");
	is_planned((struct pmu){.counters = 6, .fixed_cycles = true, .validates = true}, "r1,r2,r3,r4,r5,r6,r7,cycles",
		   "0,1,2,3,4,5,7;6", 1, "... which a PMU that validates groups says at once");
	is_planned((struct pmu){.counters = 2, .validates = true}, "r1,r2,r3,r4,r5", "0,1;2,3;4", 2,
		   "... for each group");
	is_planned((struct pmu){.counters = 2, .validates = true}, "r1,cycles,r2,instructions", "0,2;1,3", 4,
		   "... partners together");
	is_planned(four, "r1,r2,duration_time,r3", "0,1,3", 1, "tool events are in no group");
	is_planned((struct pmu){.counters = 4, .never_a = 1, .never_b = 2}, "r1,r2,r3", "0,2;1", 3,
		   "two events that never fit together are separated");
	is_planned(four, "r1,mem:0x1000:w,r2,mem:0x1008:w", "0,2;1;3", 1, "breakpoints are alone");
	is_planned(four, "cycles:D,instructions,branches", "0;1,2", 1, "pinned events also have separate groups");
	is_planned((struct pmu){.counters = 2}, "r1,r2:D,r3", "0;2;1", 3, "... since they hold their counters");
	is_planned((struct pmu){.counters = 3}, "{r1:D,r2},r3,r4", "0,1;2;3", 4, "... and so does a pinned group");
}

/* The kernel checks every member at each opening. */
static void test_many(void)
{
	auto_free char *events = xcalloc(300, 3);
	struct pmu none = {.counters = 0};
	struct trial t;

	for (size_t i = 0; i < 300; i++)
		strcpy(events + i * 3, i < 299 ? "cs," : "cs");
	build(&t, &none, events);
	is_number(t.plan.n_groups, 3, "300 software events are three groups");
	is_number(t.plan.groups[0].n, 128, "... of at most 128 members");
	is_number(t.plan.groups[2].n, 44, "... and the rest");
	is_number(t.plan.groups[2].members[0], 256, "... in the user's order");
	is_number(none.asked, 0, "... without a probe");
	finish(&t);
}

/* r400 is slots, r8000 and the like are metrics: in its group, which it leads. */
static void test_topdown(void)
{
	const struct pmu two = {.counters = 2, .topdown = true},
			 says = {.counters = 2, .topdown = true, .validates = true};

	is_planned(two, "r8000,r1,r400,r2", "2,0,1,3", 1, "slots lead a group that is probed as a whole");
	is_planned(two, "{r8000,r400}", "1,0", 1, "... and one in braces");
	is_planned(two, "r1,r400", "0,1", 1, "... but no other");
	for (int k = 0; k < 2; k++) {
		struct pmu pmu = k ? says : two;
		struct trial t = {.options = {.probe = probe, .probe_arg = &pmu}};
		struct error e;
		char buf[256];
		/* two metrics: r1 r8000 r400 r2, and r3 r8100 r400 r4 */
		static const size_t sets[2][4] = {{0, 1, 2, 3}, {4, 5, 2, 6}};

		event_list_parse(&t.list, "r1,r8000,r400,r2,r3,r8100,r4", &e);
		plan_init(&t.plan, &t.list);
		for (size_t i = 0; i < 2; i++) {
			struct indices set = {0};

			for (size_t m = 0; m < 4; m++)
				indices_add(&set, sets[i][m]);
			plan_want_together(&t.plan, set);
		}
		plan_build(&t.plan, &t.options);
		is_string(shape(&t.plan, buf), "2,0,1,3,5;4,6",
			  "events that need slots are beside them, for any metric");
		finish(&t);
	}
}

/* Groups that get on at the same time: one question, nothing rides along, and one run is enough. */
static void test_at_once(void)
{
	struct pmu pmu = {.counters = 6, .fixed_cycles = true};
	struct trial t;
	char buf[256];

	is_planned(pmu, "{r1,r2,r3},{r4,r5,r6}", "0,1,2;3,4,5", 1, "two groups that fit at the same time");
	is_planned(pmu, "{r1,r2,r3},r4,{r5,r6},cycles:D,cs", "0,1,2;3;4,5;6;7", 1, "... with any other events");
	is_planned(pmu, "{r1,r2,r3},{r4,r5,r6,r7}", "0,1,2;3,4,5,6", 3, "one too many, and each group is probed");
	is_planned(pmu, "{r1,r2,r3},r4:e", "0,1,2;3", 1, "exclusive events are multiplexed: no probe");
	pmu.asked = 0;
	build(&t, &pmu, "{r1,r2,r3},{r4,r5,r6}");
	anchor_add(&t.plan, &t.options);
	is_string(shape(&t.plan, buf), "0,1,2;3,4,5", "events that are not multiplexed have no anchors");
	is_number(pmu.asked, 1, "... and are not probed");
	is_number(rotation_count(&t.plan, 0), 1, "... nor are they multiplexed");
	passes_assign(&t.plan);
	is_number(t.plan.groups[1].pass, 0, "... nor are they counted in separate runs");
	finish(&t);
	build(&t, &pmu, "{r1,r2,r3},{r4,r5,r6,r7}");
	is_number(rotation_count(&t.plan, 0), 2, "events that do not fit are multiplexed");
	finish(&t);
}

/* Arm's core PMU: raw events have one type, those by its name in sysfs another. */
static void test_two_types(void)
{
	struct pmu pmu = {.counters = 6};
	struct trial t = {.options = {.probe = probe, .probe_arg = &pmu}};
	struct error e;
	char buf[256];

	event_list_parse(&t.list, "{r1,r2,r3,r4},{r5,r6,r7},r8,r9", &e);
	for (size_t i = 4; i < 8; i++) {
		t.list.events[i].attr.type = 8;
		t.list.events[i].only_core = true;
	}
	plan_init(&t.plan, &t.list);
	plan_build(&t.plan, &t.options);
	is_string(shape(&t.plan, buf), "0,1,2,3;4,5,6;7,8", "a PMU by two types: events of either share a group");
	is_number(rotation_count(&t.plan, 0), 3, "... and groups of both are multiplexed");
	is_number(plan_check_room(&t.plan, &t.options, &e), -EAGAIN, "... since they do not fit together");
	passes_assign(&t.plan);
	is_number(t.plan.groups[1].pass, 2, "... and are counted in separate runs");
	finish(&t);
}

static void test_partners(void)
{
	const struct pmu three = {.counters = 3}, two = {.counters = 2}, one = {.counters = 1};

	is_planned(three, "cycles,branches,cache-references,instructions,branch-misses,cache-misses", "0,3;1,4;2,5", 10,
		   "partners share a group");
	is_planned(two, "r1,cycles,r2,instructions", "0,2;1,3", 6, "they come before others");
	is_planned(two, "cycles:u,instructions:k,instructions:u,cycles:k", "0,2;1,3", 6, "of the same modes");
	is_planned(two, "L1-dcache-loads,L1-icache-loads,L1-dcache-load-misses,L1-icache-load-misses", "0,2;1,3", 6,
		   "of the same cache");
	is_planned(one, "cycles,instructions", "0;1", 4, "unless there are too many for any group");
}

/* On a PMU of six. */
static void test_fewest(void)
{
	struct pmu pmu = {.counters = 6};
	struct trial t;

	build(&t, &pmu,
	      "r1,r2,r3,L1-dcache-loads,L1-dcache-load-misses,L1-icache-loads,L1-icache-load-misses,"
	      "dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses,r4");
	is_number(t.plan.n_groups, 2, "twelve events on six counters are two groups");
	for (size_t i = 3; i < 11; i += 2)
		is_number(t.plan.group_of[i], t.plan.group_of[i + 1], "... of whole pairs");
	finish(&t);
}

static void test_braces(void)
{
	const struct pmu two = {.counters = 2}, four = {.counters = 4};

	is_planned(four, "{cycles,instructions},{r1,r2}", "0,1;2,3", 1, "braces stay, though one group would do");
	is_planned(four, "{cycles,page-faults}", "0,1", 0, "software under a hardware leader where the user wants it");
	is_planned(four, "{page-faults,cs}", "0,1", 0, "software events in braces need no probe");
	is_planned(two, "{r1,r2,r3}:W", "0,1;2", 3, "a weak group is packed like the rest");
	is_planned(four, "{r1,r2,r3}:W", "0,1,2", 1, "if necessary");
	is_planned(four, "{duration_time,r1}", "1", 0, "a tool event in braces is left out");
	is_planned(four, "{duration_time},r1", "1", 0, "added events alone are not a group");
}

static void has_note(struct pmu pmu, const char *events, const char *fit, const char *left)
{
	struct trial t;

	build(&t, &pmu, events);
	is_number(t.plan.n_groups, 1, "a group in braces is not split");
	is_number(t.plan.notes.n, 1, "... and a note says that it is too large");
	if (t.plan.notes.n) {
		ok(strstr(t.plan.notes.v[0], fit) != NULL, t.plan.notes.v[0]);
		ok(strstr(t.plan.notes.v[0], left) != NULL, "... and names the events that do not fit");
	}
	finish(&t);
}

static void test_too_big(void)
{
	has_note((struct pmu){.counters = 2}, "{r1,r2,r3}", "r1 and r2 fit together", "r3 does not");
	has_note((struct pmu){.counters = 1}, "{r1,r2}", "r1 fits", "r2 does not");
	has_note((struct pmu){.counters = 2}, "{r1,r2,r3,r4}", "r1 and r2 fit together", "r3 and r4 do not");
	/* not the first ones: the obstacle is at the front */
	has_note((struct pmu){.counters = 3, .never_a = 1, .never_b = 3}, "{r1,r2,r3}", "r1 and r2 fit", "r3 does not");
	has_note((struct pmu){.counters = 4, .never_a = 1, .never_b = 3}, "{r2,r1,r3,r4}", "r2, r1 and r4 fit",
		 "r3 does not");
	/* in the middle */
	has_note((struct pmu){.counters = 6, .never_a = 1, .never_b = 3, .validates = true}, "{r2,r1,r4,r3}",
		 "r2, r1 and r4 fit", "r3 does not");
	/* a software member is never to blame */
	has_note((struct pmu){.counters = 1}, "{r1,r2,cs}", "r1 and cs fit", "r2 does not");
	/* the counter for cycles takes one more, in any place */
	has_note((struct pmu){.counters = 2, .fixed_cycles = true}, "{r1,r2,r3,cycles}", "r1, r2 and cycles fit",
		 "r3 does not");
}

/* Events that are never scheduled are left out, so that the others are counted; few probes find them. */
static void test_left_out(void)
{
	struct pmu pmu = {.counters = 6, .validates = true}, none = {.counters = 0};
	struct trial t;
	char buf[256];

	build(&t, &pmu, "{r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re}");
	is_string(shape(&t.plan, buf), "0,1,2,3,4,5", "of fourteen events on six counters, six are members");
	is_number(pmu.asked, 3, "... after three probes");
	ok(t.plan.left_out[6] && t.plan.left_out[13] && !t.plan.left_out[5], "... the others are left out");
	is_number(t.plan.group_of[13], 0, "... and still belong to the group");
	finish(&t);
	build(&t, &none, "{r1,r2}");
	is_string(shape(&t.plan, buf), "0,1", "others hold all counters: the group stays whole");
	is_number(t.plan.notes.n, 0, "... it is not too large");
	finish(&t);
}

static void test_no_group(void)
{
	struct pmu pmu = {.counters = 4};
	struct trial t;
	char buf[256];

	build(&t, &pmu, "{cycles,instructions},cs");
	plan_free(&t.plan);
	pmu.asked = 0;
	t.options.no_group = true;
	plan_init(&t.plan, &t.list);
	plan_build(&t.plan, &t.options);
	is_string(shape(&t.plan, buf), "0;1;2", "no groups: each alone");
	is_number(pmu.asked, 1, "... and one probe shows whether they are multiplexed");
	finish(&t);
}

static void test_room(void)
{
	struct pmu none = {.counters = 0}, two = {.counters = 2}, four = {.counters = 4};
	struct error e = {0};
	struct trial t;

	build(&t, &four, "{r1,r2},{r3,r4},cs,page-faults");
	is_number(plan_check_room(&t.plan, &t.options, &e), 0, "two groups that fit together");
	finish(&t);
	build(&t, &two, "r1,r2,cs,r3");
	is_number(plan_check_room(&t.plan, &t.options, &e), -EAGAIN, "two groups that would be multiplexed");
	ok(strstr(e.text, "r3") != NULL, e.text);
	finish(&t);
	build(&t, &two, "r1,r2,r3,r4:D");
	is_number(plan_check_room(&t.plan, &t.options, &e), -EAGAIN, "four groups, the last of which is pinned");
	is_string(e.text, "the events do not all fit on the PMU at once: no counter is free for r2 and r3",
		  "... which gets its counter first");
	finish(&t);
	build(&t, &none, "r1,cs");
	is_number(plan_check_room(&t.plan, &t.options, &e), -EAGAIN,
		  "other processes hold all counters: a single event is tried");
	ok(strstr(e.text, "no counter is free for r1") != NULL, e.text);
	finish(&t);
	build(&t, &two, "cs,page-faults,task-clock");
	is_number(plan_check_room(&t.plan, &t.options, &e), 0, "software events always fit");
	finish(&t);
}

/* Added events belong to the plan: the list stays as the user wrote it, as do the indices of its events. */
static void test_anchors(void)
{
	struct pmu pmu = {.counters = 2, .fixed_cycles = true}, full = {.counters = 2};
	struct trial t;
	char buf[256];

	build(&t, &pmu, "{r1,r2},{r3,r4}");
	anchor_add(&t.plan, &t.options);
	is_string(shape(&t.plan, buf), "0,1,4;2,3,5", "multiplexed groups have an anchor each");
	ok(t.plan.groups[0].has_anchor && t.plan.groups[0].anchor == 4 &&
		   t.plan.events[4].attr.config == PERF_COUNT_HW_CPU_CYCLES,
	   "... of cycles");
	is_number(t.list.n, 4, "... which is not in the list");
	is_number(t.plan.n_shown, 4, "... and has no row");
	finish(&t);
	build(&t, &pmu, "{cycles,r1},{r3,r4}");
	anchor_add(&t.plan, &t.options);
	is_string(shape(&t.plan, buf), "0,1;2,3,4", "a group that counts cycles needs no added anchor");
	finish(&t);
	build(&t, &full, "{r1,r2},{r3,r4}");
	anchor_add(&t.plan, &t.options);
	is_number(t.plan.n_events, 4, "no room, no anchors");
	finish(&t);
}

int main(void)
{
	test_anchors();
	test_outside_braces();
	test_many();
	test_topdown();
	test_at_once();
	test_two_types();
	test_partners();
	test_fewest();
	test_braces();
	test_too_big();
	test_left_out();
	test_no_group();
	test_room();
	return tap_done();
}
