/* tally: what the slots of one key say of each event, added up: counts, estimates, what went wrong; and what events say
 * that were counted together, in one multiplexed group: the errors of their ratios, which are smaller than those of the
 * counts, and by the group's anchor how typical its turns were. Pure.
 *
 * Order of calls: tallies_make; the others as often as wanted; tallies_free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"
#include "result/estimate.h"

/* One event over all slots of a key. */
struct tally {
	struct sample raw;        /* the sums, unscaled */
	struct sample ran;        /* the same over the slots where it ran, the value scaled */
	uint64_t starved_for;     /* ns enabled on slots where it never ran */
	struct variance variance; /* of the value in ran */
	bool open, user_only, no_fit, no_counter, scaled, ended;
	unsigned slots, refused; /* where it was to be counted, and could not */
	int error;               /* of the first refusal */
	int read_error;          /* of a counter that was opened and could not be read */
};

struct tallies {
	const struct plan *plan; /* not owned, like counts */
	const struct counts *counts;
	enum scaling scaling;
	bool on_task;    /* the slots are tasks, not CPUs */
	struct tally *v; /* [key * events + event] */
	bool *counted;   /* per event: is there a slot where it was to be counted? */
	size_t *slots;   /* in the order of their keys; NULL: nothing was multiplexed */
	size_t *first;   /* per key: where its slots begin; and one more */
};

/* All events of all keys, in one pass over the slots. An event that is a sum over core PMUs has the tally of its parts.
 */
void tallies_make(struct tallies *t, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
		  enum scaling scaling, bool on_task);

const struct tally *tallies_at(const struct tallies *t, size_t key, size_t event);

/* Of the ratio of two events of one group: half of the 95% interval, relative to the ratio; NAN: not known. */
double tallies_ratio_error(const struct tallies *t, size_t key, size_t event, size_t other);

/* By how much the estimate of the anchor is off that the group's turns give, relative to the anchor. false: there is no
 * anchor. */
bool tallies_anchor_error(const struct tallies *t, size_t key, size_t group, double *error);

void tallies_free(struct tallies *t);
