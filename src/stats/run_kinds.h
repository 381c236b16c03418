/* run_kinds: whether runs drift, and whether there are two kinds of them. Pure. */
#pragma once

#include <stddef.h>

/* Returns the probability that n >= 3 values in random order depend on their times as much as these values: the test of
 * Spearman's rank correlation, with Student's t distribution. Equal values have the mean of their ranks. *drift: the
 * growth of the values from the first to the last time, by the line of least squares. */
double trend_chance(const double *times, const double *values, size_t n, double *drift);

struct run_kinds {
	size_t n_high;    /* number of values of the high kind */
	double low, high; /* the medians of both kinds */
	/* probability of such a valley between them, if there is one kind with any unimodal distribution */
	double chance;
};

/* Splits n >= 4 values into the two kinds with the least variances (Otsu's threshold). If there were one kind, a
 * distribution with a single mode, values between the two medians would be at least as frequent as near one of them.
 * Therefore the number of values in the middle third between the medians is compared with the numbers in intervals of
 * the same width around the medians, of which the smaller one counts, by the binomial distribution. step: the distance
 * of possible values, 1 for counts; each value stands for an interval of this length. */
void run_kinds_find(struct run_kinds *kinds, const double *values, size_t n, double step);
