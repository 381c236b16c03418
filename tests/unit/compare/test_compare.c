/* Means, intervals, outliers and differences, against scipy 1.10.1 and numpy:
 *
 *   python3 -c 'import numpy as np; from scipy import stats
 *   a = [10.2, 11.1, 9.8, 10.5, 10.9, 10.1]; b = [11.9, 12.4, 11.0, 12.8]
 *   for x in (a, b): print(np.mean(x), np.std(x, ddof=1), np.median(x), stats.sem(x) * stats.t.ppf(.975, len(x) - 1))
 *   print(stats.ttest_ind(b, a, equal_var=False))
 *   va, vb = stats.sem(a)**2, stats.sem(b)**2; df = (va + vb)**2 / (va**2 / 5 + vb**2 / 3)
 *   print(df, stats.t.ppf(.975, df) * (va + vb)**.5, stats.t.ppf(1 - .05 / 6, df) * (va + vb)**.5)'
 */
#include <math.h>

#include "compare/differences.h"
#include "lib/number.h"
#include "lib/util.h"
#include "normal.h"
#include "records_bed.h"

static const double a[] = {10.2, 11.1, 9.8, 10.5, 10.9, 10.1}, b[] = {11.9, 12.4, 11.0, 12.8};

static bool is_near(double got, double expected)
{
	bool near = fabs(got - expected) <= 1e-7 * fabs(expected);

	if (!near)
		printf("# got %.17g, expected %.17g\n", got, expected);
	return near;
}

static void test_summary(void)
{
	const double big[] = {1e15 + 1, 1e15 + 3, 1e15 + 2}, equal[] = {0.1, 0.1, 0.1};
	struct summary s;

	summary_make(&s, a, ARRAY_SIZE(a));
	is_number(s.n, 6, "n");
	ok(is_near(s.mean, 10.433333333333332), "mean");
	ok(is_near(s.stddev, 0.4966554808583779), "standard deviation");
	ok(is_near(s.median, 10.35), "median of an even number");
	ok(s.min == 9.8 && s.max == 11.1, "range");
	ok(is_near(summary_half_width(&s), 0.5212079625608439), "half-width");
	summary_make(&s, b, ARRAY_SIZE(b));
	ok(is_near(s.stddev, 0.7762087348130015), "standard deviation of the other");
	ok(is_near(summary_half_width(&s), 1.2351213101175043), "half-width of the other");
	summary_make(&s, big, ARRAY_SIZE(big));
	ok(s.mean == 1e15 + 2 && s.stddev == 1, "large values that are near each other");
	ok(s.median == 1e15 + 2, "median of an odd number");
	summary_make(&s, equal, ARRAY_SIZE(equal));
	ok(s.mean == 0.1 && s.stddev == 0 && summary_half_width(&s) == 0, "equal values: an interval of width 0");
	summary_make(&s, a, 1);
	ok(s.mean == 10.2 && s.stddev == 0 && isnan(summary_half_width(&s)), "one value: no interval");
}

static void test_outliers(void)
{
	const double values[] = {100, 101, 99, 102, 98, 130, 100.5}, equal[] = {128, 128, 128, 128, 131, 300};
	const double zeros[] = {0, 0, 0, 14, 15};
	bool is[7];

	/* median 100.5, deviations 0 .5 .5 1.5 1.5 2.5 29.5: median deviation 1.5, the line at 22.2 */
	is_number(summary_outliers(values, 7, is), 1, "one outlier");
	ok(is[5] && !is[0] && !is[4], "the right run");
	is_number(summary_outliers(values, 5, is), 0, "none without it");
	is_number(summary_outliers(equal, 6, is), 1, "half of a per cent of equal values");
	ok(is[5] && !is[4], "the far one");
	is_number(summary_outliers(zeros, 5, is), 1, "and 1 if the values are 0");
	ok(is[4] && !is[3], "beyond 14.826");
	is_number(summary_outliers(values + 3, 4, is), 0, "none of four values is an outlier");
}

static struct difference differ(const double *x, size_t nx, const double *y, size_t ny)
{
	struct summary reference, other;
	struct difference d;

	summary_make(&reference, x, nx);
	summary_make(&other, y, ny);
	difference_make(&d, reference, other);
	return d;
}

/* The only difference of a comparison. */
static struct difference corrected(const double *x, size_t nx, const double *y, size_t ny)
{
	struct difference d = differ(x, nx, y, ny);

