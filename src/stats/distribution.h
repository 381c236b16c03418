/* distribution: the distribution of values, in memory that does not grow with their number. The sum, the least and the
 * largest value are exact. The median is exact below 64, and otherwise within 1.6%: larger values are counted in each
 * of 32 equal parts of every octave. Pure.
 *
 * Order of calls: zero-initialize; distribution_add; the others; distribution_free. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct distribution {
	uint64_t n, sum, min, max;
	uint64_t *buckets; /* NULL without values */
};

void distribution_add(struct distribution *d, uint64_t value);
/* n > 0. */
double distribution_median(const struct distribution *d);
/* True if distribution_median may differ from the median. */
bool distribution_is_rough(const struct distribution *d);
/* Sets the numbers of values from 2^(octave-1) to 2^octave - 1; octave 0: of zeros. */
#define OCTAVES 65
void distribution_octaves(const struct distribution *d, uint64_t octaves[OCTAVES]);
void distribution_free(struct distribution *d);
