#include "plan/anchor.h"

#include "lib/util.h"
#include "plan/rotation.h"

/* Sets the modes that all hardware events of the group's PMU share, or else all modes. */
static void set_modes(struct event *anchor, const struct plan *plan, size_t group)
{
	const struct perf_event_attr *modes = NULL;

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct event *event = &plan->events[i];
		const struct perf_event_attr *attr = &event->attr;

		if (plan->group_of[i] < 0 || !event_is_hardware(event) ||
		    !rotation_same(plan, (size_t)plan->group_of[i], group))
			continue;
		if (!modes) {
			modes = attr;
			anchor->modes_given = event->modes_given;
			anchor->guest_given = event->guest_given;
		} else if (!event_modes_equal(attr, modes)) {
			anchor->modes_given = anchor->guest_given = false;
			return;
		}
	}
	if (modes)
		event_modes_copy(&anchor->attr, modes);
}

static void make_anchor(struct event *anchor, const struct plan *plan, size_t group)
{
	uint64_t pmu = rotation_pmu(plan, group);

	event_init(anchor, EVENT_ABI);
	anchor->name = xstrdup("cycles");
	anchor->full_name = xstrdup("cycles");
	anchor->pmu = xstrdup("cpu");
	anchor->attr.type = PERF_TYPE_HARDWARE;
	anchor->attr.config = PERF_COUNT_HW_CPU_CYCLES;
	if (pmu != PERF_TYPE_RAW) /* for one of several core PMUs; on any other PMU this cannot be opened */
		anchor->attr.config |= pmu << PERF_PMU_TYPE_SHIFT;
	anchor->core = plan->events[plan->groups[group].members[0]].core;
	set_modes(anchor, plan, group);
}

/* Returns the index of the member that counts the same as the anchor, or the group's size. */
static size_t find_member(const struct plan *plan, const struct plan_group *g, const struct event *anchor)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct perf_event_attr *attr = &plan->events[g->members[i]].attr;

		if (attr->type == anchor->attr.type && attr->config == anchor->attr.config &&
		    event_modes_equal(attr, &anchor->attr))
			return i;
	}
	return g->n;
}

static bool group_has_room(const struct plan *plan, const struct plan_group *g, const struct event *anchor,
			   const struct plan_options *o)
{
	return find_member(plan, g, anchor) < g->n || !o->probe || plan_fits(plan, o, g, anchor);
}

static void give_anchor(struct plan *plan, size_t group, const struct event *anchor)
{
	struct plan_group *g = &plan->groups[group];
	size_t i = find_member(plan, g, anchor);

	g->has_anchor = true;
	if (i == g->n)
		plan_add_member(plan, g, plan_add_event(plan, anchor));
	g->anchor = g->members[i];
}

/* first: the first group of the PMU. */
static void add_to_pmu(struct plan *plan, size_t first, const struct plan_options *o)
{
	struct event anchor;
	bool all = true;

	make_anchor(&anchor, plan, first);
	for (size_t g = first; g < plan->n_groups && all; g++)
		all = !rotation_same(plan, g, first) || group_has_room(plan, &plan->groups[g], &anchor, o);
	for (size_t g = first; g < plan->n_groups && all; g++)
		if (rotation_same(plan, g, first))
			give_anchor(plan, g, &anchor);
	event_free(&anchor);
}

void anchor_add(struct plan *plan, const struct plan_options *options)
{
	for (size_t g = 0; g < plan->n_groups; g++) {
		size_t first = 0;

		while (!rotation_same(plan, first, g))
			first++;
		if (first == g && rotation_count(plan, g) > 1)
			add_to_pmu(plan, g, options);
	}
}
