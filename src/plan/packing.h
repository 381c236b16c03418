/* packing: events of one PMU into as few groups as the PMU schedules, found by asking a probe. Pure but for that. plan
 * decides what is packed.
 *
 * Order of calls: fill in events and probe; packing_fits and packing_find_part as often as wanted; packing_make once,
 * which fills the bins; packing_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"

/* Indices of events. */
struct indices {
	size_t *v;
	size_t n;
};

void indices_add(struct indices *set, size_t i);
bool indices_have(const struct indices *set, size_t i);
void indices_free(struct indices *sets, size_t n); /* an array of them */

/* Do those of these n events that can be opened at all get on their PMU together? With refused, all false: it is set
 * for each event that does not get on with those before it, and the answer is about the others; false then means that
 * one question cannot tell. */
typedef bool plan_probe(void *arg, const struct event *const *events, size_t n, bool *refused);

struct packing {
	const struct event *events;
	size_t n_events;
	const bool *at_once;            /* per event: known to get on beside all others of its PMU */
	const struct indices *together; /* sets of events that are wanted in one group each: a metric's */
	size_t n_together;
	bool ask_of_single; /* whether one event gets on, too: others may hold all counters */
	plan_probe *probe;  /* NULL: everything fits */
	void *probe_arg;

	struct indices *bins; /* what came of it: the groups, in the order of their first events */
	size_t n_bins;
	struct indices *units; /* packing's own: events that are wanted together */
	size_t n_units;
};

/* Do the events of a and b (NULL: none) get on together? Usually the probe is not asked when at most one needs a
 * counter. */
bool packing_fits(const struct packing *p, const struct indices *a, const struct indices *b);

/* All in one group if that fits; else the largest unit first, each into the first group that takes it ("first fit
 * decreasing": never more than 11/9 of the fewest groups and a rest). */
void packing_make(struct packing *p, const struct indices *members);

/* Order the members of a group so that the one leads that must (event_needs_slots). */
void members_put_leader(const struct event *events, size_t *members, size_t n);

/* Into part (to be freed), the better of what can be kept of the members from either end: nearly always the largest
 * part that fits. */
void packing_find_part(const struct packing *p, struct indices *part, const struct indices *members);

void packing_free(struct packing *p);
