/* plan: which events are opened together. Events in groups, in order; pure but for the probe that is handed in.
 *
 * Groups the user wrote in braces stay whole. Outside braces, software events and tracepoints share groups of their own
 * (they never multiplex), breakpoints and probes likewise; the events of one hardware PMU are packed into as few groups
 * as the probe says get on the PMU.
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
	int *group_of; /* per event: its group, -1 for tool events */
};

enum plan_fit {
	PLAN_FITS,    /* opened and got on the PMU */
	PLAN_TOO_BIG, /* refused, or opened and never ran */
	PLAN_UNKNOWN, /* an event cannot be opened at all here: says nothing of the size */
};

/* Does a group of these n events get on the PMU together? */
typedef enum plan_fit plan_probe(void *arg, const struct event *const *events, size_t n);

struct plan_options {
	bool no_group;     /* each event alone */
	plan_probe *probe; /* NULL: hardware events are opened alone */
	void *probe_arg;
};

/* list must outlive the plan. 0 or -errno. */
int plan_build(struct plan *plan, const struct event_list *list, const struct plan_options *options, struct error *e);
void plan_free(struct plan *plan);
