#include "lib/random.h"

#include <sys/random.h>

#include "lib/util.h"

uint64_t random_seed(void)
{
	uint32_t seed;

	/* early during boot the kernel may have no randomness yet */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint32_t)clock_now();
	return seed;
}

static uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t random_below(struct random *random, uint64_t n)
{
	uint64_t excess = -n % n, r; /* 2^64 mod n: values that would favour small remainders */

	do
		r = random_next(random);
	while (r < excess);
	return r % n;
}

void random_shuffle(struct random *random, size_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)random_below(random, i), item = items[i - 1];

		items[i - 1] = items[k];
		items[k] = item;
	}
}
