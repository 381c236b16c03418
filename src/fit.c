#include "fit.h"

#include <sched.h>
#include <string.h>

#include "counters.h"
#include "util.h"

/* The CPUs of a cpulist ("0-3,8") that a cpu_set_t can hold. */
static void cpus_parse(cpu_set_t *set, const char *list)
{
	CPU_ZERO(set);
	while (*list) {
		char *end;
		size_t first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET(first, set);
		if (*end != ',')
			return;
		list = end + 1;
	}
}

static const char *cpus_of(const struct event *const *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i]->cpus)
			return events[i]->cpus;
	return NULL;
}

/* A task's events of a PMU that belongs to some of the cores run only there. */
struct stay {
	cpu_set_t before;
	bool moved;
};

/* Go to one of the CPUs. False: they are not for this task, and so not for the command. */
static bool stay_begin(struct stay *stay, const char *cpus)
{
	cpu_set_t there;

	stay->moved = false;
	if (!cpus || sched_getaffinity(0, sizeof(stay->before), &stay->before) < 0)
		return true;
	cpus_parse(&there, cpus);
	CPU_AND(&there, &there, &stay->before);
	if (CPU_EQUAL(&there, &stay->before)) /* the one core PMU of all CPUs: the usual case */
		return true;
	stay->moved = CPU_COUNT(&there) && sched_setaffinity(0, sizeof(there), &there) == 0;
	return stay->moved;
}

static void stay_end(const struct stay *stay)
{
	if (stay->moved)
		sched_setaffinity(0, sizeof(stay->before), &stay->before);
}

static struct slot slot_for(const struct fit_options *o, const char *cpus)
{
	if (!o || !o->cpu_wide)
		return (struct slot){.pid = 0, .cpu = -1};
	return (struct slot){.pid = -1, .cpu = cpus ? (int)strtol(cpus, NULL, 10) : o->cpu};
}

/* Borrow the events (their strings stay theirs) as a plan of one pinned group. */
static void plan_borrow(struct plan *plan, struct event_list *list, const struct event *const *events, size_t n)
{
	struct plan_group *g;

	*list = (struct event_list){.events = xcalloc(n, sizeof(*list->events)), .n = n};
	*plan = (struct plan){.list = list, .group_of = xcalloc(n, sizeof(int))};
	g = ARRAY_PUSH(plan->groups, plan->n_groups);
	g->user = true;
	for (size_t i = 0; i < n; i++) {
		list->events[i] = *events[i];
		list->events[i].attr.pinned = 1;
		*ARRAY_PUSH(g->members, g->n) = i;
	}
}

static bool group_gets_on(struct counters *c, const struct slot *slot, size_t n)
{
	struct error ignored;

	if (counters_open(c, slot, &ignored) < 0)
		return true; /* the real open will tell */
	counters_enable(c);
	counters_read(c);
	for (size_t i = 0; i < n; i++) {
		const struct count *count = counters_get(c, 0, i);

		if (count->no_fit || count->no_counter || (count->open && sample_is_starved(count->sample)))
			return false;
	}
	return true;
}

bool fit_probe(void *options, const struct event *const *events, size_t n)
{
	const struct fit_options *o = options;
	const struct counters_options how = {.inherit = !o || !o->cpu_wide, .inherit_thread = o && o->inherit_thread};
	const char *cpus = cpus_of(events, n);
	struct slot slot = slot_for(o, cpus);
	struct event_list list;
	struct counters *c;
	struct plan plan;
	struct stay stay = {.moved = false};
	bool fits = true;

	plan_borrow(&plan, &list, events, n);
	c = counters_new(&plan, &how);
	if (slot.pid == -1 || stay_begin(&stay, cpus))
		fits = group_gets_on(c, &slot, n);
	counters_free(c);
	stay_end(&stay);
	free(list.events);
	plan_free(&plan);
	return fits;
}
