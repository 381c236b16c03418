/* explain: --explain: each metric of -M with its events, each event with the bits that perf_event_open gets, the groups
 * as planned, and whether the kernel accepts and schedules them. The events are opened as in the run, on the tasks or
 * CPUs of the target; for a command, which is not run, on pfmstat. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "metric/metric_set.h"
#include "plan/plan.h"

/* Returns true if everything can be counted. An error goes to standard error. */
bool explain_print(FILE *out, const struct options *options, const struct plan *plan, const struct metric_set *metrics,
		   const struct cgroup_options *cgroups);
