/* estimate: for each key and event, the sum over the slots, extrapolated to the whole time that the event was enabled;
 * its error; and losses. Pure.
 *
 * Order of calls: estimates_make; the others as often as wanted; estimates_free.
 *
 * A count is scaled by time: value * enabled / running. The anchor is cycles that all groups of the PMU count: at any
 * time, one of the multiplexed groups is on the PMU, so together they have counted the anchor the whole time.
 *
 * The error is known for a group that was read repeatedly (variance.h). Groups that did not count the start of a
 * program may have missed as much as the groups that counted it show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "plan/plan.h"
#include "stats/variance.h"

/* One event over all slots of a key. */
struct estimate {
	struct sample raw;        /* unscaled sums */
	struct sample ran;        /* the same over the slots where it ran, with the value scaled */
	uint64_t starved_for;     /* ns enabled on slots where it never ran */
	struct variance variance; /* of the value in ran */
	bool open, user_only, no_fit, no_counter, scaled, apart;
	bool stopped;     /* one of its CPUs went offline and came back, and was not counted since */
	bool gone, came;  /* one of its CPUs went offline, or came online: it was not counted all the time */
	bool before_exec; /* it includes the work of the command's process before its exec */
	bool unattributed, may_include_others, may_miss_more; /* see counts.h */
	bool partly_in_rest, uncounted;
	unsigned pass; /* the run of the command in which it was counted, as in the plan's groups */
	bool passes;   /* it is the sum of parts of several such runs */
	uint64_t may_miss_up_to;
	unsigned slots, refused;     /* slots where it should be counted, and where it was refused */
	unsigned cpus, cpus_refused; /* the same for CPUs, if slots are CPUs or sums over CPUs; otherwise 0 */
	int cpu;                     /* the first of cpus_refused */
	bool not_switched;           /* one of the refusals was an attempt to switch it on or off */
	int error;                   /* of the first refusal */
	int read_error;              /* of reading an opened counter */
};

struct estimates {
	const struct plan *plan; /* not owned, like counts */
	const struct counts *counts;
	bool on_task;       /* the slots are tasks, not CPUs */
	struct estimate *v; /* [key * events + event] */
	bool *counted;      /* for each event: true if any slot should count it */
	size_t *slots;      /* in the order of their keys; NULL if nothing was multiplexed */
	size_t *first;      /* for each key: the index of its first slot; and one more */
};

/* Makes the estimates of all events of all keys. A sum over core PMUs has the estimate of its parts. */
void estimates_make(struct estimates *t, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, bool on_task);

const struct estimate *estimates_at(const struct estimates *t, size_t key, size_t event);

/* True if a part of the count, and of its enabled time, may have been charged to no slot: neither is exact. */
bool estimate_is_partly_unattributed(const struct estimate *estimate);
/* True if unattributed work may belong to the count, or is in it and may belong to others. False for the row of that
 * work itself, and for the sum over all tasks, unless the work may be of tasks that are not counted. */
bool estimate_is_short(const struct estimate *estimate, enum aggr_mode scope);
/* True if a part of it was not counted, or is in the row of unattributed work. */
bool estimate_is_lower_bound(const struct estimate *estimate);
/* True if the modifiers exclude everything that it could count. User probes are always counted, as are some system
 * calls. */
bool estimate_is_excluded(const struct estimate *estimate, const struct event *event);
/* True if its value is not exact. */
bool estimate_is_inexact(const struct estimate *estimate);

/* Returns half of the 95% interval of the ratio of two events of one group, relative to the ratio; NAN if unknown. It
 * is smaller than the errors of the counts suggest, since both were counted together. */
double estimates_ratio_error(const struct estimates *t, size_t key, size_t event, size_t other);

/* Returns the variance from the time before the group first ran on this slot, in which it is assumed to have had its
 * later rate. a and b: positions of two members; the variance is that of a - ratio * b.
 *
 * Groups that ran in that time show how large this error may be: the variance is the mean square of their excess over
 * their later rates, for events that count in the same modes. The products of these excesses show how much of it a and
 * b have in common. */
double start_variance(const struct estimates *t, size_t slot, size_t group, size_t a, double ratio, size_t b);

/* Stores the error of the anchor's estimate from the group's time on the PMU, relative to its count in all groups.
 * Returns false if there is no anchor. */
bool estimates_anchor_error(const struct estimates *t, size_t key, size_t group, double *error);

void estimates_free(struct estimates *t);
