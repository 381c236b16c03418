/* The error of multiplexed counts against simulated multiplexing, where the truth is known; the sums of slices against
 * the same done plainly. */
#include "rows/estimate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/mux_stats.h"
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

/* Slices of a group that others let on its PMU for 2 of 4, 6 and 4 ns. */
static double cycle_with_others(double given)
{
	static const double enabled[] = {4, 6, 4};
	struct mux_stats *s = mux_stats_new(1, 2, given);
	struct mux_stats_sums sums;

	for (size_t i = 0; i < 3; i++)
		mux_stats_add(s, &(double){1}, 2, enabled[i], 1);
	sums = mux_stats_of(s, 0, 0, 0);
	mux_stats_free(s);
	return sums.cycle;
}

static void test_cycle(void)
{
	double gap = sqrt((4 * 4 + 6 * 16 + 4 * 4) / 14.0), measured = gap / (1 - 6 / 14.0);

	ok(near(cycle_with_others(0), measured), "an unknown cycle is that of the time off the PMU");
	ok(near(cycle_with_others(4), 4), "a cycle that explains most of that time is used");
	ok(near(cycle_with_others(3), measured), "a cycle that does not is shared with others");
}

/* Slices of events a and b, r ns on the PMU of e ns, their middles m, and what a - 3 b makes of differences at a lag,
 * done plainly. */
static const double a[] = {1, 4, 2, 8, 5}, b[] = {2, 2, 3, 1, 7}, r[] = {1, 2, 4, 4, 2}, e[] = {3, 2, 8, 6, 5};
static const double m[] = {2, 1, 6, 2, 3};

#define CYCLE 4.0

static struct mux_stats_lag plain_lag(size_t lag, size_t from, double ratio)
{
	struct mux_stats_lag sum = {0};
	double n = 0;

	for (size_t i = from; i + lag < 5; i++) {
		size_t k = i + lag;
		double d = (a[k] - ratio * b[k]) - (a[i] - ratio * b[i]), w = 1 / (1 / r[i] + 1 / r[k]);
		double h = e[i] / 2 + (lag == 2 ? e[i + 1] : 0) + e[k] / 2 - (r[i] + r[k]) / 6;

		n++;
		sum.walk += w * h;
		sum.square += w * d * d;
	}
	return (struct mux_stats_lag){sum.walk / n, sum.square / n};
}

/* a's count from the from-th slice on, which begins at begin and is the first or the third: on a line from each middle
 * to the next. */
static double plain_lines(size_t from, double begin)
{
	double sum = 0, old = a[from], at = begin;

	if (from) { /* the line from the slice before, of which the part before the boundary was taken as level */
		old = a[from - 1];
		at -= e[from - 1] - m[from - 1];
		sum = -old * (begin - at);
	}
	for (size_t i = from; i < 5; i++) {
		sum += (begin + m[i] - at) * (old + a[i]) / 2;
		at = begin + m[i];
		old = a[i];
		begin += e[i];
	}
	return sum + old * (begin - at);
}

