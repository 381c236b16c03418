/* What the files of collect share: the row that is being filled. */
#pragma once

#include "result/advice.h"
#include "result/collect.h"
#include "result/estimate.h"

/* What rows are made from, and the row that is being filled. */
struct filling {
	struct result *result;
	const struct plan *plan;
	const struct aggr_map *map;
	const struct collect_context *context;
	struct tallies tallies;
	struct advice_machine machine;

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
