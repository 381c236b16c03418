/* anchor: cycles, counted in every group of a PMU whose groups take turns, if there is a counter for them. They show
 * how typical the turns of each group were (estimate.h).
 */
#pragma once

#include "plan/plan.h"

/* Add an event that counts cycles to each group that takes turns; a group that counts cycles already has its anchor in
 * that. Nothing is done to a PMU of which one group has no room. */
void anchor_add(struct plan *plan, const struct plan_options *options);
