/* multi_run: --no-multiplex. Groups that would have to take turns on a PMU are counted in runs of the command of their
 * own, one after the other, and put together as if it had been one measurement: the times, the usage and the counts of
 * software events are those of the first pass.
 *
 * Order of calls: multi_run_prepare before plan_build; multi_run_assign after it; multi_run_measure for measure.
 */
#pragma once

#include "count/plan.h"
#include "run/measure.h"

/* Have the CPU time of each pass counted: what the passes are compared by. */
void multi_run_prepare(struct plan *plan);

/* Give each group its pass (plan_group.pass). Does nothing to a plan whose groups need not take turns. */
void multi_run_assign(struct plan *plan);

/* As measure; a plan without passes is measured in one go. A signal to this process ends it after the pass. */
int multi_run_measure(struct measured *m, const struct measure_options *options, struct signals *signals,
		      struct error *e);
