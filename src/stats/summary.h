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

/* values: n >= 1 finite values. The mean of equal values is exactly that value. */
void summary_make(struct summary *s, const double *values, size_t n);

/* Returns a sorted copy, which the caller frees. */
double *summary_sorted(const double *values, size_t n);

/* Returns the covariance of n >= 2 pairs. */
double summary_covariance(const double *a, const double *b, size_t n);

/* Returns the half-width of the 95% interval of the mean, t * stddev / sqrt(n); NAN for n = 1. */
double summary_half_width(const struct summary *s);

/* Student's factor t for n values, kept from one mean to the next, which usually has as many. Zero-initialize. */
struct kept_factor {
	size_t n;
	double t;
};
/* The same for many means. */
double summary_half_width_of_many(const struct summary *s, struct kept_factor *kept);

/* If runs continue until their interval is narrow enough, they tend to end when the deviation is too small by chance,
 * and 95% intervals cover only 90%. Widened by this factor, 1 + 3/n, they cover 95% from five runs on, for values that
 * are about normally distributed (the form is Woodroofe's, Annals of Statistics 5(5), 1977; the unit tests measure
 * it). */
double summary_until_factor(size_t n);

/* Finds the outliers of runs: further from the median than 14.826 median absolute deviations, ten standard deviations
 * of a normal distribution (the modified z-score, with the limit of hyperfine). If this limit is 0, since more than
 * half of the values are equal, uses the limit for a deviation of half a per cent of the median, at least 1. Fewer than
 * five values have no outliers. Returns their number. */
size_t summary_outliers(const double *values, size_t n, bool *is_outlier);

/* Finds the outliers of merged reports: further from the median than this limit, than 5% of the median and than 3.5
 * times noise, the standard deviation by chance alone. Fewer than four values have none. Returns their number. */
size_t summary_outliers_of_reports(const double *values, size_t n, double noise, bool *is_outlier);

/* Finds the 95% interval of a probability that was observed as this share of n trials, of which there may be less than
 * one (E. B. Wilson, Journal of the American Statistical Association 22, 1927). */
void share_interval(double share, double n, double *low, double *high);

/* Student's t distribution with df > 0 degrees of freedom, not necessarily an integer (Satterthwaite's approximation):
 * the probability of being beyond ±t, two-sided and precise in the tails. */
double student_tails(double t, double df);

/* The F distribution: the probability of being above f. */
double fisher_tail(double f, double df1, double df2);

/* Returns the t below which a share p of the distribution lies, 0 < p < 1: student_quantile(0.975, n - 1) is the factor
 * of a 95% interval. With infinite df, uses the normal distribution. */
double student_quantile(double p, double df);
