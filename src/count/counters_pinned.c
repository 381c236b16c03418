/* Pinned events that have lost their counter. */

#include "count/counters_internal.h"

#define APART_NS 200000 /* by how much the enabled times of groups of a slot may differ, and a hundredth */

/* For how long an event that is not pinned was enabled on the PMU, and with it each pinned event that had a counter:
 * the kernel switches the events of a task on a PMU together. 0: there is no such event. */
static uint64_t enabled_on_pmu(const struct counters *c, const struct slot_cells *s, size_t pinned)
{
	uint64_t pmu = rotation_pmu(c->plan, (size_t)c->plan->group_of[pinned]), enabled = 0;

	for (size_t ev = 0; ev < c->plan->n_events; ev++) {
		const struct cell *cell = &s->cells[ev];

		if (cell->count.open && !cell->count.apart && !c->plan->events[cell->leader].attr.pinned &&
		    rotation_pmu(c->plan, (size_t)c->plan->group_of[ev]) == pmu && cell->count.sample.enabled > enabled)
			enabled = cell->count.sample.enabled;
	}
	return enabled;
}

/* A pinned event that finds no counter, or loses it, is in an error state, in which it is not enabled. A read tells
 * that as long as the task lives, and reads of a group of inherited events do not: so it is compared with others of its
 * PMU, or with the clock. */
void slot_find_lost(const struct counters *c, struct slot_cells *s)
{
	const struct count *clock = &s->cells[c->plan->clock].count;

	for (size_t ev = 0; ev < c->plan->n_events && clock->open; ev++) {
		struct cell *cell = &s->cells[ev];
		uint64_t enabled = cell->count.sample.enabled, whole;

		if (!cell->count.open || cell->count.apart || !event_is_hardware(&c->plan->events[ev]) ||
		    !c->plan->events[cell->leader].attr.pinned)
			continue;
		whole = enabled_on_pmu(c, s, ev);
		if (!whole)
			whole = clock->sample.enabled;
		if ((whole && !enabled) || enabled + whole / 100 + APART_NS < whole)
			cell->count.no_counter = true;
	}
}
