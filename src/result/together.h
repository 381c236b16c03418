/* together: what events say that were counted together, in one multiplexed group: the errors of their ratios, which are
 * smaller than the errors of the counts, and how typical the group's turns were by its anchor. Pure.
 *
 * Order of calls: together_init; together_ratio_error, together_anchor_error; together_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"

struct together {
	const struct plan *plan;
	const struct counts *counts;
	size_t *slots; /* in the order of their keys */
	size_t *first; /* per key: where its slots begin; and one more */
};

void together_init(struct together *t, const struct plan *plan, const struct counts *counts,
		   const struct aggr_map *map);

/* Of the ratio of two events of one group, over the slots of a key: half of the 95% interval, relative to the ratio;
 * NAN: not known. a, b: the estimates of the events for the key. */
double together_ratio_error(const struct together *t, size_t key, size_t event, double a, size_t other, double b);

/* How far off the estimate of the anchor is that the group's turns give, relative to the anchor: an error that was
 * seen. false: there is no anchor. */
bool together_anchor_error(const struct together *t, size_t key, size_t group, double *error);

void together_free(struct together *t);
