#include "stats/variance.h"

#include <math.h>

#include "lib/number.h"
#include "stats/summary.h"

/* Lags share slices, and slices share rotation intervals, so m slices have fewer than m - 1 degrees of freedom. With
 * half of that, 95% of the intervals were right in simulations of rates with and without memory. */
static double degrees_of_freedom(size_t slices)
{
	return slices > 2 ? (double)(slices - 1) / 2 : 0.5;
}

static double walk_intensity(const struct mux_stats_lag lags[2])
{
	double rise = lags[1].square - lags[0].square, run = lags[1].walk - lags[0].walk, most;

	if (run <= 0 || rise <= 0 || lags[0].walk <= 0)
		return 0;
	most = lags[0].square / lags[0].walk; /* no noise at all */
	return rise / run < most ? rise / run : most;
}

/* The noise is the difference between neighbours less the walk's share. That share depends on few slices. Only this
 * part of it is subtracted, since an interval with too little noise is worse than one with too much. */
#define WALK_TAKEN_OFF 0.8

static double noise_of_lag(const struct mux_stats_lag *neighbours, double intensity)
{
	double square = neighbours->square, share = square > 0 ? intensity * neighbours->walk / square : 0;

	return square * (1 - WALK_TAKEN_OFF * share * share);
}

/* If a rate does not depend on the position in the rotation interval, this share of the fits looks as if it did: small,
 * since slices are not distributed normally where a host takes CPUs away. Rates in step are far beyond it. */
#define CHANCE 0.00001

static bool depends_on_position(const struct mux_phase_fit *phase)
{
	return phase->df2 > 0 && fisher_tail(phase->f, phase->df1, phase->df2) < CHANCE;
}

/* Returns the excess of the count with rates on straight lines. Time after the slices has the last rate. */
static double offset_of(const struct mux_stats_lines *lines, double running, double enabled)
{
	return lines->estimate + (enabled - lines->enabled) * lines->last -
	       (lines->counted + (running - lines->running) * lines->last) / running * enabled;
}

struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled)
{
	double f = running / enabled, gap = (1 - f) * sums.cycle;
	double intensity = walk_intensity(sums.lags), df = degrees_of_freedom(sums.n);
	double offset = offset_of(&sums.lines, running, enabled), v;

	if (running <= 0 || f >= 1)
		return (struct variance){.slices = sums.n};
	v = enabled * enabled / running * (1 - f) * noise_of_lag(&sums.lags[0], intensity) +
	    gap * gap / 12 * (enabled + 2 * gap) * intensity + offset * offset;
	return (struct variance){
		.value = v,
		.per_df = v * v / df,
		.slices = sums.n,
		.swing = depends_on_position(&sums.phase) ? (enabled - running) * sums.phase.swing : 0,
	};
}

struct variance variance_add(struct variance a, struct variance b)
{
	return (struct variance){
		.value = a.value + b.value,
		.per_df = a.per_df + b.per_df,
		.slices = a.slices + b.slices,
		.swing = a.swing + b.swing,
	};
}

#define DF_MIN 0.5

/* From the slices alone. */
static double half_width_of_slices(struct variance v)
{
	double df = v.value * v.value / v.per_df;

	if (v.slices < MULTIPLEX_SLICES_MIN)
		return NAN;
	if (v.value <= 0)
		return 0;
	/* fewer degrees of freedom than a single slot has: variances of slots have cancelled each other out */
	return df < DF_MIN ? NAN : student_quantile(0.975, df) * sqrt(v.value);
}

bool variance_is_in_step(struct variance v)
{
	return v.swing > half_width_of_slices(v);
}

double variance_half_width(struct variance v)
{
	return variance_is_in_step(v) ? NAN : half_width_of_slices(v);
}