	differences_correct(&d, 1);
	return d;
}

static void test_welch(void)
{
	struct difference d = corrected(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b));
	double low, high, half;

	ok(is_near(d.df, 4.653125186552381), "Satterthwaite's degrees of freedom");
	ok(is_near(d.p, 0.016981281486410323), "Welch's p");
	ok(is_near(d.value, 12.025 - 10.433333333333332), "the difference");
	ok(is_near(d.error, 1.1513106908052062), "its interval");
	ok(is_near(d.relative, d.value / 10.433333333333332), "relative");
	half = difference_change(&d, &low, &high);
	ok(is_near(half, (high - low) / 2) && half > d.error / 10.433333333333332,
	   "including the reference's uncertainty");
	ok(low > 0.01 && low < d.relative && d.relative < high,
	   "the interval of the change excludes what the verdict does");
	ok(!d.fact, "no fact");
	is_number(difference_judge(&d, 0.01), VERDICT_MORE, "more");
	is_number(difference_judge(&d, 0.10), VERDICT_UNDECIDED, "undecided");
	is_number(difference_judge(&d, 0.50), VERDICT_SAME, "the same");
	d = corrected(b, ARRAY_SIZE(b), a, ARRAY_SIZE(a));
	is_number(difference_judge(&d, 0.01), VERDICT_LESS, "less, the other way round");
}

/* All intervals of a comparison have one level, so that they hold together. */
static void test_corrected(void)
{
	const double c[] = {10.1, 11.0, 9.9, 10.3}, ones[] = {1, 1, 1, 1, 1}, twos[] = {2, 2, 2, 2, 2};
	struct difference far = differ(a, 6, b, 4), near = differ(a, 6, c, 4);
	struct difference three[] = {near, differ(ones, 5, ones, 5), near, far};
	const double low[] = {100, 101, 100}, high[] = {200, 201, 200};
	struct difference two, facts[] = {differ(ones, 4, twos, 4), differ(ones, 3, twos, 3), differ(ones, 2, ones, 2)};

	differences_correct(three, 4);
	ok(is_near(three[3].level, 0.05 / 3) && is_near(three[0].level, 0.05 / 3),
	   "without events that are equal in all runs");
	ok(is_near(three[3].error, 1.599918791972338), "and the interval has that level");
	is_number(difference_judge(&three[1], 0.01), VERDICT_SAME, "which is no difference");
	/* of two equally likely counts four runs are equal, and four others the other count, in 2 of 256 cases */
	differences_correct(facts, 3);
	ok(is_near(facts[0].p, 2.0 / 256) && facts[0].error == 0, "a fact of four runs of each");
	is_number(difference_judge(&facts[0], 0.01), VERDICT_MORE, "which is certain");
	ok(is_near(facts[1].p, 2.0 / 64) && isnan(facts[1].error), "with three runs it may be chance");
	is_number(difference_judge(&facts[1], 0.01), VERDICT_UNDECIDED, "so it is undecided");
	is_number(difference_runs_needed(&facts[1], 0.01), 4, "but four runs would decide");
	is_number(difference_judge(&facts[2], 0.01), VERDICT_UNDECIDED, "two runs of each may be equal by chance");
	differences_correct(&facts[1], 1);
	is_number(difference_judge(&facts[1], 0.01), VERDICT_MORE, "unless nothing else differs");
	/* nor of two runs that hardly vary, though Welch's test would have no doubt */
	two = corrected(low, 2, high, 2);
	ok(two.p < 0.001 && isnan(two.error), "two runs of each may be far apart by chance");
	is_number(difference_judge(&two, 0.01), VERDICT_UNDECIDED, "so nothing is decided");
	is_number(difference_runs_needed(&two, 0.01), 3, "three runs would decide");
	difference_set_whole(&two, two.reference.mean);
	is_number(difference_runs_needed(&two, 0.01), 3, "also of a task");
	two = corrected(low, 3, high, 3);
	is_number(difference_judge(&two, 0.01), VERDICT_MORE, "and three runs decide");
}

/* A task that is gone may have had more than in these runs, but not more than all tasks. */
static void test_gone(void)
{
	const double counts[] = {40, 50, 45, 55, 60, 35, 30, 65}, zeros[ARRAY_SIZE(counts)] = {0};
	struct difference d = corrected(counts, ARRAY_SIZE(counts), zeros, ARRAY_SIZE(counts));
	double low, high;

	difference_set_whole(&d, 100);
	difference_change(&d, &low, &high);
	ok(is_near(low, d.relative - d.error / 100) && is_near(high, d.relative + d.error / 100),
	   "the share of a task that is gone has both ends");
	difference_set_whole(&d, 50);
	difference_change(&d, &low, &high);
	is_number(low, -1, "but a task had no more than all tasks");
}

