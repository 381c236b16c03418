/* tally: what the slots of a key say of an event, added up: its counts, its estimate, and what went wrong. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"
#include "count/sample.h"
#include "result/estimate.h"
#include "result/mux_error.h"

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
void tally_all(struct tally *tallies, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
	       const struct tally_options *options);
