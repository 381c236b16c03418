/* schedulability: the plan's probe (plan.h). Do events get on their PMU together? Opening proves nothing: the kernel
 * takes groups that never run. So they are opened as a group, enabled and read at once, and closed.
 *
 * The probe's group is pinned, so that it comes before all that only takes its turn: it says what the PMU can do beside
 * the pinned events of others (the NMI watchdog's) and of the plan itself, whatever else is counted at the moment.
 * Otherwise it is opened as the real one will be, by the same fallbacks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/eventlist.h"

struct schedulability_options {
	bool inherit_thread;     /* as in counters_options */
	bool cpu_wide;           /* on a CPU rather than the own task: */
	int cpu;                 /* on this one, unless the PMU counts only on others */
	const struct plan *plan; /* whose pinned events hold their counters; NULL: there are none */
};

/* A plan_probe; options: struct schedulability_options, NULL: as for a command. */
bool schedulability_probe(void *options, const struct event *const *events, size_t n, bool *refused);
