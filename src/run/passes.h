/* passes: --no-multiplex. Groups that would be multiplexed on a PMU are counted in passes, each a run of the
 * command, and the results are combined as if from one measurement: times, usage and counts of software events come
 * from the first pass.
 *
 * Order of calls: plan_add_clock before plan_build; passes_assign after it; passes_measure for measure. */
#pragma once

#include "plan/plan.h"
#include "run/measure.h"

/* Gives each group its pass (plan_group.pass), unless no group is multiplexed. The plan's clock will show whether the
 * passes are alike. */
void passes_assign(struct plan *plan);

/* Like measure, which it calls if the plan has no passes. A signal to this process ends it after the current pass. */
int passes_measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e);
