/* The error of multiplexed counts against simulated multiplexing, where the truth is known; the sums of slices against
 * the same done plainly. */
#include "multiplex.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "spread.h"
#include "tap.h"

static double uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* ---- sums ---- */

static void test_sums(void)
{
	const double a[] = {1, 4, 2, 8, 5}, b[] = {2, 2, 3, 1, 7}, r[] = {1, 2, 4, 4, 2};
	struct spread *s = spread_new(2), *part, *early = NULL;
	struct spread_sums sums;
	double lag1 = 0, lag2 = 0, d;

	for (size_t i = 0; i < 5; i++) {
		const double rates[] = {a[i], b[i]};

		spread_add(s, rates, r[i]);
		if (i == 1)
			early = spread_copy(s);
	}
	for (size_t i = 0; i < 4; i++) {
		d = (a[i + 1] - 3 * b[i + 1]) - (a[i] - 3 * b[i]);
		lag1 += d * d / (1 / r[i] + 1 / r[i + 1]);
	}
	for (size_t i = 0; i < 3; i++) {
		d = (a[i + 2] - 3 * b[i + 2]) - (a[i] - 3 * b[i]);
		lag2 += d * d / (1 / r[i] + 1 / r[i + 2]);
	}
	sums = spread_of(s, 0, 3, 1);
	is_number(sums.n, 5, "five slices");
	ok(near(sums.lag1, lag1 / 4), "differences of neighbours, of a combination of two events");
	ok(near(sums.lag2, lag2 / 3), "of next but one slices");
	ok(near(sums.rise, (5 - 3 * 7) - (1 - 3 * 2)), "the last less the first");
	ok(near(spread_of(s, 1, 0, 1).rise, 5), "of one event alone");

	part = spread_since(s, early);
	is_number(spread_slices(part), 3, "a part: what came after an earlier copy");
	/* the differences 2-4, 8-2, 5-8 of the event a */
	lag1 = 4 / (1. / 2 + 1. / 4) + 36 / (1. / 4 + 1. / 4) + 9 / (1. / 4 + 1. / 2);
	ok(near(spread_of(part, 0, 0, 0).lag1, lag1 / 2), "the difference across the boundary is the part's");
	spread_free(part);
	spread_free(early);
	spread_free(s);
	ok(spread_slices(NULL) == 0, "none is no slices");
}

/* ---- the variance ---- */

static void test_variance(void)
{
	const struct spread_sums noise = {.n = 20, .lag1 = 3, .lag2 = 3}, flat = {.n = 20};
	const struct spread_sums walk = {.n = 20, .lag1 = 3, .lag2 = 6};
	struct variance few = multiplex_variance((struct spread_sums){.n = 9, .lag1 = 1, .lag2 = 1}, 50, 100);

	/* (E/R - 1)² R + (E - R) for noise of variance 1 a ns: what is counted and what is not are independent */
	ok(near(multiplex_variance(noise, 25, 100).value, 3 * (9 * 25 + 75)), "noise without memory");
	ok(multiplex_variance(noise, 100, 100).value == 0, "on the PMU all the time: none");
	ok(variance_half_width(multiplex_variance(flat, 25, 100)) == 0, "a flat rate: none");
	ok(multiplex_variance(walk, 25, 100).value < multiplex_variance(noise, 25, 100).value / 3,
	   "a rate with a memory: less than noise");
	ok(isnan(variance_half_width(few)), "nine slices: not known");
	ok(isnan(variance_half_width((struct variance){0})), "nothing: not known");
	few = variance_add(few, few);
	ok(variance_half_width(few) > 0 && near(few.value * few.value / few.per_df, 2 * 2.0 / 3 * 8),
	   "two of them: known, and degrees of freedom add up");
	/* 38/3 degrees of freedom; the tables have 2.1788 for 12 and 2.1604 for 13 */
	ok(fabs(variance_half_width(multiplex_variance(noise, 25, 100)) / 30 - 2.166163) < 1e-5, "Student's t");
}

/* ---- simulated multiplexing: steps of 0.1 ms, turns of 4 ms ---- */

#define STEP 0.1
#define TURN 4.0

enum kind { FLAT, NOISE, PHASES, RAMP };

static double rate(enum kind kind, double t, double total, uint64_t *state)
{
	static double level, until;

	switch (kind) {
	case FLAT:
		return 1 + 0.02 * (uniform(state) - 0.5);
	case NOISE:
		return 4 * uniform(state) * uniform(state);
	case RAMP:
		return 0.05 + t / total;
	case PHASES:
		break;
	}
	if (t == 0 || t >= until) {
		level = 0.1 + uniform(state);
		until = t - 20 * log(1 - uniform(state));
	}
	return level;
}

struct trial {
	double error, half_width; /* relative */
};

static struct trial simulate(enum kind kind, size_t groups, size_t group, double total, uint64_t *state)
{
	double cycle = TURN * (double)groups, next = cycle * (0.75 + 0.5 * uniform(state));
	double truth = 0, count = 0, running = 0, c = 0, r = 0, half_width, estimate;
	struct spread *s = spread_new(1);

	for (size_t i = 0; (double)i * STEP < total; i++) {
		double t = (double)i * STEP, in_step = rate(kind, t, total, state) * STEP;

		truth += in_step;
		if ((size_t)(t / TURN) % groups == group) {
			c += in_step;
			r += STEP;
		}
		if (t < next)
			continue;
		next = t + cycle * (0.75 + 0.5 * uniform(state));
		if (r < TURN / 2)
			continue;
		count += c;
		running += r;
		c /= r;
		spread_add(s, &c, r);
		c = r = 0;
	}
	count += c;
	running += r;
	estimate = count / running * total;
	half_width = variance_half_width(multiplex_variance(spread_of(s, 0, 0, 0), running, total));
	spread_free(s);
	return (struct trial){fabs(estimate - truth) / truth, half_width / truth};
}

static void test_coverage(enum kind kind, const char *what)
{
	const size_t trials = 200;
	uint64_t state = 88172645463325252u;
	double errors = 0, widths = 0;
	size_t inside = 0;

	for (size_t i = 0; i < trials; i++) {
		size_t groups = 2 + i % 3;
		struct trial t = simulate(kind, groups, i / 3 % groups, 600, &state);

		inside += t.error <= t.half_width;
		errors += t.error;
		widths += t.half_width;
	}
	printf("# %s: %zu of %zu inside, error %.2f%%, half-width %.2f%%\n", what, inside, trials,
	       100 * errors / (double)trials, 100 * widths / (double)trials);
	ok(inside >= trials * 90 / 100, what);
	ok(widths < 5 * errors, "and is not much wider than it must be");
}

int main(void)
{
	test_sums();
	test_variance();
	test_coverage(FLAT, "a flat rate: the truth is in the interval");
	test_coverage(NOISE, "a noisy rate");
	test_coverage(PHASES, "a rate that changes now and then");
	test_coverage(RAMP, "a rate that grows");
	return tap_done();
}
