#include "count/schedulability.h"

#include <sched.h>
#include <string.h>

#include "count/counters.h"
#include "lib/cpuset.h"
#include "lib/util.h"

/* Those of a list ("0-3,8") that a cpu_set_t can hold. */
static void cpus_parse(cpu_set_t *set, const char *list)
{
	struct cpuset cpus = {0};
	struct error ignored;

	CPU_ZERO(set);
	cpuset_parse(&cpus, list, &ignored);
	for (size_t i = 0; i < cpus.n && cpus.cpus[i] < CPU_SETSIZE; i++)
		CPU_SET((size_t)cpus.cpus[i], set);
	cpuset_free(&cpus);
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

static struct slot slot_for(const struct schedulability_options *o, const char *cpus)
{
	if (!o || !o->cpu_wide)
		return (struct slot){.pid = 0, .cpu = -1};
	return (struct slot){.pid = -1, .cpu = cpus ? (int)strtol(cpus, NULL, 10) : o->cpu};
}

/* Copies of the events, pinned: as one group, or each for itself. */
static void plan_pinned(struct plan *plan, const struct event *const *events, size_t n, bool together)
{
	struct plan_group *g = NULL;

	for (size_t i = 0; i < n; i++) {
		plan_add_event(plan, events[i]);
		plan->events[i].attr.pinned = 1;
		if (!g || !together)
			g = plan_add_group(plan);
		g->user = true;
		plan_add_member(plan, g, i);
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

/* A plan of the events alone, and where they are tried. */
struct trial {
	struct plan plan, held;
	struct counters *c;
	struct counters *holder; /* NULL: nothing is held */
	struct slot slot;
	struct stay stay;
	bool possible;
};

static bool is_among(const struct event *event, const struct event *const *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] == event)
			return true;
	return false;
}

/* Hold what the plan's own pinned events will hold the whole time, whoever else takes turns. */
static void hold_pinned(struct trial *t, const struct counters_options *how, const struct plan *plan,
			const struct event *const *tried, size_t n_tried)
{
	auto_free const struct event **pinned = xcalloc(plan->n_events, sizeof(*pinned));
	struct error ignored;
	size_t n = 0;

	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].attr.pinned && event_is_hardware(&plan->events[i]) &&
		    !is_among(&plan->events[i], tried, n_tried))
			pinned[n++] = &plan->events[i];
	if (n == 0)
		return;
	plan_pinned(&t->held, pinned, n, false);
	t->holder = counters_new(&t->held, how);
	if (counters_open(t->holder, &t->slot, &ignored) == 0)
		counters_enable(t->holder);
}

static void trial_begin(struct trial *t, const struct schedulability_options *o, const struct event *const *events,
			size_t n)
{
	const struct counters_options how = {.inherit = !o || !o->cpu_wide, .inherit_thread = o && o->inherit_thread};
	const char *cpus = cpus_of(events, n);

	*t = (struct trial){.slot = slot_for(o, cpus)};
	plan_pinned(&t->plan, events, n, true);
	t->c = counters_new(&t->plan, &how);
	t->possible = t->slot.pid == -1 || stay_begin(&t->stay, cpus);
	if (t->possible && o && o->plan)
		hold_pinned(t, &how, o->plan, events, n);
}

static void trial_end(struct trial *t)
{
	counters_free(t->c);
	counters_free(t->holder);
	stay_end(&t->stay);
	plan_free(&t->plan);
	plan_free(&t->held);
}

bool schedulability_probe(void *options, const struct event *const *events, size_t n)
{
	struct trial trial;
	bool fits;

	trial_begin(&trial, options, events, n);
	fits = !trial.possible || group_gets_on(trial.c, &trial.slot, n);
	trial_end(&trial);
	return fits;
}

/* ---- which fit ---- */

/* A group that is open, and which of the events are to stay in it. Those that cannot be opened at all are in no one's
 * way. */
struct taking {
	struct counters *c;
	const size_t *unit_of;
	size_t n, leader;
	bool *taken;
	uint64_t running;
};

static bool gets_on(struct taking *t)
{
	counters_enable(t->c); /* again: a pinned group that found no room is off until then */
	return counters_ran(t->c, 0, t->leader, &t->running);
}

static void drop_unit(struct taking *t, size_t unit)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->unit_of[i] == unit) {
			counters_leave(t->c, 0, i);
			t->taken[i] = false;
		}
}

/* Drop the last unit but the leader's that is open. The index of its first event, or n: there is none. */
static size_t drop_last(struct taking *t)
{
	size_t i = t->n;

	while (i > 0 && (!t->taken[i - 1] || !counters_get(t->c, 0, i - 1)->open))
		i--;
	if (i == 0 || t->unit_of[i - 1] == t->unit_of[t->leader])
		return t->n;
	drop_unit(t, t->unit_of[--i]);
	while (t->unit_of[i - 1] == t->unit_of[i])
		i--;
	return i;
}

/* Put back a unit that was dropped, if it fits by now. */
static void try_unit(struct taking *t, size_t first)
{
	bool joined = true;

	for (size_t i = first; joined && i < t->n && t->unit_of[i] == t->unit_of[first]; i++)
		t->taken[i] = joined = counters_join(t->c, 0, i, t->leader);
	if (joined && gets_on(t))
		return;
	drop_unit(t, t->unit_of[first]);
	gets_on(t);
}

/* As many units from the beginning as get on together, then what else does. */
static void take_units(struct taking *t)
{
	size_t refused = t->n, first = t->n;

	for (size_t i = 0; i < t->n; i++)
		if (counters_get(t->c, 0, i)->no_fit && t->unit_of[i] != t->unit_of[t->leader]) {
			drop_unit(t, t->unit_of[i]);
			first = first < i ? first : i;
		}
	while (!gets_on(t)) {
		size_t dropped = drop_last(t);

		if (dropped == t->n)
			return;
		refused = dropped;
	}
	for (size_t i = first < refused ? first : refused; i < t->n; i++)
		if (i != refused && !t->taken[i] && t->unit_of[i] != t->unit_of[i - 1])
			try_unit(t, i);
}

static bool is_one_group(const struct counters *c, size_t leader, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (counters_get(c, 0, i)->open && counters_leader(c, 0, i) != (int)leader)
			return false;
	return leader < n;
}

static void take_open(struct counters *c, const struct slot *slot, const size_t *unit_of, size_t n, bool *taken)
{
	struct taking t = {.c = c, .unit_of = unit_of, .n = n, .taken = taken};
	struct error ignored;

	if (counters_open(c, slot, &ignored) < 0)
		return; /* the real open will tell */
	while (t.leader < n && !counters_get(c, 0, t.leader)->open)
		t.leader++;
	if (is_one_group(c, t.leader, n))
		take_units(&t);
}

void schedulability_take(void *options, const struct event *const *events, const size_t *unit_of, size_t n, bool *taken)
{
	struct trial trial;

	trial_begin(&trial, options, events, n);
	for (size_t i = 0; i < n; i++)
		taken[i] = true;
	if (trial.possible)
		take_open(trial.c, &trial.slot, unit_of, n, taken);
	trial_end(&trial);
}
