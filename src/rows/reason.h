/* reason: the row that collect fills, and why it has no value, or a value without an error: because of its group and
 * the others of its PMU (pure), or because of a refusal (advice). */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "plan/plan.h"
#include "rows/advice.h"
#include "rows/collect.h"
#include "rows/estimate.h"

/* No counter was free. */
#define REASON_HELD "it never got onto its PMU: other processes held the counters"

/* The data from which rows are made, and the row being filled. */
struct filling {
	struct result *result;
	const struct plan *plan;
	const struct aggr_map *map;
	const struct collect_context *context;
	struct estimates estimates;
	const struct item **items;     /* of each event of the plan, or NULL */
	const struct key *subject_key; /* of the last row, with its subject */
	const struct subject *subject;

	size_t index; /* of the event */
	const struct event *event;
	size_t key_index;
	const struct key *key;
	const struct estimate *estimate;
	struct row *row; /* valid until the next row is added */
};

/* reason: a constant, or a string of the result. */
void filling_set_state(struct filling *f, enum status status, const char *reason);
void filling_explain(struct filling *f, enum status status, enum why why);
void filling_set_advice(struct filling *f, enum status status, const struct advice *advice);

/* Fills a row that has no value; returns false if it has one. */
bool filling_set_missing(struct filling *f);

/* Returns why the error of a scaled row of this scope is unknown, a constant. in_every_run: the value may be wrong in
 * every run in the same way. */
const char *reason_of_no_error(const struct estimates *t, enum aggr_mode scope, size_t event,
			       const struct estimate *estimate, bool *in_every_run);

/* Returns why a probe's count differs from the number of calls, or may; "" if it does not. missing: calls or returns
 * are missing, so that the count is a lower bound. */
const char *reason_of_probe(const struct filling *f, bool *missing);

/* Returns why a probe's count may exceed the number of calls; "" if it does not. */
const char *reason_of_excess(const struct filling *f);

/* Returns the reason of a row without another reason: the work that it leaves out or includes in excess; "" if none.
 * left_out: of all rows, or NULL. */
const char *reason_of_rest(const struct plan *plan, const struct key *key, const struct event *event,
			   const struct estimate *estimate, const char *left_out);
