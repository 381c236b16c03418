/* rotation: how often groups take turns on their PMU, set for a run (--rotation) and put back after it.
 *
 * The kernel has one number for each PMU, perf_event_mux_interval_ms in sysfs, which holds for all users and which only
 * root may write. A process of its own (the keeper) writes the old number back as soon as this one has ended, even by
 * SIGKILL. Only a run that has groups that take turns sets anything, and only one at a time: the file is locked.
 *
 * Order of calls: rotation_set after the plan is built and before anything is counted; rotation_restore.
 */
#pragma once

#include <sys/types.h>

#include "count/plan.h"

struct rotation {
	int alive;    /* closed, or lost with this process: the keeper puts the old numbers back */
	pid_t keeper; /* 0: nothing was set */
};

/* ns that the kernel leaves a group on its PMU while others wait for it. Reads sysfs. */
uint64_t rotation_turn(const struct plan *plan, size_t group);

/* ms: from 1. What cannot be set stays, and a note on the plan says why
 * and what would set it. */
void rotation_set(struct rotation *r, struct plan *plan, unsigned ms);

/* When this returns, the old numbers are back. */
void rotation_restore(struct rotation *r);
