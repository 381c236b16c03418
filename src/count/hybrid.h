/* hybrid: machines with several core PMUs (big and little cores). An event that names none of them is counted on each.
 *
 * hybrid_expand adds the parts of such an event to the plan, one for each core PMU that has it: `cycles:u` becomes
 * the sum of `cpu_core/cycles/u` and `cpu_atom/cycles/u`. The sum is in no group and is not opened; on each PMU the
 * parts of the members of a group in braces are a group.
 *
 * A task's event of one of these PMUs runs only while the task is on its cores, yet its enabled time goes on elsewhere
 * (Linux 6.1 and 6.18). That is not multiplexing, and extrapolating over it would be wrong. So for tasks the plan also
 * gets events that count nothing, one for each CPU: their running times say how long the task was there, and
 * hybrid_settle puts that in the place of the enabled time. Before Linux 6.2 those have a clock of their own: an event
 * that never was off its PMU may show as scaled by a part of a percent.
 *
 * On any other machine nothing is done, at the cost of one look into /sys if there is an event of a core PMU.
 */
#pragma once

#include <stdbool.h>

#include "count/counts.h"
#include "plan/plan.h"

/* After plan_init. on_task: tasks are to be counted, not CPUs. */
void hybrid_expand(struct plan *plan, bool on_task);

/* A copy of all counts, whose samples have the time that the event could have run in the place of its enabled time.
 * False: not needed on this machine, and nothing is copied. */
bool hybrid_settle(struct counts *settled, const struct plan *plan, const struct counts *counts);