static void test_special(void)
{
	const double zeros[] = {0, 0, 0}, some[] = {0, 1, 0}, many[] = {50, 51, 52}, ones[] = {1, 1, 1};
	const double shaky[] = {0, 9, 1};
	double low, high;
	struct difference d = corrected(zeros, 3, zeros, 3);

	ok(d.fact && d.p == 1 && d.relative == 0, "0 and 0");
	is_number(difference_judge(&d, 0.01), VERDICT_SAME, "are the same");
	is_number(difference_judge(&d, 0), VERDICT_SAME, "also with a threshold of 0");
	d = corrected(zeros, 3, some, 3);
	ok(isnan(d.relative) && d.error > 0, "a reference of 0 gives no relative difference");
	is_number(difference_judge(&d, 0.01), VERDICT_UNDECIDED, "a few events may be chance");
	d = corrected(some, 3, zeros, 3);
	is_number(difference_judge(&d, 0.01), VERDICT_UNDECIDED, "and the other way round");
	d = corrected(zeros, 3, many, 3);
	is_number(difference_judge(&d, 0.01), VERDICT_MORE, "many events are not chance");
	d = corrected(zeros, 3, ones, 3);
	is_number(difference_judge(&d, 0.01), VERDICT_MORE, "a fact against 0");
	d = corrected(shaky, 3, many, 3);
	ok(isnan(difference_change(&d, &low, &high)) && isinf(high), "the change has no upper limit");
	ok(low > 0.01, "but a lower one");
	is_number(difference_judge(&d, 0.01), VERDICT_MORE, "but it is more");
	d = corrected(many, 3, shaky, 3);
	is_number(difference_judge(&d, 0.01), VERDICT_LESS, "and in the other order it is less");
	d = corrected(ones, 1, many, 3);
	is_number(difference_judge(&d, 0.01), VERDICT_UNKNOWN, "a single run decides nothing");
	d.simulated = true;
	is_number(difference_judge(&d, 0.01), VERDICT_MORE, "a simulated count is compared without an interval");
	d = corrected(ones, 1, ones, 1);
	d.simulated = true;
	is_number(difference_judge(&d, 0), VERDICT_SAME, "two equal simulated counts");
}

static struct random fixed = {.state = 42};

/* From 0 to 1. */
static double next_random(void)
{
	return (double)random_below(&fixed, 1000000) / 1e6;
}

/* n runs of a command that in this share of them does half as much again. */
static struct summary runs_of(double share, size_t n)
{
	auto_free double *values = xcalloc(n, sizeof(*values));
	struct summary s;

	for (size_t i = 0; i < n; i++)
		values[i] = next_random() < share ? 1500 : 1000;
	summary_make(&s, values, n);
	return s;
}

/* Compares a command with itself, with this many runs of each: returns how many of a thousand differences are claimed.
 */
static int claims(double share, size_t n, size_t m)
{
	int claimed = 0;

	for (int i = 0; i < 1000; i++) {
		struct difference d;
		enum verdict verdict;

		difference_make(&d, runs_of(share, n), runs_of(share, m));
		differences_correct(&d, 1);
		verdict = difference_judge(&d, 0.01);
		claimed += verdict == VERDICT_MORE || verdict == VERDICT_LESS;
	}
	printf("# %zu and %zu runs: %d of 1000\n", n, m, claimed);
	return claimed;
}

static void test_unequal(void)
{
	const struct summary many = {.n = 100, .mean = 1050, .stddev = 150}, few = {.n = 5, .mean = 1000},
			     wide = {.n = 5, .mean = 1000, .stddev = 300};
	struct difference d;

	difference_make(&d, many, few);
	differences_correct(&d, 1);
	/* sqrt(150^2 * 99 / 103 * (1 / 100 + 1 / 5)), t of 99 degrees of freedom */
	ok(is_near(d.error, 1.9842169515864176 * 67.39068818738188),
	   "for five runs that agree, the variation of the hundred is used");
	difference_make(&d, many, wide);
	differences_correct(&d, 1);
	/* Welch: sqrt(150^2 / 100 + 300^2 / 5) */
	ok(is_near(d.error * d.error, pow(student_quantile(0.975, d.df), 2) * (225 + 18000)),
	   "for runs that vary more, their variation is used");
	ok(claims(0.1, 100, 5) <= 50, "a command with itself: five runs may miss an event that a hundred show");
	ok(claims(0.2, 50, 5) <= 50, "... nor of 55");
	ok(claims(0.1, 5, 100) <= 50, "... nor if they come first");
	ok(claims(0.1, 200, 10) <= 50, "... nor ten of 210");
	ok(claims(0.1, 20, 20) <= 50, "equal numbers of runs");
}

