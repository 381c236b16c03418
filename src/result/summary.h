/* summary: what repeated measurements of one thing come to: mean, spread, 95% interval, outliers. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct summary {
	size_t n;
	double mean;
	double stddev; /* of the sample, n - 1; 0 for n = 1 */
	double min, median, max;
};

/* n >= 1 finite values. Values that are all equal have themselves for a mean, to the last bit. */
void summary_make(struct summary *s, const double *values, size_t n);

/* Half-width of the 95% interval of the mean, t * stddev / sqrt(n); NAN for n = 1. */
double summary_half_width(const struct summary *s);

/* Which values are outliers: further from the median than 14.826 median absolute deviations, ten standard deviations
 * of a normal distribution (the modified z-score, as hyperfine draws the line). Where more than half of the values are
 * equal the median deviation is 0: then half a per cent of the median, and 1 at the least, stands in its place.
 * Of fewer than five values none is one. Returns how many are. */
size_t summary_outliers(const double *values, size_t n, bool *is_outlier);
