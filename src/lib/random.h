/* random: numbers that a seed reproduces on every machine (splitmix64; Steele, Lea and Flood, OOPSLA 2014); not for
 * secrets. Only random_seed is impure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* starts as the seed */
};

/* Returns a seed from the kernel; 32 bits, since people copy it. */
uint64_t random_seed(void);

/* Returns a number from 0 to n - 1, all equally likely; n >= 1. */
uint64_t random_below(struct random *random, uint64_t n);

/* Puts items[0..n) into a random order, all orders equally likely. */
void random_shuffle(struct random *random, size_t *items, size_t n);