static void test_sums(void)
{
	struct mux_stats *s = mux_stats_new(2, CYCLE / 2, CYCLE), *part, *early = NULL;
	struct mux_stats_sums sums;

	for (size_t i = 0; i < 5; i++) {
		const double rates[] = {a[i], b[i]};

		mux_stats_add(s, rates, r[i], e[i], m[i]);
		if (i == 1)
			early = mux_stats_since(s, NULL);
	}
	sums = mux_stats_of(s, 0, 3, 1);
	is_number(sums.n, 5, "five slices");
	for (size_t lag = 1; lag <= 2; lag++) {
		struct mux_stats_lag plain = plain_lag(lag, 0, 3);

		ok(near(sums.lags[lag - 1].square, plain.square),
		   "differences of neighbours (of next but one slices), of a combination of two events");
		ok(near(sums.lags[lag - 1].walk, plain.walk), "... and how far they are apart");
	}
	ok(near(sums.lines.enabled, 24), "the time that they cover");
	ok(near(sums.lines.running, 13), "... and the time that they ran in it");
	ok(near(sums.lines.last, 5 - 3 * 7), "the last rate");
	ok(near(sums.lines.counted, 1 + 8 + 8 + 32 + 10 - 3 * (2 + 4 + 12 + 4 + 14)), "the count");
	ok(near(mux_stats_of(s, 0, 0, 0).lines.estimate, plain_lines(0, 0)), "by straight lines");
	ok(near(sums.lines.estimate, plain_lines(0, 0) - 3 * mux_stats_of(s, 1, 0, 1).lines.estimate), "... of both");
	ok(near(mux_stats_of(s, 1, 2, 0).lags[0].square, mux_stats_of(s, 0, 0.5, 1).lags[0].square * 4),
	   "in either order");

	is_number((uint64_t)sums.cycle, CYCLE, "the cycle as given");

	part = mux_stats_since(s, early);
	is_number(mux_stats_slices(part), 3, "a part: the slices after an earlier copy");
	ok(near(mux_stats_of(part, 0, 0, 0).lags[0].square, plain_lag(1, 1, 0).square),
	   "the difference across the boundary is the part's");
	ok(near(mux_stats_of(part, 0, 0, 0).lines.estimate, plain_lines(2, 5)), "... and so is the line across it");
	ok(near(mux_stats_of(part, 0, 0, 0).lines.counted, 2 * 4 + 8 * 4 + 5 * 2),
	   "... and the count of its slices alone");
	mux_stats_free(part);
	mux_stats_free(early);
	mux_stats_free(s);
	ok(mux_stats_slices(NULL) == 0, "no differences are no slices");
}

/* ---- a program's start ---- */

/* Two groups of two events each: the first one's rates fall from 20 and 60 to 10 and 20, which in its 4 ns is as much
 * as 4 and 8 ns more of what came after; the second one, of 5 and 7, first runs after 4 ns. */
static void test_start(void)
{
	struct event events[4] = {0};
	size_t members[] = {0, 1, 2, 3};
	struct plan_group groups[] = {{.members = members, .n = 2}, {.members = members + 2, .n = 2}};
	struct plan plan = {.events = events, .n_events = 4, .groups = groups, .n_groups = 2};
	struct mux_stats *stats[] = {mux_stats_new(2, 4, 8), mux_stats_new(2, 4, 8)}, *of_part[2];
	struct counts counts = {.n_slots = 1, .n_groups = 2, .mux_stats = stats}, part = counts;
	struct estimates t = {.plan = &plan, .counts = &counts};

	for (size_t i = 0; i < 3; i++) {
		mux_stats_add(stats[0], i ? (double[]){10, 20} : (double[]){20, 60}, 4, i ? 8 : 4, i ? 6 : 2);
		mux_stats_add(stats[1], (double[]){5, 7}, 4, 8, 6);
	}
	ok(start_variance(&t, 0, 0, 0, 0, 0) == 0, "a group that was there from the start has seen it");
	ok(near(start_variance(&t, 0, 1, 0, 0, 0), (16 + 64) / 2.0 * 25),
	   "a group that came later uses the changes of others' rates");
	ok(near(start_variance(&t, 0, 1, 0, 2, 1), 40 * (25 + 14 * 14) - 2 * 32 * 5 * 14),
	   "for a difference the similarity matters");
	events[1].attr.exclude_user = 1;
	ok(near(start_variance(&t, 0, 1, 0, 0, 0), 16 * 25), "from events of the same modes");
	for (size_t g = 0; g < 2; g++) {
		struct mux_stats *early = mux_stats_since(stats[g], NULL);

		mux_stats_add(stats[g], (double[]){1, 1}, 4, 8, 6);
		of_part[g] = mux_stats_since(stats[g], early);
		mux_stats_free(early);
	}
	part.mux_stats = of_part;
	t.counts = &part;
	ok(start_variance(&t, 0, 1, 0, 0, 0) == 0, "later intervals have no start");
	for (size_t g = 0; g < 2; g++) {
		mux_stats_free(stats[g]);
		mux_stats_free(of_part[g]);
	}
}

