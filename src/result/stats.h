/* stats: Student's t distribution, for real degrees of freedom, as Satterthwaite's approximation gives them. Pure.
 */
#pragma once

/* The probability that a t of df > 0 degrees of freedom is beyond ±t: two-sided, precise in the tails. */
double stats_t_tails(double t, double df);

/* The t below which a share p of the distribution lies, 0 < p < 1: stats_t_quantile(0.975, n - 1) is the factor of a
 * 95% interval. df > 0, infinity is the normal distribution. */
double stats_t_quantile(double p, double df);
