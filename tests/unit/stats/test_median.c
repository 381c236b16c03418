/* Intervals of medians: their ranks, and how often they miss the median of skewed values and of two kinds of values. */
#include "stats/median.h"

#include <math.h>

#include "lib/random.h"
#include "tap.h"

#define CAMPAIGNS 4000
#define MOST      60

static double draw(struct random *random, bool kinds)
{
	double u = (double)random_below(random, 1000000) / 1e6;

	if (kinds) /* the median is between 1.001 and 2 */
		return (u < 0.5 ? 1 : 2) + u / 1000;
	return -log(1 - u); /* its median is ln 2 */
}

static double share_missed(struct random *random, size_t n, bool kinds)
{
	unsigned missed = 0;
	double values[MOST], low, high;

	for (int i = 0; i < CAMPAIGNS; i++) {
		for (size_t k = 0; k < n; k++)
			values[k] = draw(random, kinds);
		if (median_interval(values, n, 0.05, &low, &high))
			missed += kinds ? high < 1.5 || low > 1.5 : high < log(2) || low > log(2);
	}
	return (double)missed / CAMPAIGNS;
}

int main(void)
{
	double ten[] = {7, 1, 9, 3, 10, 5, 2, 8, 4, 6}, low, high;
	struct random random = {.state = 5};
	size_t numbers[] = {6, 9, 20, MOST};

	ok(!median_interval(ten, 5, 0.05, &low, &high) && isnan(low), "five values have no 95% interval");
	ok(median_least(0.05) == 6 && median_least(0.025) == 7, "six values have one, with their range");
	ok(median_interval(ten, 10, 0.05, &low, &high) && low == 2 && high == 9,
	   "of ten values: the second to the ninth");
	ok(median_interval(ten, 10, 0.01, &low, &high) && low == 1 && high == 10, "of ten values at 99%: the range");
	for (int i = 0; i < 4; i++) {
		ok(share_missed(&random, numbers[i], false) < 0.06, "skewed values: at most 5% miss");
		ok(share_missed(&random, numbers[i], true) < 0.06, "values of two kinds: at most 5% miss");
	}
	return tap_done();
}
