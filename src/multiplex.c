#include "multiplex.h"

#include <math.h>

#include "stats.h"

static double at_least_0(double x)
{
	return x > 0 ? x : 0;
}

/* Lags share slices, so m slices are worth less than m - 1 degrees of freedom; two thirds of it gave 95% in
 * simulations of rates with and without memory. */
static double degrees_of_freedom(size_t slices)
{
	return slices > 1 ? 2.0 * (double)(slices - 1) / 3 : 0.5;
}

struct variance multiplex_variance(struct spread_sums sums, double running, double enabled)
{
	double f = running / enabled;
	double walk = at_least_0(sums.lag2 - sums.lag1);
	double noise = at_least_0(sums.lag1 - (1 - f / 3) * walk);
	double gap = (1 - f) * enabled / (double)(sums.n ? sums.n : 1);
	double v;

	if (running <= 0 || f >= 1)
		return (struct variance){.slices = sums.n};
	v = enabled * enabled / running * ((1 - f) * noise + (1 - f) * (1 - f) * walk / 6) +
	    sums.rise * sums.rise * gap * gap / 12;
	return (struct variance){v, v * v / degrees_of_freedom(sums.n), sums.n};
}

struct variance variance_add(struct variance a, struct variance b)
{
	return (struct variance){a.value + b.value, a.per_df + b.per_df, a.slices + b.slices};
}

double variance_half_width(struct variance v)
{
	if (v.slices < MULTIPLEX_SLICES_MIN)
		return NAN;
	if (v.value <= 0)
		return 0;
	return stats_t_quantile(0.975, v.value * v.value / v.per_df) * sqrt(v.value);
}
