/* tally: what the slots of a key say of an event, added up: its counts, its estimate, and what went wrong. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "counts.h"
#include "estimate.h"
#include "grouping.h"
#include "multiplex.h"
#include "plan.h"
#include "sample.h"

/* One event over all slots. */
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

struct tally_options {
	bool on_task; /* the slots are tasks, not CPUs */
	enum scaling scaling;
};

/* Every event of every key, tallies[key * events + event] (all zero before), in one pass over the slots. An event that
 * is a sum over core PMUs has the tally of its parts. */
void tally_all(struct tally *tallies, const struct plan *plan, const struct counts *counts,
	       const struct grouping *grouping, const struct tally_options *options);
