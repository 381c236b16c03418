/* Drift, against scipy 1.10.1 and numpy:
 *
 *   python3 -c 'import numpy; from scipy import stats
 *   x = [1, 1, 2, 2, 3, 3, 4, 4]; y = [10, 12, 11, 11, 15, 9, 14, 17]
 *   print(stats.spearmanr(x, y), numpy.polyfit(x, y, 1)[0] * 3)'
 *
 * And two kinds of runs, which are found in random ones of one kind in at most 5%; the seed is always the same. */
#include "stats/run_kinds.h"

#include <math.h>

#include "lib/util.h"
#include "normal.h"
#include "tap.h"

#define N     60
#define TIMES 1000

static double draw_share(struct random *random)
{
	return ((double)random_below(random, 1 << 30) + 0.5) / (1 << 30);
}

/* One kind of runs; the distribution without a peak looks most like two. */
static double draw_flat(struct random *random)
{
	return draw_share(random);
}

static double draw_exponential(struct random *random)
{
	return -log(draw_share(random));
}

/* Few events, as context switches. */
static double draw_count(struct random *random)
{
	double share = draw_share(random);

	return share < 0.7 ? 0 : share < 0.95 ? 1 : 2;
}

static double draw_adjacent(struct random *random)
{
	return 78 + (double)random_below(random, 2);
}

/* Two kinds. */
static double draw_faults(struct random *random)
{
	return draw_share(random) < 0.75 ? 100 : 132;
}

static double draw_times(struct random *random)
{
	return draw_normal(random) + (draw_share(random) < 0.3 ? 7 : 0);
}

static void test_kinds(void)
{
	static const struct {
		double (*draw)(struct random *random);
		double step;
		bool two;
		const char *what;
	} cases[] = {
		{draw_normal, 0, false, "a normal distribution is one kind"},
		{draw_flat, 0, false, "so is one without a peak"},
		{draw_exponential, 0, false, "and one with a long tail"},
		{draw_count, 1, false, "small counts are one kind"},
		{draw_adjacent, 1, false, "so are two adjacent ones"},
		{draw_faults, 1, true, "two counts that are apart are two kinds"},
		{draw_times, 0, true, "so are two distributions that hardly overlap"},
	};
	struct random random = {.state = 1};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int found = 0;

		for (int k = 0; k < TIMES; k++) {
			double values[N];
			struct run_kinds kinds;

			for (size_t n = 0; n < N; n++)
				values[n] = cases[i].draw(&random);
			run_kinds_find(&kinds, values, N, cases[i].step);
			found += kinds.chance < 0.05;
		}
		printf("# %d of %d\n", found, TIMES);
		ok(cases[i].two ? found > TIMES * 9 / 10 : found <= TIMES / 20, cases[i].what);
	}
}

static void test_two_kinds(void)
{
	const double values[] = {10, 21, 10, 11, 12, 20, 11, 22, 11, 10, 12, 11};
	struct run_kinds kinds;

	run_kinds_find(&kinds, values, ARRAY_SIZE(values), 0);
	is_number(kinds.n_high, 3, "number of the high kind");
	ok(kinds.low == 11 && kinds.high == 21, "medians of both");
	ok(kinds.chance > 0.05, "three runs are too few to be sure");
}

static void test_trend(void)
{
	const double times[] = {1, 1, 2, 2, 3, 3, 4, 4}, values[] = {10, 12, 11, 11, 15, 9, 14, 17};
	const double equal[] = {5, 5, 5, 5, 5, 5, 5, 5}, growing[] = {1, 2, 3, 4, 5, 6, 7, 8};
	double drift;

	ok(fabs(trend_chance(times, values, 8, &drift) - 0.16714070486320595) < 1e-9, "chance of a trend");
	ok(fabs(drift - 4.35) < 1e-9, "its size");
	ok(trend_chance(times, equal, 8, &drift) == 1 && drift == 0, "equal values have none");
	ok(trend_chance(equal, values, 8, &drift) == 1 && drift == 0, "nor have values of one time");
	ok(trend_chance(times, growing, 8, &drift) < 1e-4, "values in order have one");
}

int main(void)
{
	test_trend();
	test_two_kinds();
	test_kinds();
	return tap_done();
}
