/* anchor: cycles, counted in every multiplexed group of a PMU if a counter is free for them. They show how typical the
 * slices of each group were (estimate.h). */
#pragma once

#include "plan/plan.h"

/* Adds an event that counts cycles to each multiplexed group; in a group that already counts cycles, that event is the
 * anchor. A PMU with a group that has no room gets no anchors. */
void anchor_add(struct plan *plan, const struct plan_options *options);
