/* random: numbers that a seed reproduces on every machine (splitmix64, Steele, Lea and Flood, OOPSLA 2014); good for an
 * order and for a length, not for secrets. Pure, but for random_seed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state; /* at first: the seed */
};

/* A seed from the kernel, of few digits, since people copy it. */
uint64_t random_seed(void);

/* From 0 to n - 1, n >= 1, each as likely. */
uint64_t random_below(struct random *random, uint64_t n);

/* Put items[0..n) into a random order, each as likely. */
void random_shuffle(struct random *random, size_t *items, size_t n);