/* Compares a command with itself in n rounds, each of two executions in random order. Every second execution does half
 * as much work again, whichever command's it is; or all are independent. noise: in each run. */
static struct difference differ_in_rounds(size_t n, bool alternating, double noise, struct difference *unpaired)
{
	auto_free double *x = xcalloc(n, sizeof(*x)), *y = xcalloc(n, sizeof(*y));
	struct difference d;

	for (size_t i = 0; i < n; i++) {
		bool first = next_random() < 0.5;

		x[i] = 1000 + noise * draw_normal(&fixed) + (alternating && first ? 500 : 0);
		y[i] = 1000 + noise * draw_normal(&fixed) + (alternating && !first ? 500 : 0);
	}
	d = differ(x, n, y, n);
	*unpaired = d;
	difference_pair(&d, x, y);
	differences_correct(&d, 1);
	differences_correct(unpaired, 1);
	return d;
}

/* How many of two thousand such differences are claimed, in thousandths; wider: the mean width of their intervals, of
 * that without the rounds. */
static int claims_in_rounds(size_t n, bool alternating, double noise, double *wider)
{
	int claimed = 0;

	*wider = 0;
	for (int i = 0; i < 2000; i++) {
		struct difference unpaired, d = differ_in_rounds(n, alternating, noise, &unpaired);
		enum verdict verdict = difference_judge(&d, 0.01);

		claimed += verdict == VERDICT_MORE || verdict == VERDICT_LESS;
		*wider += unpaired.error > 0 ? d.error / unpaired.error / 2000 : 0;
	}
	printf("# %zu rounds, noise %g: %d of 2000, %.3f times as wide\n", n, noise, claimed, *wider);
	return claimed / 2;
}

/* An effect of one execution on the next makes the means of two commands dependent. */
static void test_rounds(void)
{
	const double x[] = {1, 2, 4, 3}, y[] = {9, 8, 5, 7};
	struct difference d = differ(x, 4, y, 4);
	double wider;

	ok(is_near(summary_covariance(x, y, 4), -13.0 / 6), "covariance");
	difference_pair(&d, x, y);
	differences_correct(&d, 1);
	/* scipy.stats.ttest_rel: the differences are 8 6 1 4, of standard deviation sqrt(26.75 / 3) */
	ok(is_near(d.error, 3.1824463052842638 * sqrt(26.75 / 3 / 4)), "opposed runs: the interval is the paired one");
	ok(is_near(d.p, student_tails(4.75 / sqrt(26.75 / 3 / 4), 3)), "and so is p");
	d = differ(x, 4, x, 4);
	difference_pair(&d, x, x);
	ok(d.covariance == 0, "positively correlated runs are treated as independent");
	ok(claims_in_rounds(5, true, 0, &wider) <= 70,
	   "every second execution is expensive, 5 rounds: 2 in 32 by chance");
	ok(claims_in_rounds(10, true, 0, &wider) <= 50, "10 rounds");
	ok(claims_in_rounds(20, true, 0, &wider) <= 50, "20 rounds");
	ok(claims_in_rounds(10, true, 100, &wider) <= 60, "... that vary");
	ok(claims_in_rounds(20, true, 100, &wider) <= 60, "...");
	ok(claims_in_rounds(5, false, 100, &wider) <= 50 && wider < 1.07, "5 independent rounds");
	ok(claims_in_rounds(10, false, 100, &wider) <= 50 && wider < 1.05, "10");
	ok(claims_in_rounds(20, false, 100, &wider) <= 50 && wider < 1.04, "20");
}

