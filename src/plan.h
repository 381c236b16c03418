/* plan: which events are opened together. Events in groups, in order; pure but for the probe that is handed in.
 *
 * Groups the user wrote in braces stay whole. Outside braces, software events, tracepoints and probes share one group
 * (they never multiplex); breakpoints, pinned and exclusive events and those bound to a CPU stand alone; the events of
 * one hardware PMU are packed into as few groups as the probe says get on the PMU, partners of a ratio together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "eventlist.h"

struct plan_group {
	size_t *members; /* indices into the events, the leader first */
	size_t n;
	bool user; /* written in braces */
	bool weak; /* may be split when it does not fit */
};

struct plan {
	const struct event_list *list; /* not owned */
	struct plan_group *groups;     /* tool events are in none */
	size_t n_groups;
	int *group_of;        /* per event: its group, -1 for tool events */
	struct strings notes; /* groups in braces that cannot be scheduled, and the member to blame */
};

/* Do those of these n events that can be opened at all get on their PMU together? */
typedef bool plan_probe(void *arg, const struct event *const *events, size_t n);

struct plan_options {
	bool no_group;        /* each event alone */
	bool single_software; /* software events alone, outside braces: each can be switched on and off by itself */
	plan_probe *probe;    /* NULL: take every group to fit */
	void *probe_arg;
};

/* Does the event count on a PMU with a limited number of counters, so that it may multiplex? */
bool plan_is_hardware(const struct event *event);

/* list must outlive the plan. */
void plan_build(struct plan *plan, const struct event_list *list, const struct plan_options *options);
void plan_free(struct plan *plan);
