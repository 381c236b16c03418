/* packing: puts events of one PMU into as few groups as the PMU schedules, found with a probe. Otherwise pure. plan
 * decides which events are packed.
 *
 * Order of calls: fill in plan, options and at_once; packing_fits and packing_find_largest as often as wanted;
 * packing_make once, which fills the bins; packing_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

struct packing {
	const struct plan *plan;
	const struct plan_options *options;
	const bool *at_once; /* for each event: known to fit together with all others of its PMU; or NULL */
	bool ask_of_single;  /* also probe single events: others may hold all counters */

	struct indices *bins; /* the resulting groups, in the order of their first events */
	size_t n_bins;
	struct indices *units; /* internal: events that should be together */
	size_t n_units;
};

/* True if the events of a and b (may be NULL) fit together. Usually there is no probe if at most one needs a counter.
 */
bool packing_fits(const struct packing *p, const struct indices *a, const struct indices *b);

/* Makes one group if everything fits; otherwise puts the largest unit first, each into the first group that accepts it
 * ("first fit decreasing": at most 11/9 of the fewest groups plus a constant). */
void packing_make(struct packing *p, const struct indices *members);

/* Moves the member that must lead (event_needs_slots) to the front. */
void members_put_leader(const struct event *events, size_t *members, size_t n);

/* Stores in kept, which the caller frees, the better of two selections, from either end: nearly always the largest part
 * that fits. */
void packing_find_largest(const struct packing *p, struct indices *kept, const struct indices *members);

void packing_free(struct packing *p);
