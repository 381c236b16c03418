/* random: numbers that a seed reproduces on every machine (splitmix64; Steele, Lea and Flood, OOPSLA 2014); not for
 * secrets. Pure, except random_seed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* initially the seed */
};

/* A seed from the kernel; 32 bits, since people copy it. */
uint64_t random_seed(void);

/* From 0 to n - 1, all equally likely; n >= 1. */
uint64_t random_below(struct random *random, uint64_t n);

/* Put items[0..n) into a random order, all equally likely. */
void random_shuffle(struct random *random, size_t *items, size_t n);
