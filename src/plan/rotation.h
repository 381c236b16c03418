/* rotation: which groups of a plan take turns on a PMU, as the kernel rotates them when they do not all fit. Pure. */
#pragma once

#include "plan/plan.h"

/* The PMU that a group may have to wait for, as event_pmu_type returns it; UINT64_MAX for software events alone. */
uint64_t rotation_pmu(const struct plan *plan, size_t group);

/* True for a group that takes no turns because it is pinned. */
bool rotation_excludes(const struct plan *plan, size_t group);

/* True if both groups take turns on the same PMU. */
bool rotation_share(const struct plan *plan, size_t group, size_t other);

/* The number of groups that take turns on the PMU of this one, itself included; 1 if it has its PMU for itself or needs
 * none. */
size_t rotation_count(const struct plan *plan, size_t group);
