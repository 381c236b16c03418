/* core_times: how long each event could have run on a machine with several core PMUs.
 *
 * A task's event on one of these PMUs runs only while the task is on its cores, but its enabled time also grows
 * elsewhere (Linux 6.1 and 6.18). This is not multiplexing, and extrapolating over it would be wrong: the time for
 * which the task was there, which events of the plan measure (plan/hybrid.h), takes the place of the enabled time.
 * Before Linux 6.2 these events have a separate clock: an event that was never off its PMU may appear scaled by a
 * fraction of a percent. */
#pragma once

#include <stdbool.h>

#include "count/counts.h"
#include "plan/plan.h"

/* Copies all counts, with the time that each event could have run instead of its enabled time. Returns false, without a
 * copy, if this machine does not need it. */
bool core_times_correct(struct counts *corrected, const struct plan *plan, const struct counts *counts);
