/* prepare: from the options to the events and their groups, before anything is started. */
#pragma once

#include <stddef.h>

#include "cli/options.h"
#include "host/cgroup.h"
#include "lib/error.h"
#include "metric/formula_set.h"
#include "plan/plan.h"
#include "resolve/eventlist.h"
#include "trace/dynprobe.h"

/* All of -e, --filter, -d, -M, cgroups and the modes: the list, the metrics, and the plan's events. cgroups: its lists
 * are to be freed. rank_by: the event that rows are sorted by, SIZE_MAX for none. Options that depend on the events are
 * changed: of a command, the whole system is counted if no event can be counted for tasks, and rows per CPU are rows
 * per core if all events have the term percore. 0 or -errno. */
int prepare_events(struct options *o, struct event_list *events, struct formula_set *formulas,
		   struct cgroup_options *cgroups, struct plan *plan, size_t *rank_by, struct error *e);

/* Before the groups are planned: define the probes that have to be inherited. probes NULL: nothing is defined; which of
 * them would not be inherited is set nevertheless. */
void prepare_probes(const struct options *o, struct plan *plan, struct dynprobes *probes, struct tracefs *tracefs);

/* The groups, tried on the PMU. -EAGAIN: --strict, and some would have to take turns. */
int prepare_plan(const struct options *o, struct plan *plan, struct error *e);
