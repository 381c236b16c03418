/* hybrid: machines with several core PMUs (big and little cores). An event that names no core PMU is counted on each.
 *
 * hybrid_expand adds the parts of such an event to the plan, one for each core PMU that has it: `cycles:u` becomes the
 * sum of `cpu_core/cycles/u` and `cpu_atom/cycles/u`. The sum is in no group and is not opened; on each PMU the parts
 * of the members of a group in braces are a group. For tasks, the plan also gets events that count nothing, one for
 * each CPU, whose running times show how long the task was there (count/core_times.h).
 *
 * On other machines, the only cost is one look into /sys, if the plan contains an event of a core PMU. */
#pragma once

#include <stdbool.h>

#include "plan/plan.h"

/* Called after plan_init. on_task: tasks are counted, not CPUs. */
void hybrid_expand(struct plan *plan, bool on_task);
