/* prepare: makes the events and their groups from the options, before anything is started. */
#pragma once

#include <stddef.h>

#include "cli/options.h"
#include "host/cgroup.h"
#include "lib/error.h"
#include "metric/metric_set.h"
#include "plan/plan.h"
#include "resolve/eventlist.h"
#include "trace/dynprobe.h"
#include "trace/functions.h"

/* Handles -e, --filter, -d, -M, cgroups and the modes: makes the list, the metrics, and the plan's events. cgroups: the
 * caller frees its lists. ranking: its events are set. Changes options that depend on the
 * events: with a command, the whole system is counted if no event can be counted for tasks, and rows per CPU become
 * rows per core if all events have the term percore. Returns 0 or -errno. */
int prepare_events(struct options *o, struct event_list *events, struct metric_set *metrics,
		   struct cgroup_options *cgroups, struct plan *plan, struct ranking *ranking, struct error *e);

/* True if context switches are followed, on all CPUs. After prepare_events. */
bool prepare_watches_cpus(const struct options *o);

/* Called before the groups are planned: defines the probes that must be inherited. probes NULL: defines nothing, but
 * marks the probes that would not be inherited. */
void prepare_probes(struct options *o, struct plan *plan, struct dynprobes *probes, struct tracefs *tracefs);

/* Finds the functions of --regions and defines their probes. */
int prepare_functions(const struct options *o, struct functions *functions, struct dynprobes *probes,
		      struct tracefs *tracefs, struct strings *notes, struct error *e);

/* Makes the groups, tested on the PMU. With --strict, returns -EAGAIN if groups would be multiplexed. */
int prepare_plan(const struct options *o, struct plan *plan, struct error *e);