/* ---- the variance ---- */

static struct mux_stats_sums sums_of(double square1, double square2)
{
	return (struct mux_stats_sums){.n = 20, .cycle = 8, .lags = {{10, square1}, {20, square2}}};
}

static void test_variance(void)
{
	struct mux_stats_sums noise = sums_of(3, 3), walk = sums_of(3, 6), both = sums_of(4, 5), end = sums_of(0, 0);
	struct variance few, flat = estimate_variance(sums_of(0, 0), 25, 100);

	/* (E/R - 1)² R + (E - R) for noise of variance 1 per ns: counted and uncounted parts are independent */
	ok(near(estimate_variance(noise, 25, 100).value, 3 * (9 * 25 + 75)), "noise without memory");
	ok(estimate_variance(noise, 100, 100).value == 0, "on the PMU all the time: none");
	ok(variance_half_width(flat) == 0, "a flat rate: none");
	/* intensity 0.3 over gaps of 6 in 100, and a fifth of the walk's 3 is left to the noise */
	ok(near(estimate_variance(walk, 25, 100).value, 112 * 36.0 / 12 * 0.3 + 400 * 0.75 * 0.6),
	   "a rate with a memory");
	ok(near(estimate_variance(both, 25, 100).value, 112 * 36.0 / 12 * 0.1 + 400 * 0.75 * 3.8),
	   "both: a quarter is the walk's, and four fifths of its square are taken off");
	ok(near(estimate_variance(sums_of(3, 12), 25, 100).value, estimate_variance(walk, 25, 100).value),
	   "smoother than a walk: no less than no noise");
	ok(near(estimate_variance(sums_of(3, 1), 25, 100).value, estimate_variance(noise, 25, 100).value),
	   "rougher than noise: no less than no walk");
	end.lines.counted = 10;
	end.lines.estimate = 33;
	ok(near(estimate_variance(end, 25, 100).value, 49), "slices that are late or early while the rate changes");
	end.lines.running = 24;
	end.lines.enabled = 97;
	end.lines.last = 2;
	ok(near(estimate_variance(end, 25, 100).value, 81), "... and the end, which no slice covers");

	noise.n = 3;
	few = estimate_variance(noise, 25, 100);
	ok(isnan(variance_half_width(few)), "three slices: not known");
	ok(isnan(variance_half_width((struct variance){0})), "nothing: not known");
	few = variance_add(few, few);
	ok(variance_half_width(few) > 0 && near(few.value * few.value / few.per_df, 2),
	   "two sums: known, and degrees of freedom add up");
	ok(isnan(variance_half_width((struct variance){.value = 1, .per_df = 20, .slices = 30})),
	   "variances that cancel each other out: not known");
	/* Student's t for 10 degrees of freedom, from the tables */
	noise.n = 21;
	ok(fabs(variance_half_width(estimate_variance(noise, 25, 100)) / 30 - 2.228139) < 1e-5, "Student's t");
}

/* ---- simulated multiplexing: steps of 0.1 ms, rotation intervals of 4 ms ---- */

#define STEP     0.1
#define INTERVAL 4.0

enum kind { FLAT, NOISE, PHASES, RAMP, SINE, SQUARE };

