/* ranking: the rows of processes, programs or threads in order of size, and those too small to be shown as one. Pure.
 */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "count/counts.h"

struct ranking {
	size_t event; /* by which one; SIZE_MAX: none, and the rows stay in order of birth */
	size_t top;   /* so many rows and one for all others; 0: all */
};

/* Put the keys in order, largest first, and the slots of those behind the top, and of others' keys, under a key of
 * their own. */
void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct aggr_map *map);
