/* What groups have not seen of a program's start. */
#include <math.h>

#include "result/estimate.h"

/* In ns of the rates that came later. */
struct excesses {
	double sum, squares;
	size_t n;
};

/* modes: as these alone; NULL: any. */
static struct excesses excesses_of_earlier(const struct tallies *t, size_t slot, size_t group,
					   const struct perf_event_attr *modes)
{
	double unseen = mux_stats_unseen(counts_mux_stats(t->counts, slot, group));
	struct excesses all = {0};

	for (size_t g = 0; g < t->plan->n_groups; g++) {
		const struct mux_stats *stats = counts_mux_stats(t->counts, slot, g);
		const struct plan_group *of = &t->plan->groups[g];

		if (mux_stats_slices(stats) < 2 || mux_stats_unseen(stats) > unseen / 2)
			continue;
		for (size_t i = 0; i < of->n; i++) {
			double excess = mux_stats_first_excess(stats, i, unseen);

			if (isnan(excess) ||
			    (modes && !event_modes_equal(&t->plan->events[of->members[i]].attr, modes)))
				continue;
			all.sum += excess;
			all.squares += excess * excess;
			all.n++;
		}
	}
	return all;
}

double start_variance(const struct tallies *t, size_t slot, size_t group, size_t a, double ratio, size_t b)
{
	const struct mux_stats *stats = counts_mux_stats(t->counts, slot, group);
	double unseen = mux_stats_unseen(stats), rate_a, rate_b, square, product;
	struct excesses all;

	if (unseen <= 0)
		return 0;
	all = excesses_of_earlier(t, slot, group, &t->plan->events[t->plan->groups[group].members[a]].attr);
	if (all.n == 0)
		all = excesses_of_earlier(t, slot, group, NULL);
	if (all.n == 0)
		return 0;
	square = product = all.squares / (double)all.n;
	if (all.n > 1)
		product = (all.sum * all.sum - all.squares) / ((double)all.n * ((double)all.n - 1));
	rate_a = mux_stats_rate(stats, a);
	rate_b = ratio * mux_stats_rate(stats, b);
	return square * (rate_a * rate_a + rate_b * rate_b) - 2 * product * rate_a * rate_b;
}