/* As many runs as it says, with the same means and deviations, do decide; some fewer do not. */
static void test_needed(void)
{
	const double x[] = {100, 104, 96, 101, 99}, y[] = {104, 100, 105, 107, 99};
	struct difference d = corrected(x, 5, y, 5);
	double needed;

	is_number(difference_judge(&d, 0.01), VERDICT_UNDECIDED, "undecided");
	needed = difference_runs_needed(&d, 0.01);
	ok(needed > 5 && needed < 100, "some more runs");
	for (int factor = 0; factor < 2; factor++) {
		struct summary r = d.reference, o = d.other;
		struct difference later;

		r.n = o.n = (size_t)(factor ? ceil(needed) : floor(needed * 0.9));
		difference_make(&later, r, o);
		differences_correct(&later, 1);
		is_number(difference_judge(&later, 0.01) != VERDICT_UNDECIDED, factor,
			  "that number of runs decides, and no smaller one");
	}
	d = corrected(x, 5, x, 5);
	d.value = 1; /* 1% of 100 */
	ok(isinf(difference_runs_needed(&d, 0.01)), "no number of runs decides a difference exactly at the threshold");
}

/* 140 in comparison with 100, both of this status, error, number of runs and deviation. */
static void judge(const char *both, const char *expected, const char *what)
{
	auto_free char *table =
		xasprintf("command | value | status | error | n | stddev\n1 | 100 | %s\n2 | 140 | %s\n", both, both);
	struct result result;

	records_read(&result, NULL, table, 0);
	differences_add(&result, 0.01);
	is_records_from(&result, 1, expected, what);
	result_free(&result);
}

/* Runs of both commands agree, but none is known better than the given error. */
static void test_scaled(void)
{
	judge("exact | 0.7 | 10 | 1",
	      "kind       | status | value | error         | reason\n"
	      "count      | exact  | 140   | 0.7\n"
	      "difference | exact  | 40    | 0.9395608995  | more\n"
	      "change     | exact  | 0.4   | 0.01143067098 | more\n",
	      "runs that agree");
	judge("scaled | 0.7 | 10 | 1",
	      "kind       | status | value | error         | reason\n"
	      "count      | scaled | 140   | 0.7\n"
	      "difference | scaled | 40    | 0.9395608995  | more (scaled)\n"
	      "change     | scaled | 0.4   | 0.01143067098 | more (scaled)\n",
	      "a verdict on estimates is marked, and so is its difference");
	judge("scaled | 60 | 10 | 1",
	      "kind       | status | value | error       | reason\n"
	      "count      | scaled | 140   | 60\n"
	      "difference | scaled | 40    | 78.80493429 | undecided: about 38 runs would decide\n"
	      "change     | scaled | 0.4   | 1.315503682 | undecided: about 38 runs would decide\n",
	      "no difference is more certain than the runs, whose errors are in its interval");
	judge("scaled | | 10 | 1",
	      "kind       | status | value | error | reason\n"
	      "count      | scaled | 140\n"
	      "difference | scaled | 40    |       | undecided: an error is unknown\n"
	      "change     | scaled | 0.4   |       | undecided: an error is unknown\n",
	      "nor without their errors");
}

/* Totals of merged reports: with an error, and an unknown number of runs. */
static void test_merged(void)
{
	judge("exact | 60 | |",
	      "kind       | value | reason\n"
	      "count      | 140\n"
	      "difference | 40    | undecided: more runs are unlikely to decide this\n"
	      "change     | 0.4   | undecided: more runs are unlikely to decide this\n",
	      "no number of runs is named");
}

/* At both ends of the ratio's interval, and there alone, the interval of other - ratio * reference ends at 0. */
static void test_ratio(void)
{
	struct difference d = corrected(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b));
	double ends[2];

	ok(difference_ratio(&d, &ends[0], &ends[1]), "a ratio has an interval");
	ok(ends[0] < 1 + d.relative && 1 + d.relative < ends[1], "around it");
	for (int i = 0; i < 2; i++)
		ok(is_near(fabs(d.other.mean - ends[i] * d.reference.mean), difference_error_beyond(&d, ends[i] - 1)),
		   "which ends where the difference is not known to be another one");
	difference_make(&d, (struct summary){.n = 5, .mean = 1, .stddev = 2},
			(struct summary){.n = 5, .mean = 9, .stddev = 1});
	differences_correct(&d, 1);
	ok(difference_ratio(&d, &ends[0], &ends[1]) && isinf(ends[1]) && ends[0] > 1,
	   "of a value that may be 0, the interval is unbounded");
	difference_make(&d, (struct summary){.n = 1, .mean = 1}, (struct summary){.n = 1, .mean = 2});
	ok(!difference_ratio(&d, &ends[0], &ends[1]) && ends[1] == 2, "single runs have no interval");
}

