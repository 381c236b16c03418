/* ranking: sorts the rows of processes, programs or threads by size, and merges the small ones into one. Pure.
 */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "count/counts.h"

struct ranking {
	size_t event; /* the one to sort by; SIZE_MAX: none, the rows stay in order of birth */
	size_t top;   /* this many rows, and one for all others; 0: all */
};

/* Sort the keys, largest first. Slots of keys behind the top, and of keys that are of `others` already, get one key. */
void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct aggr_map *map);
