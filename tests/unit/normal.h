/* normal: random numbers for tests. */
#pragma once

#include "lib/random.h"

/* About normally distributed: mean 0, deviation 1. */
static inline double draw_normal(struct random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(random, 1 << 30) / (1 << 30);
	return sum;
}
