/* plan: which events are opened together. Events in groups, in order; pure but for the probe that is handed in.
 *
 * Groups the user wrote in braces stay whole, but for members that will never get on beside the others: these are left
 * out, since the group would starve with them. Outside braces, software events, tracepoints and probes share one group
 * (they never multiplex); breakpoints, pinned and exclusive events and those bound to a CPU are on their own; the
 * events of one hardware PMU are packed into as few groups as the probe says get on the PMU, partners of a ratio
 * together. The usual PMU takes them all, and is asked once; for a single event, or software events only, it is not
 * asked. Where there will be several groups, the first question is whether all get on at the same time: then nothing
 * else is asked, and no group takes turns.
 *
 * Order of calls: plan_init; instances_expand, hybrid_expand, plan_add_clock, plan_want_together; plan_build;
 * multi_run_assign, anchor_add; plan_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "plan/packing.h"
#include "resolve/eventlist.h"

struct plan_group {
	size_t *members; /* indices into the events, the leader first */
	size_t n;
	bool user;       /* written in braces */
	bool weak;       /* may be split when it does not fit */
	unsigned pass;   /* the run of the command that it is counted in, from 1 (multi_run.h); 0: there is one run */
	bool has_anchor; /* the next is set (anchor.h) */
	size_t anchor;   /* a member that counts the same in all groups of the PMU */
};

struct plan {
	const struct event_list *list; /* the user's; not owned */
	/* Copies of the list's events at the same indices; then the parts of those that several PMUs count
	 * (instances.h, hybrid.h); then events without rows, by which the others are judged (anchor.h). */
	struct event *events;
	size_t n_events;
	size_t n_shown;           /* the list's and their parts */
	bool has_clock;           /* the next is set */
	size_t clock;             /* task-clock, without a row: how long the others should have been enabled */
	int next_braces;          /* a number for a group in braces that no event has yet (event.group) */
	struct indices *together; /* events that are wanted in one group: those of a metric; owned */
	size_t n_together;
	struct plan_group *groups;
	size_t n_groups;
	int *group_of;  /* per event: its group; -1: tool events, and sums over core PMUs (event.parts) */
	bool *at_once;  /* per event: its PMU is known to have room for all groups at the same time; NULL: none is */
	bool *left_out; /* per event: its group has no room for it; it is no member, and not opened; NULL */
	struct strings too_big; /* groups in braces of which a part is left out, with that part and what fits */
	struct strings notes;   /* these, and which core PMUs lack an event */
};

struct plan_options {
	bool no_group;        /* each event on its own */
	bool no_rotation;     /* default hardware events that do not fit at once are left out */
	bool single_software; /* each software event outside braces on its own, to be switched on and off by itself */
	plan_probe *probe;    /* NULL: take every group to fit */
	void *probe_arg;
};

/* The list's events in no groups. list must outlive the plan. */
void plan_init(struct plan *plan, const struct event_list *list);

/* Append a copy of an event that is in no group and has no row; returns its index. */
size_t plan_add_event(struct plan *plan, const struct event *event);

/* Append a clock: needed where events are pinned, which may lose their counters, and where there are several runs. */
void plan_add_clock(struct plan *plan);
bool plan_has_pinned(const struct plan *plan); /* hardware */

/* These events outside braces are wanted in one group, where they fit. Takes what is in the set. */
void plan_want_together(struct plan *plan, struct indices set);

/* Append a group, or an event to one. */
struct plan_group *plan_add_group(struct plan *plan);
void plan_add_member(struct plan *plan, struct plan_group *group, size_t event);

void plan_build(struct plan *plan, const struct plan_options *options);

/* Would every group run the whole time, or would some have to take turns, or find that others hold the counters? 0, or
 * -EAGAIN with the events that no counter is left for. */
int plan_check_room(const struct plan *plan, const struct plan_options *options, struct error *e);

void plan_free(struct plan *plan);
