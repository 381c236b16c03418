/* summary: mean, spread, 95% interval and outliers of repeated measurements; Student's t distribution. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

struct summary {
	size_t n;
	double mean;
	double stddev; /* of the sample, n - 1; 0 for n = 1 */
	double min, median, max;
};

/* n >= 1 finite values. The mean of equal values is the value itself, to the last bit. */
void summary_make(struct summary *s, const double *values, size_t n);

/* Of n >= 2 pairs. */
double summary_covariance(const double *a, const double *b, size_t n);

/* Half-width of the 95% interval of the mean, t * stddev / sqrt(n); NAN for n = 1. */
double summary_half_width(const struct summary *s);

/* Where runs go on until their interval is narrow enough, they end the sooner the more the deviation is too small by
 * chance, and 95% intervals hold 90%. Wider by this factor, 1 + 3/n, they hold 95% from five runs on, of values that
 * are about normally distributed (the form is Woodroofe's, Annals of Statistics 5(5), 1977; the unit tests measure it).
 */
double summary_until_factor(size_t n);

/* Outliers, of runs as of reports, are further from the median than this: 14.826 median absolute deviations, ten
 * standard deviations of a normal distribution (the modified z-score, with the limit that hyperfine has). 0 if more
 * than half of the values are equal. */
double summary_outlier_limit(const double *values, size_t n);

/* The outliers of runs. Where the limit is 0, it is that of a deviation of half a per cent of the median, at least 1.
 * Fewer than five values have no outliers. Returns their number. */
size_t summary_outliers(const double *values, size_t n, bool *is_outlier);

/* The outliers of merged reports: further from the median than the limit, than 5% of the median and than 3.5 times
 * noise, the standard deviation that chance alone makes. Fewer than four values have none. Returns their number. */
size_t summary_outliers_of_reports(const double *values, size_t n, double noise, bool *is_outlier);

/* Student's t distribution of df > 0 degrees of freedom, which need not be an integer (Satterthwaite's approximation):
 * the probability of being beyond ±t, two-sided and precise in the tails. */
double student_tails(double t, double df);

/* The F distribution: the probability of being above f. */
double fisher_tail(double f, double df1, double df2);

/* The t below which a share p of the distribution lies, 0 < p < 1: student_quantile(0.975, n - 1) is the factor of a
 * 95% interval. With df infinite, the normal distribution's. */
double student_quantile(double p, double df);
