/* plan: the groups in which events are opened, in order. Pure, except for the given probe.
 *
 * Groups that the user wrote in braces stay whole. If such a group can never be scheduled, some of its members are left
 * out, so that the others are counted. Outside braces, software events, tracepoints and probes share one group
 * (they are never multiplexed); breakpoints, pinned and exclusive events, and events bound to a CPU are alone; the
 * events of one hardware PMU are packed into as few groups as the probe accepts, partners of a ratio together. Usually
 * the PMU accepts all events in one probe; a single event, or software events only, need no probe. If there will be
 * several groups, the first probe tests whether all fit at the same time; if they do, no further probe is needed, and
 * no group is multiplexed.
 *
 * Order of calls: plan_init; instances_expand, hybrid_expand, plan_add_clock, plan_add_faults, plan_want_together;
 * plan_build; passes_assign, anchor_add; plan_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "resolve/eventlist.h"

/* Indices of events. */
struct indices {
	size_t *v;
	size_t n;
};

void indices_add(struct indices *set, size_t i);
bool indices_have(const struct indices *set, size_t i);
void indices_free(struct indices *sets, size_t n); /* an array of them */

struct plan_group {
	size_t *members; /* indices into the events, the leader first */
	size_t n;
	bool user;       /* written in braces */
	bool weak;       /* may be split if it does not fit */
	unsigned pass;   /* the run of the command in which it is counted, from 1 (passes.h); 0: there is one run */
	bool has_anchor; /* anchor is set (anchor.h) */
	size_t anchor;   /* a member that counts the same in all groups of the PMU */
};

struct plan {
	const struct event_list *list; /* the user's; not owned */
	const char *only_pmu;          /* of several PMUs that count an event, only this one does; NULL: all of them */
	/* Copies of the list's events at the same indices; then the parts of events that several PMUs count
	 * (instances.h, hybrid.h); then events without rows (added.c, anchor.h). */
	struct event *events;
	size_t n_events;
	size_t n_shown;           /* the list's events and their parts */
	bool has_clock;           /* clock is set */
	size_t clock;             /* task-clock, without a row: the time that the others should have been enabled */
	int next_braces;          /* the next unused number of a group in braces (event.group) */
	struct indices *together; /* events that should be in one group, such as the events of a metric; owned */
	size_t n_together;
	struct plan_group *groups;
	size_t n_groups;
	int *group_of;  /* for each event: its group; -1 for tool events, and sums over core PMUs (event.parts) */
	bool *at_once;  /* for each event: its PMU is known to have room for all groups at the same time; may be NULL */
	bool *left_out; /* for each event: its group has no room for it, so it is not opened; may be NULL */
	/* For each group in braces of which a part is left out: a text with that part and the part that fits. */
	struct strings too_big;
	struct strings notes; /* the groups left out in part, and the core PMUs that lack an event */
};

/* Asks whether these events would be on their PMU together, beside pinned ones, each of which holds a counter. */
struct plan_question {
	const struct event *const *events;
	size_t n;
	const struct event *const *held;
	size_t n_held;
};

/* refused NULL: returns true if all events that can be opened are scheduled together. Otherwise, refused is all false,
 * and is set for each event that does not fit beside those before it; returns true if the others are then scheduled, or
 * false if this PMU cannot tell with one probe. */
typedef bool plan_probe(void *arg, const struct plan_question *question, bool *refused);

struct plan_options {
	bool no_group;        /* each event alone */
	bool no_rotation;     /* default hardware events that do not fit at once are left out */
	bool single_software; /* each software event outside braces alone, so that it can be switched separately */
	plan_probe *probe;    /* knows the PMUs; NULL: assume that every group fits */
	void *probe_arg;
};

/* Starts with the list's events in no groups. list must outlive the plan. */
void plan_init(struct plan *plan, const struct event_list *list);

/* Appends a copy of an event that is in no group and has no row; returns its index. */
size_t plan_add_event(struct plan *plan, const struct event *event);

/* Appends a clock: needed for pinned events, which may lose their counters, and for several runs. */
void plan_add_clock(struct plan *plan);
/* Appends page-faults, unless an event counts them: page faults show programs that the kernel did not count. */
void plan_add_faults(struct plan *plan);
bool plan_is_simulated(const struct plan *plan); /* sim:... */
bool plan_has_pinned(const struct plan *plan);   /* hardware */

/* Requests one group for these events outside braces, if they fit. Takes ownership of the set's contents. */
void plan_want_together(struct plan *plan, struct indices set);

/* Appends a group, or an event to a group. */
struct plan_group *plan_add_group(struct plan *plan);
void plan_add_member(struct plan *plan, struct plan_group *group, size_t event);

void plan_build(struct plan *plan, const struct plan_options *options);

/* Ask the probe (question.c) about events beside the plan's pinned events, as plan_probe; and about a group with one
 * further event, or NULL. */
bool plan_ask(const struct plan *plan, const struct plan_options *options, const struct event *const *events, size_t n,
	      bool *refused);
bool plan_fits(const struct plan *plan, const struct plan_options *options, const struct plan_group *group,
	       const struct event *further);

/* Returns 0 if every group would run the whole time, or -EAGAIN with the events for which no counter is free, because
 * of multiplexing or because others hold the counters. */
int plan_check_room(const struct plan *plan, const struct plan_options *options, struct error *e);

void plan_free(struct plan *plan);
