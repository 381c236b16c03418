/* reason: the row that collect fills, and why it has no value, or a value without an error: by what its group and the
 * others of its PMU did (pure), or by what was refused and the machine says (advice).
 */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "plan/plan.h"
#include "rows/advice.h"
#include "rows/collect.h"
#include "rows/estimate.h"

/* No counter was free. */
#define REASON_HELD "it never got on its PMU: others held the counters"

/* What rows are made from, and the row that is being filled. */
struct filling {
	struct result *result;
	const struct plan *plan;
	const struct aggr_map *map;
	const struct collect_context *context;
	struct tallies tallies;

	size_t index; /* of the event */
	const struct event *event;
	size_t key_index;
	const struct key *key;
	const struct tally *tally;
	struct row *row; /* good until the next row is added */
};

/* reason: constant, or the result's. */
void filling_set_state(struct filling *f, enum status status, const char *reason);
void filling_set_advice(struct filling *f, enum status status, const struct advice *advice);

/* Fill a row that has no value; false: it has one. */
bool filling_set_missing(struct filling *f);

/* In a row of this scope it is scaled, and its error is not known. A constant. in_every_run: it may be wrong in every
 * run in the same way. */
const char *reason_of_no_error(const struct tallies *t, enum aggr_mode scope, size_t event, const struct tally *tally,
			       bool *in_every_run);

/* On a row that has no other: what it leaves out, or has too much; "" if nothing. left_out: of all rows, or NULL. */
const char *reason_of_rest(const struct key *key, const struct event *event, const struct tally *tally,
			   const char *left_out);
