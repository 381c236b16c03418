/* hybrid: machines with several core PMUs (big and little cores). An event that names no core PMU is counted on each.
 *
 * hybrid_expand adds the parts of such an event to the plan, one for each core PMU that has it: `cycles:u` becomes the
 * sum of `cpu_core/cycles/u` and `cpu_atom/cycles/u`. The sum is in no group and is not opened; on each PMU the parts
 * of the members of a group in braces are a group.
 *
 * A task's event on one of these PMUs runs only while the task is on its cores, but its enabled time also grows
 * elsewhere (Linux 6.1 and 6.18). This is not multiplexing, and extrapolating over it would be wrong. For tasks, the
 * plan therefore gets events that count nothing, one for each CPU: their running times show how long the task was
 * there, and hybrid_correct_times uses these times instead of the enabled time. Before Linux 6.2 these events have a
 * separate clock: an event that was never off its PMU may appear scaled by a fraction of a percent.
 *
 * On other machines, the only cost is one look into /sys, if the plan contains an event of a core PMU. */
#pragma once

#include <stdbool.h>

#include "count/counts.h"
#include "plan/plan.h"

/* Called after plan_init. on_task: tasks are counted, not CPUs. */
void hybrid_expand(struct plan *plan, bool on_task);

/* Copies all counts, with the time that each event could have run instead of its enabled time. Returns false, without a
 * copy, if this machine does not need it. */
bool hybrid_correct_times(struct counts *corrected, const struct plan *plan, const struct counts *counts);
