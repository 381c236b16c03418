/* The time that a task's events could have run on one of several core PMUs, from counts that are made up; and that a
 * machine without several is left alone. */

#include "count/core_times.h"
#include "lib/util.h"
#include "os/kernel.h"
#include "plan/hybrid.h"
#include "pmu/pmu.h"
#include "tap.h"

/* Two core PMUs: 0 with CPUs 0 and 1, 1 with CPU 2. Two events on the first, one on the second, one of software. */
enum { A, B, C, SOFTWARE, ON_0, ON_1, ON_2, EVENTS };

struct made_up {
	struct plan plan;
	struct counts counts;
};

static void set(struct made_up *m, size_t i, int core, uint64_t enabled, uint64_t running)
{
	event_init(&m->plan.events[i], EVENT_ABI);
	m->plan.events[i].core = core;
	m->plan.events[i].core_clock = i >= ON_0;
	*counts_at(&m->counts, 0, i) = (struct count){.open = true, .sample = {1000, enabled, running}};
}

static void make(struct made_up *m, uint64_t a, uint64_t b, uint64_t c, const uint64_t on[3])
{
	m->plan = (struct plan){.events = xcalloc(EVENTS, sizeof(struct event)), .n_events = EVENTS};
	counts_init(&m->counts, 1, EVENTS);
	set(m, A, 0, 10000, a);
	set(m, B, 0, 10000, b);
	set(m, C, 1, 10000, c);
	set(m, SOFTWARE, -1, 10000, 10000);
	for (size_t i = 0; i < 3; i++)
		set(m, ON_0 + i, i == 2, 10000, on[i]);
}

static struct sample corrected(const struct made_up *m, size_t i)
{
	struct counts counts = {0};
	struct sample s = {0};

	if (core_times_correct(&counts, &m->plan, &m->counts))
		s = counts_at(&counts, 0, i)->sample;
	counts_free(&counts);
	return s;
}

static uint64_t enabled(const struct made_up *m, size_t i)
{
	return corrected(m, i).enabled;
}

static void finish(struct made_up *m)
{
	plan_free(&m->plan);
	counts_free(&m->counts);
}

static void test_times(void)
{
	struct made_up m;

	make(&m, 6000, 6000, 4000, (uint64_t[]){2500, 3500, 4000});
	is_number(enabled(&m, A), 6000, "an event that ran while the task was there is complete");
	is_number(enabled(&m, C), 4000, "... on either PMU");
	is_number(enabled(&m, SOFTWARE), 10000, "software is left alone");
	is_number(corrected(&m, A).value, 1000, "the value is kept");
	finish(&m);

	make(&m, 3000, 3000, 2000, (uint64_t[]){2500, 3500, 4000});
	is_number(enabled(&m, A), 6000, "a multiplexed one could have run as long as the task was there");
	is_number(enabled(&m, C), 4000, "... on either PMU");
	finish(&m);

	make(&m, 0, 0, 10000, (uint64_t[]){0, 0, 10000});
	is_number(enabled(&m, A), 0, "where the task never was, it could not run");
	finish(&m);

	make(&m, 0, 0, 5000, (uint64_t[]){5000, 0, 5000});
	is_number(enabled(&m, A), 5000, "where it was, an event that never ran is starved");
	finish(&m);

	make(&m, 5999, 6000, 2000, (uint64_t[]){2500, 3500, 4000});
	is_number(enabled(&m, A), 6000, "an event that lacks even a little was off its PMU");
	is_number(enabled(&m, B), 6000, "... and an event that lacks nothing was not off it");
	finish(&m);

	make(&m, 5960, 5949, 2000, (uint64_t[]){2500, 3500, 4000});
	for (size_t i = ON_0; i < EVENTS; i++)
		counts_at(&m.counts, 0, i)->sample.enabled = 10050;
	is_number(enabled(&m, A), 5960, "the difference of the clocks is not multiplexing");
	is_number(enabled(&m, B), 6000, "... a larger difference is");
	finish(&m);
}

static void test_without(void)
{
	struct made_up m;

	make(&m, 3000, 3000, 2000, (uint64_t[]){0, 0, 0});
	for (size_t i = ON_0; i < EVENTS; i++)
		counts_at(&m.counts, 0, i)->open = false;
	is_number(enabled(&m, A), 10000, "on CPUs, where the time is unknown, the enabled time stays");
	finish(&m);
}

/* On this machine, whatever it is. */
static void test_expand(void)
{
	struct event_list list = {0};
	struct plan plan;
	struct core_pmus pmus;
	struct error e;

	core_pmus_read(&pmus);
	ok(pmus.n != 1, "several core PMUs, or one");
	ok(event_list_parse(&list, "{cycles:u,cs},instructions,page-faults,r1", &e) == 0, "a list");
	plan_init(&plan, &list);
	hybrid_expand(&plan, true);
	if (pmus.n == 0) {
		is_number(plan.n_events, 5, "one core PMU at the most: nothing is added");
		is_number(plan.events[1].group, 0, "... and nothing is changed");
	} else {
		is_number(plan.events[0].parts, pmus.n, "a generic event has a part on each core PMU");
		is_number(plan.events[1].group, -1, "... and software leaves its group");
	}
	for (size_t i = 5; i < plan.n_shown; i++)
		ok(plan.events[i].parent >= 0 && plan.events[i].core >= 0 && plan.events[i].cpus &&
			   plan.events[i].parts == 0,
		   "a part knows its PMU");
	plan_free(&plan);
	event_list_free(&list);
	core_pmus_free(&pmus);
}

int main(void)
{
	test_times();
	test_without();
	test_expand();
	return tap_done();
}
