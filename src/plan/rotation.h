/* rotation: the groups of a plan that are multiplexed: the kernel rotates them on a PMU if they do not all fit. Pure.
 */
#pragma once

#include "plan/plan.h"

/* Returns the PMU for which a group may have to wait, as in event_pmu_type; UINT64_MAX for a software group. */
uint64_t rotation_pmu(const struct plan *plan, size_t group);

/* True for a group that is not multiplexed because it is pinned. */
bool rotation_excludes(const struct plan *plan, size_t group);

/* True if both groups are multiplexed on the same PMU. */
bool rotation_same(const struct plan *plan, size_t group, size_t other);

/* Returns the number of groups that are multiplexed on the PMU of this one, including itself; 1 if it is alone on its
 * PMU, or needs none. */
size_t rotation_count(const struct plan *plan, size_t group);
