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

/* Student's t distribution, for real degrees of freedom, as Satterthwaite's approximation gives them. */

/* The probability that a t of df > 0 degrees of freedom is beyond ±t: two-sided, precise in the tails. */
double student_tails(double t, double df);

/* The t below which a share p of the distribution lies, 0 < p < 1: student_quantile(0.975, n - 1) is the factor of a
 * 95% interval. df > 0, infinity is the normal distribution. */
double student_quantile(double p, double df);
