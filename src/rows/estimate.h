/* estimate: what the slots of each key, added up, say of each event over the whole time that it was enabled, how far
 * off that may be, and what went wrong. Pure.
 *
 * Order of calls: tallies_make; the others as often as wanted; tallies_free.
 *
 * A count is scaled by time: it is to the whole as running is to enabled. The anchor is cycles that all groups of the
 * PMU count: these take turns, so one of them is on the PMU at any time, and together they have counted it the whole
 * time.
 *
 * How far off that may be is known where the group was read again and again (variance.h); and groups that have not seen
 * how a program started may have missed as much as those that have seen it tell.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "plan/plan.h"
#include "stats/variance.h"

/* One event over all slots of a key. */
struct tally {
	struct sample raw;        /* the sums, unscaled */
	struct sample ran;        /* the same over the slots where it ran, the value scaled */
	uint64_t starved_for;     /* ns enabled on slots where it never ran */
	struct variance variance; /* of the value in ran */
	bool open, user_only, no_fit, no_counter, scaled, apart;
	bool ended, came; /* one of its CPUs went offline, or came online: it was not counted all the time */
	bool before_exec; /* it includes what the command's process did before its exec */
	bool unattributed, may_include_others, may_miss_more; /* see counts.h */
	uint64_t may_miss_up_to;
	unsigned slots, refused;     /* where it was to be counted, and could not */
	unsigned cpus, cpus_refused; /* the same of CPUs, where slots are CPUs or sums over CPUs; 0: they are not */
	int cpu;                     /* the first of cpus_refused */
	bool not_switched;           /* one of the refusals came when it was to be switched on or off */
	int error;                   /* of the first refusal */
	int read_error;              /* of a counter that was opened and could not be read */
};

struct tallies {
	const struct plan *plan; /* not owned, like counts */
	const struct counts *counts;
	bool on_task;    /* the slots are tasks, not CPUs */
	struct tally *v; /* [key * events + event] */
	bool *counted;   /* per event: is there a slot where it was to be counted? */
	/* Per event: does its group need a PMU's counters, for which it may have waited? Others are never scaled. */
	bool *waits;
	size_t *slots; /* in the order of their keys; NULL: nothing was multiplexed */
	size_t *first; /* per key: where its slots begin; and one more */
};

/* All events of all keys. The tally of a sum over core PMUs is that of its parts. */
void tallies_make(struct tallies *t, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
		  bool on_task);

const struct tally *tallies_at(const struct tallies *t, size_t key, size_t event);

/* May some of it, and of the time in which it was to be counted, be of no slot? Then neither. */
bool tally_is_vague(const struct tally *tally);
/* May some of it be what could not be attributed, or, if that is in it, be of other tasks? Neither of that as such, nor
 * of the sum over all tasks. */
bool tally_is_short(const struct tally *tally, enum aggr_mode scope);
/* Is all excluded that it could count? User probes are counted all the same, and some system calls'. */
bool tally_is_excluded(const struct tally *tally, const struct event *event);
/* Is its value not exact? */
bool tally_is_estimate(const struct tally *tally);

/* Of the ratio of two events of one group: half of the 95% interval, relative to the ratio; NAN: not known. It is less
 * than the errors of the counts make it, since these were counted together. */
double tallies_ratio_error(const struct tallies *t, size_t key, size_t event, size_t other);

/* The variance that comes of what the group, on this slot, has not seen before its first turn, where it is taken to
 * have had the same rate as later. How much more or less the groups counted that had their turns before that, of events
 * that count in the same modes, tells how far off that may be: the mean square of it is taken; and for the difference
 * of a and ratio * b, the places of two members, how alike the events are in this. */
double start_variance(const struct tallies *t, size_t slot, size_t group, size_t a, double ratio, size_t b);

/* The error of the anchor's estimate from the group's turns, relative to its count in all groups. false: there is no
 * anchor. */
bool tallies_anchor_error(const struct tallies *t, size_t key, size_t group, double *error);

void tallies_free(struct tallies *t);
