/* median: the interval of a median, by order statistics. Pure.
 *
 * The interval from the k-th value from below to the k-th from above contains the median of the population unless fewer
 * than k of the n values are below it, or above it, which has a binomial probability, whatever the distribution of the
 * values (W. R. Thompson, Annals of Mathematical Statistics 7(3), 1936). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sets the narrowest such interval that misses the median with at most this probability. Returns false if n values are
 * too few for it. */
bool median_interval(const double *values, size_t n, double level, double *low, double *high);

/* Returns the least n for which there is an interval. */
size_t median_least(double level);
