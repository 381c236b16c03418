#include "count/schedulability.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "lib/cpuset.h"
#include "lib/util.h"

static const char *cpus_of(const struct event *const *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i]->only_cpus || events[i]->cpus)
			return events[i]->only_cpus ? events[i]->only_cpus : events[i]->cpus;
	return NULL;
}

/* The CPUs where this task may run: a task's events on a PMU of some of the cores run only there. */
struct residency {
	cpu_set_t before;
	bool moved;
};

/* Moves to one of the CPUs. Returns false if this task, and so the command, may not run there. */
static bool residency_move(struct residency *residency, const char *cpus)
{
	struct cpuset list = {0};
	struct error ignored;
	cpu_set_t there;

	residency->moved = false;
	if (!cpus || sched_getaffinity(0, sizeof(residency->before), &residency->before) < 0)
		return true;
	CPU_ZERO(&there);
	cpuset_parse(&list, cpus, &ignored);
	for (size_t i = 0; i < list.n && list.cpus[i] < CPU_SETSIZE; i++)
		CPU_SET((size_t)list.cpus[i], &there);
	cpuset_free(&list);
	CPU_AND(&there, &there, &residency->before);
	if (CPU_EQUAL(&there, &residency->before)) /* the only core PMU, of all CPUs: the usual case */
		return true;
	residency->moved = CPU_COUNT(&there) && sched_setaffinity(0, sizeof(there), &there) == 0;
	return residency->moved;
}

static struct slot slot_for(const struct schedulability_options *o, const char *cpus)
{
	struct slot slot = {.pid = -1, .cpu = o ? o->cpu : -1};
	struct cpuset list = {0};
	struct error ignored;

	if (!o || !o->cpu_wide)
		return (struct slot){.pid = 0, .cpu = -1};
	if (cpus && cpuset_parse(&list, cpus, &ignored) == 0 && list.n && !cpuset_has(&list, o->cpu))
		slot.cpu = list.cpus[0];
	cpuset_free(&list);
	return slot;
}

/* Plans pinned copies of events, as one group or each alone. */
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

/* ---- a group that is open on slot 0 ---- */

static bool gets_on(struct counters *c, size_t leader, uint64_t *running)
{
	counters_switch_all(c, true); /* again: a pinned group that found no room is off until then */
	return counters_ran(c, 0, leader, running);
}

/* Closes members, from the last one on, until the others fit; then opens closed members again, one by one, if they also
 * fit. Returns false if even the leader alone does not fit. */
static bool group_shrink(struct counters *c, size_t leader, size_t n, bool *refused)
{
	uint64_t running = 0;
	size_t last = n;

	while (!gets_on(c, leader, &running)) {
		while (last > leader + 1 && !counters_get(c, 0, last - 1)->open)
			last--;
		if (last == leader + 1)
			return false;
		counters_leave(c, 0, --last);
		refused[last] = true;
	}
	for (size_t i = last + 1; i < n; i++) {
		if (!refused[i])
			continue;
		refused[i] = !counters_join(c, 0, i, leader) || !gets_on(c, leader, &running);
		if (refused[i])
			counters_leave(c, 0, i);
	}
	return true;
}

static bool group_gets_on(struct counters *c, const struct slot *slot, size_t n, bool *refused)
{
	struct error ignored;
	size_t leader = 0;
	bool fits = true;

	if (counters_open(c, slot, &ignored) < 0)
		return true; /* the real open will show it */
	for (size_t i = 0; i < n; i++) {
		fits &= !counters_get(c, 0, i)->no_fit;
		if (refused)
			refused[i] = counters_get(c, 0, i)->no_fit;
	}
	while (leader < n && !counters_get(c, 0, leader)->open)
		leader++;
	if (leader == n)
		return true;
	if (refused)
		return group_shrink(c, leader, n, refused);
	return fits && gets_on(c, leader, &(uint64_t){0});
}

/* Occupies the counters that pinned events will hold the whole time. */
static void hold(struct counters *holder, const struct slot *slot)
{
	struct error ignored;

	if (counters_open(holder, slot, &ignored) == 0)
		counters_switch_all(holder, true);
}

bool schedulability_probe(void *options, const struct plan_question *question, bool *refused)
{
	const struct schedulability_options *o = options;
	const struct counters_options how = {
		.inherit = !o || !o->cpu_wide, .inherit_thread = o && o->inherit_thread, .untested = true};
	const char *cpus = cpus_of(question->events, question->n);
	const struct slot slot = slot_for(o, cpus);
	struct residency residency = {.moved = false};
	struct plan tried = {.list = NULL}, held = {.list = NULL};
	struct counters *c, *holder;
	bool fits;

	if (slot.pid != -1 && !residency_move(&residency, cpus))
		return true;
	plan_pinned(&tried, question->events, question->n, true);
	plan_pinned(&held, question->held, question->n_held, false);
	c = counters_new(&tried, &how);
	holder = counters_new(&held, &how);
	if (question->n_held)
		hold(holder, &slot);
	fits = group_gets_on(c, &slot, question->n, refused);
	counters_free(c);
	counters_free(holder);
	plan_free(&tried);
	plan_free(&held);
	if (residency.moved)
		sched_setaffinity(0, sizeof(residency.before), &residency.before);
	return fits;
}

/* ---- the questions of --check and --list ---- */

static size_t open_copies(const struct event *event, const struct slot *slot, size_t copies, bool untested, int *error)
{
	struct plan plan = {.list = NULL};
	struct counters *c;
	struct error e = {0};
	size_t n = 0;

	for (size_t i = 0; i < copies; i++)
		plan_add_member(&plan, plan_add_group(&plan), plan_add_event(&plan, event));
	c = counters_new(&plan, &(struct counters_options){.untested = untested});
	*error = -counters_open(c, slot, &e);
	for (size_t i = 0; i < copies && !*error; i++)
		n += counters_get(c, 0, i)->open;
	if (!*error)
		*error = counters_get(c, 0, 0)->error;
	counters_free(c);
	plan_free(&plan);
	return n;
}

size_t schedulability_open(const struct event *event, const struct slot *slot, size_t copies, int *error)
{
	return open_copies(event, slot, copies, false, error);
}

bool schedulability_accepts(const struct event *event)
{
	const struct slot task = {.pid = 0, .cpu = -1}, cpu = {.pid = -1, .cpu = sched_getcpu()};
	int error;

	return !event_is_opened(event) || schedulability_open(event, &task, 1, &error) > 0 ||
	       schedulability_open(event, &cpu, 1, &error) > 0;
}

bool schedulability_exists(const struct event *event)
{
	const struct slot task = {.pid = 0, .cpu = -1};
	int error;

	/* without such an event: on x86, ENOENT, or EINVAL for one that makes no sense; on Arm, EOPNOTSUPP */
	return open_copies(event, &task, 1, true, &error) > 0 ||
	       (error != EINVAL && error != ENOENT && error != EOPNOTSUPP);
}

size_t schedulability_copies(const struct event *event)
{
	const struct event *copies[SCHEDULABILITY_COPIES];
	bool refused[SCHEDULABILITY_COPIES] = {false};
	size_t n = 0;

	for (size_t i = 0; i < SCHEDULABILITY_COPIES; i++)
		copies[i] = event;
	if (!schedulability_probe(NULL, &(struct plan_question){.events = copies, .n = SCHEDULABILITY_COPIES}, refused))
		return 0;
	for (size_t i = 0; i < SCHEDULABILITY_COPIES; i++)
		n += !refused[i];
	return n;
}
