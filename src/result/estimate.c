#include "result/estimate.h"

#include <math.h>

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
	return mux_error_variance(sums, (double)time.running, (double)time.enabled);
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
