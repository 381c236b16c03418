/* schedulability: the plan's probe (plan.h). Do events get on their PMU together? Opening proves nothing: the kernel
 * takes groups that never run. So they are opened as a group, enabled and read at once, and closed.
 *
 * The probe's group is pinned, so that it comes before all that only takes its turn: it says what the PMU can do beside
 * the pinned events of others (the NMI watchdog's) and of the plan itself, whatever else is counted at the moment.
 * Otherwise it is opened as the real one will be, by the same fallbacks.
 *
 * --check asks the same way what can be counted here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "count/counters.h"

struct schedulability_options {
	bool inherit_thread;     /* as in counters_options */
	bool cpu_wide;           /* on a CPU rather than the own task: */
	int cpu;                 /* on this one, unless the PMU counts only on others */
	const struct plan *plan; /* whose pinned events hold their counters; NULL: there are none */
};

/* A plan_probe; options: struct schedulability_options, NULL: as for a command. */
bool schedulability_probe(void *options, const struct event *const *events, size_t n, bool *refused);

/* Open copies of an event on a slot, each in a group of its own, and close them. How many the kernel opened, and the
 * errno that it refused the first with; 0: it was not refused. */
size_t schedulability_open(const struct event *event, const struct slot *slot, size_t copies, int *error);

/* Does the kernel take it, of a task or else of a CPU? Times of the program itself are no event of the kernel's. */
bool schedulability_accepts(const struct event *event);

#define SCHEDULABILITY_COPIES 40 /* more than any PMU has counters */

/* How many copies of a hardware event run on this task at once. SCHEDULABILITY_COPIES: they could not be opened where
 * this task may run. */
size_t schedulability_copies(const struct event *event);
