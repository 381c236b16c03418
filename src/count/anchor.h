/* anchor: cycles, counted in every group of a PMU whose groups take turns, where they have a counter of their own: so
 * that it shows how typical the turns of each group were, and so that counts can be scaled by it (estimate.h).
 */
#pragma once

#include "count/plan.h"
#include "event/eventlist.h"

/* Add an event that counts cycles to the list for each group that takes turns and can take it, and to the group; a
 * group that counts cycles already has its anchor in that. Nothing is done to a PMU of which one group has no room.
 * list is the plan's. */
void anchor_add(struct plan *plan, struct event_list *list, const struct plan_options *options);
