/* rotation: which groups of a plan share a PMU, so that they are on it one after the other. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/plan.h"

/* The PMU that a group may have to wait for, as event_pmu_type has it; UINT64_MAX: none, it is all software. */
uint64_t rotation_pmu(const struct plan *plan, size_t group);

/* Do the two take turns on the same PMU? What is pinned takes none. */
bool rotation_share(const struct plan *plan, size_t group, size_t other);

/* How many groups take turns on the PMU that this one counts on, itself included; 1: it has its PMU for itself, or
 * needs none. */
size_t rotation_count(const struct plan *plan, size_t group);
