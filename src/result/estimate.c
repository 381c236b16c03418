#include "result/estimate.h"

#include <math.h>

#include "count/rotation.h"
#include "result/summary.h"

/* Lags share slices, and slices share turns, so m slices are worth less than m - 1 degrees of freedom; half of it gave
 * 95% in simulations of rates with and without memory. */
static double degrees_of_freedom(size_t slices)
{
	return slices > 2 ? (double)(slices - 1) / 2 : 0.5;
}

/* Of the walk's part of what neighbours differ by, so much is taken off to get at the noise. With all of it the noise
 * would come out too small as often as too large, and an interval suffers more from the former. */
#define WALK_TAKEN_OFF 0.8

static double intensity_of(const struct mux_stats_lag lags[2])
{
	double rise = lags[1].square - lags[0].square, run = lags[1].walk - lags[0].walk, most;

	if (run <= 0 || rise <= 0 || lags[0].walk <= 0)
		return 0;
	most = lags[0].square / lags[0].walk; /* no noise at all */
	return rise / run < most ? rise / run : most;
}

struct variance estimate_variance(struct mux_stats_sums sums, double running, double enabled)
{
	double f = running / enabled, gap = (1 - f) * sums.cycle;
	double intensity = intensity_of(sums.lags);
	double noise = sums.lags[0].square - WALK_TAKEN_OFF * intensity * sums.lags[0].walk;
	double v;

	if (running <= 0 || f >= 1)
		return (struct variance){.slices = sums.n};
	v = enabled * enabled / running * (1 - f) * noise +
	    gap * gap / 12 * (enabled * intensity + sums.rise * sums.rise) + sums.drift * sums.drift;
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
	return student_quantile(0.975, v.value * v.value / v.per_df) * sqrt(v.value);
}

/* ---- counts ---- */

/* The groups of a PMU are on it one after the other: so much may be missing of the enabled time, or be there twice. */
#define GAPLESS 0.02

static size_t position(const struct plan_group *g, size_t event)
{
	size_t i = 0;

	while (i < g->n && g->members[i] != event)
		i++;
	return i;
}

/* Of estimate a - ratio * b, where rate_ratio is the ratio that the rates are looked at with. With less than three
 * slices nothing is known but that it is no more than the whole: that is rare, and little, with many slots. */
static struct variance variance_of(const struct mux_stats *spread, size_t a, double ratio, size_t b, struct sample time,
				   double estimate)
{
	struct mux_stats_sums sums;

	if (mux_stats_slices(spread) < 3)
		return (struct variance){.value = estimate * estimate, .slices = mux_stats_slices(spread)};
	sums = mux_stats_of(spread, a, ratio, b);
	return estimate_variance(sums, (double)time.running, (double)time.enabled);
}

static uint64_t round_count(double v)
{
	return v < 18446744073709549568.0 ? (uint64_t)(v + 0.5) : UINT64_MAX;
}

struct estimate estimate_count(const struct plan *plan, const struct counts *counts, size_t slot, size_t event,
			       enum scaling scaling)
{
	const struct count *count = counts_at(counts, slot, event);
	struct sample s = count->sample;
	size_t group = (size_t)plan->group_of[event];
	const struct plan_group *g = &plan->groups[group];
	const struct mux_stats *spread = counts_mux_stats(counts, slot, group);
	struct estimate e = {.value = count->by_parts ? count->estimate : sample_scale(s)};
	size_t at = position(g, event), anchor_at = at;
	struct anchor_share share;
	double ratio = 0;

	if (!sample_is_scaled(s))
		return e;
	if (scaling == SCALING_ANCHOR && estimate_anchor(plan, counts, slot, group, &share) && share.counted > 0) {
		e.value = round_count((double)s.value / share.counted * share.whole);
		anchor_at = position(g, g->anchor);
		ratio = (double)s.value / share.counted;
	}
	e.variance = variance_of(spread, at, ratio, anchor_at, s, (double)e.value);
	return e;
}

struct variance estimate_difference(const struct plan *plan, const struct counts *counts, size_t slot, size_t event,
				    double ratio, size_t other)
{
	struct sample a = counts_at(counts, slot, event)->sample, b = counts_at(counts, slot, other)->sample;
	size_t group = (size_t)plan->group_of[event];
	const struct plan_group *g = &plan->groups[group];

	if (!sample_is_scaled(a))
		return (struct variance){0};
	return variance_of(counts_mux_stats(counts, slot, group), position(g, event), ratio, position(g, other), a,
			   (double)sample_scale(a) - ratio * (double)sample_scale(b));
}

bool estimate_anchor(const struct plan *plan, const struct counts *counts, size_t slot, size_t group,
		     struct anchor_share *share)
{
	const struct plan_group *own = &plan->groups[group];
	struct sample s;
	double running = 0;

	*share = (struct anchor_share){0};
	if (!own->has_anchor)
		return false;
	s = counts_at(counts, slot, own->anchor)->sample;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct count *count;

		if (!rotation_share(plan, g, group))
			continue;
		if (!plan->groups[g].has_anchor)
			return false;
		count = counts_at(counts, slot, plan->groups[g].anchor);
		if (!count->open)
			return false;
		share->whole += (double)count->sample.value;
		running += (double)count->sample.running;
	}
	share->counted = (double)s.value;
	share->scaled = (double)sample_scale(s);
	return s.running > 0 && fabs(running / (double)s.enabled - 1) <= GAPLESS;
}