/* The reports of 10 days, whose means differ from day to day, and another day. */
static void test_pooled(void)
{
	struct random random = {.state = 7};
	double days[11];
	int welch = 0, pooled = 0, n = 2000;

	for (int i = 0; i < n; i++) {
		struct summary reference, day = {.n = 30, .stddev = 1};
		struct difference d;

		for (size_t k = 0; k < 11; k++)
			days[k] = 100 + 3 * draw_normal(&random);
		summary_make(&reference, days, 10);
		day.mean = days[10];
		difference_make_pooled(&d, reference, day);
		differences_correct(&d, 1);
		pooled += difference_judge(&d, 0) != VERDICT_UNDECIDED;
		difference_make(&d, reference, day);
		differences_correct(&d, 1);
		welch += difference_judge(&d, 0) != VERDICT_UNDECIDED;
	}
	ok(pooled > 0.03 * n && pooled < 0.065 * n, "another day is called different in 5% of comparisons");
	ok(welch > 0.3 * n, "which its own runs would call different");
}

/* Five runs of each, whose times are skewed: the symmetric interval of the delta method contained the true change in
 * 85% of comparisons. */
static void test_coverage(void)
{
	struct random random = {.state = 11};
	int held = 0, contradictions = 0, n = 2000;

	for (int i = 0; i < n; i++) {
		double x[5], y[5], low, high;
		struct difference d;
		enum verdict verdict;

		for (size_t k = 0; k < 5; k++) {
			double u = draw_normal(&random), v = draw_normal(&random);

			x[k] = 1 + 0.5 * u + 0.12 * u * u * u + (u > 0 ? u * u : 0);
			y[k] = 2 * (1 + 0.5 * v + 0.12 * v * v * v + (v > 0 ? v * v : 0));
		}
		d = corrected(x, 5, y, 5);
		if (d.reference.mean <= 0)
			continue;
		verdict = difference_judge(&d, 0);
		difference_change(&d, &low, &high);
		held += isnan(low) || (low <= 1 && 1 <= high);
		contradictions += (verdict == VERDICT_MORE) != (low > 0) || (verdict == VERDICT_LESS && high >= 0);
	}
	ok(held > 0.92 * n, "the interval of a change holds with skewed values");
	is_number((unsigned)contradictions, 0, "and never contradicts the verdict");
}

/* Twenty runs of each, of two kinds that are equally frequent: the interval of the median that assumes a distribution
 * claimed a difference of equal commands in a third of comparisons. */
static void test_medians(void)
{
	int claims = 0, found = 0, contradictions = 0, n = 2000;

	for (int i = 0; i < n; i++) {
		double x[20], y[20], low, high;
		bool change = i % 2;
		struct summary of_x, of_y;
		struct difference d;
		enum verdict verdict;

		for (size_t k = 0; k < 20; k++) {
			x[k] = (next_random() < 0.5 ? 1000 : 1500) + 10 * next_random();
			y[k] = ((next_random() < 0.5 ? 1000 : 1500) + 10 * next_random()) * (change ? 2 : 1);
		}
		summary_make(&of_x, x, 20);
		summary_make(&of_y, y, 20);
		of_x.mean = of_x.median;
		of_y.mean = of_y.median;
		difference_make(&d, of_x, of_y);
		difference_use_medians(&d, x, y);
		difference_set_tests(&d, 1);
		verdict = difference_judge(&d, 0);
		difference_change(&d, &low, &high);
		claims += !change && verdict != VERDICT_UNDECIDED;
		found += change && verdict == VERDICT_MORE;
		contradictions += (verdict == VERDICT_MORE) != (low > 0) || (verdict == VERDICT_LESS) != (high < 0);
	}
	ok(claims < 0.05 * n / 2, "medians of equal commands of two kinds of runs: at most 5% claims");
	ok(found > 0.9 * n / 2, "... a factor of two is found");
	is_number((unsigned)contradictions, 0, "... and intervals never contradict the verdict");
	printf("# %d claims, %d found of %d\n", claims, found, n / 2);
}

int main(void)
{
	test_coverage();
	test_medians();
	test_pooled();
	test_ratio();
	test_summary();
	test_outliers();
	test_welch();
	test_corrected();
	test_gone();
	test_special();
	test_unequal();
	test_rounds();
	test_needed();
	test_scaled();
	test_merged();
	return tap_done();
}