/* The last two have the period of the rotation. */
static double rate(enum kind kind, double t, double total, double period, uint64_t *state)
{
	static double level, until, phase;

	switch (kind) {
	case FLAT:
		return 1 + 0.02 * (uniform(state) - 0.5);
	case NOISE:
		return 4 * uniform(state) * uniform(state);
	case RAMP:
		return 0.05 + t / total;
	case SINE:
	case SQUARE:
		if (t == 0)
			phase = uniform(state);
		level = t / period + phase;
		level -= floor(level);
		level = kind == SINE ? 1 + 0.5 * sin(2 * M_PI * level) : level < 0.5 ? 1.6 : 0.4;
		return level + 0.02 * (uniform(state) - 0.5);
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
	bool in_step;
};

static struct trial simulate(enum kind kind, size_t groups, size_t group, double total, uint64_t *state)
{
	double wait = INTERVAL * (double)groups / 2, next = wait * (0.75 + 0.5 * uniform(state));
	double truth = 0, count = 0, running = 0, c = 0, ran = 0, begin = 0, moment = 0, estimate;
	struct variance variance;
	struct mux_stats *s = mux_stats_new(1, INTERVAL, 2 * wait);

	for (size_t i = 0; (double)i * STEP < total; i++) {
		double t = (double)i * STEP, in_step = rate(kind, t, total, INTERVAL * (double)groups, state) * STEP;

		truth += in_step;
		if ((size_t)(t / INTERVAL) % groups == group) {
			c += in_step;
			ran += STEP;
			moment += STEP * (t - begin);
		}
		if (t < next)
			continue;
		next = t + wait * (0.75 + 0.5 * uniform(state));
		if (ran < INTERVAL / 4)
			continue;
		count += c;
		running += ran;
		c /= ran;
		mux_stats_add(s, &c, ran, t - begin, moment / ran);
		c = ran = moment = 0;
		begin = t;
	}
	count += c;
	running += ran;
	estimate = count / running * total;
	mux_stats_close(s);
	variance = estimate_variance(mux_stats_of(s, 0, 0, 0), running, total);
	mux_stats_free(s);
	return (struct trial){fabs(estimate - truth) / truth, variance_half_width(variance) / truth,
			      variance_is_in_step(variance)};
}

static void test_coverage(enum kind kind, double widest, const char *what)
{
	const size_t trials = 200;
	uint64_t state = 88172645463325252u;
	double errors = 0, widths = 0;
	size_t inside = 0, in_step = 0;

	for (size_t i = 0; i < trials; i++) {
		size_t groups = 2 + i % 3;
		struct trial t = simulate(kind, groups, i / 3 % groups, 600, &state);

		in_step += t.in_step;
		inside += t.error <= t.half_width;
		errors += t.error;
		widths += t.half_width;
	}
	printf("# %s: %zu of %zu inside, error %.2f%%, half-width %.2f%%\n", what, inside, trials,
	       100 * errors / (double)trials, 100 * widths / (double)trials);
	ok(inside >= trials * 90 / 100, what);
	ok(widths < widest * errors, "and is not much wider than necessary");
	ok(in_step == 0, "and the rate is not thought to be in step");
}

static void test_in_step(enum kind kind, size_t groups, size_t percent, const char *what)
{
	const size_t trials = 200;
	uint64_t state = 88172645463325252u;
	size_t in_step = 0, wrong = 0;

	for (size_t i = 0; i < trials; i++) {
		struct trial t = simulate(kind, groups, i % groups, 600, &state);

		in_step += t.in_step && isnan(t.half_width);
		wrong += t.error > t.half_width;
	}
	printf("# %s, %zu groups: no interval %zu times, a wrong one %zu times of %zu\n", what, groups, in_step, wrong,
	       trials);
	ok(in_step * 100 >= percent * trials, what);
}

int main(void)
{
	test_sums();
	test_start();
	test_cycle();
	test_variance();
	test_coverage(FLAT, 4, "a flat rate: the truth is in the interval");
	test_coverage(NOISE, 4, "a noisy rate");
	test_coverage(PHASES, 4, "a rate that changes now and then");
	test_coverage(RAMP, 2.4, "a rate that grows");
	test_in_step(SINE, 2, 95, "a wave in step with the rotation has no interval");
	test_in_step(SINE, 4, 75, "... but where the group's intervals are at its peaks");
	test_in_step(SQUARE, 2, 90, "nor has a square wave, but where its edges are at the rotations");
	return tap_done();
}
