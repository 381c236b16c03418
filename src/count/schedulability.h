/* schedulability: the plan's probe (plan.h): whether events are scheduled on their PMU together. Opening proves
 * nothing: the kernel accepts groups that never run. Therefore the events are opened as a group, enabled, read at once,
 * and closed.
 *
 * The probe's group is pinned, so that it precedes all multiplexed groups: it shows what the PMU can count in addition
 * to the pinned events of others (such as the NMI watchdog) and of the question, independent of other load. Otherwise
 * it is opened like the real group, with the same fallbacks.
 *
 * --check and --list use the same probe to find the events that can be counted here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "count/counters.h"

struct schedulability_options {
	bool inherit_thread; /* as in counters_options */
	bool cpu_wide;       /* on a CPU instead of this task: */
	int cpu;             /* this CPU, unless the PMU counts only on others */
};

/* A plan_probe; options: struct schedulability_options; NULL: as for a command. */
bool schedulability_probe(void *options, const struct plan_question *question, bool *refused);

/* Opens copies of an event on a slot, each in a separate group, and closes them. Returns how many the kernel opened,
 * and stores the errno of the first refusal, or 0. */
size_t schedulability_open(const struct event *event, const struct slot *slot, size_t copies, int *error);

/* True if the kernel accepts it, for a task or else for a CPU. Tool events are not events of the kernel. */
bool schedulability_accepts(const struct event *event);

/* False if this machine's PMU has no such event; true also if this user may not open it. */
bool schedulability_exists(const struct event *event);

#define SCHEDULABILITY_COPIES 40 /* more than any PMU has counters */

/* Returns how many copies of a hardware event run on this task at once. SCHEDULABILITY_COPIES: they could not be opened
 * where this task may run. */
size_t schedulability_copies(const struct event *event);
