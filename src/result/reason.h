/* reason: why an event that could be opened has no count, or a count without an error, by what its group and the others
 * of its PMU did. Pure. What was refused, and what the machine says, is advice's.
 */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "count/plan.h"
#include "result/estimate.h"

/* No counter was free. */
#define REASON_HELD "it never got on its PMU: others held the counters"

/* It was enabled and never ran; its group was found to get on when it was planned. A constant. */
const char *reason_of_starved(const struct tallies *t, size_t key, size_t event);

/* It is pinned, and was without a counter for a part of the time or the whole of it. To be freed. */
char *reason_of_pinned(const struct tallies *t, size_t key, size_t event);

/* In a row of this scope it is scaled, and its error is not known. A constant. in_every_run: it may be wrong in every
 * run in the same way. */
const char *reason_of_no_error(const struct tallies *t, enum aggr_mode scope, size_t event, const struct tally *tally,
			       bool *in_every_run);

/* On a row that has no other: what it leaves out, or has too much; "" if nothing. left_out: of all rows, or NULL. */
const char *reason_of_rest(const struct key *key, const struct event *event, const struct tally *tally,
			   const char *left_out);
