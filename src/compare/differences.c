#include "compare/differences.h"

#include <float.h>
#include <math.h>

#include "lib/number.h"
#include "stats/median.h"

#define LEVEL   0.05
#define OPPOSED 0.1 /* the probability that unrelated runs are taken for opposed */

struct variances {
	double reference, other; /* of the means */
};

static struct variances welch_variances(const struct difference *d)
{
	const struct summary *a = &d->reference, *b = &d->other;
	double of_runs = b->stddev * b->stddev / (double)b->n;

	if (d->pooled) /* the other report has the deviation of a report, but at least the one of its own mean */
		return (struct variances){a->stddev * a->stddev / (double)a->n,
					  number_larger(a->stddev * a->stddev, of_runs)};
	return (struct variances){a->stddev * a->stddev / (double)a->n, of_runs};
}

/* The same, but at least the pooled variance of all runs, as if both varied alike. If one report has a hundred runs and
 * another one five, the five may contain no rare event, and so none of its spread. With equal numbers of runs, the sum
 * is the same. */
static struct variances mean_variances(const struct difference *d)
{
	const struct summary *a = &d->reference, *b = &d->other;
	double df_a = (double)(a->n - 1), df_b = (double)(b->n - 1);
	double pooled = (df_a * a->stddev * a->stddev + df_b * b->stddev * b->stddev) / (df_a + df_b);
	struct variances welch = welch_variances(d), alike = {pooled / (double)a->n, pooled / (double)b->n};
	bool is_of_runs = !d->pooled && a->n != b->n && a->n < DIFFERENCE_MANY_RUNS && b->n < DIFFERENCE_MANY_RUNS;

	return is_of_runs && alike.reference + alike.other > welch.reference + welch.other ? alike : welch;
}

/* Satterthwaite's degrees of freedom of a sum of two estimated variances. */
static double satterthwaite(const struct difference *d)
{
	struct variances v = welch_variances(d);
	double sum = v.reference + v.other;
	double a = v.reference * v.reference / (double)(d->reference.n - 1);
	double b = v.other * v.other / (double)(d->other.n - 1);

	return sum * sum / (a + b);
}

/* Returns the probability that n runs of one command all take one way, and m runs of an equal command another way, if a
 * run takes the first with the probability n / (n + m); or the reverse. Welch's test does not consider this. */
static double chance_apart(size_t n, size_t m)
{
	double share = (double)n / (double)(n + m), chance = 2;

	for (size_t i = 0; i < n && chance > 0; i++) /* not pow: libm is loaded only for functions that need it */
		chance *= share;
	for (size_t i = 0; i < m && chance > 0; i++)
		chance *= 1 - share;
	return chance;
}

static void make(struct difference *d)
{
	struct summary reference = d->reference, other = d->other;
	struct variances v;

	d->share = 1;
	d->level = d->chance = LEVEL;
	d->value = other.mean - reference.mean;
	d->relative = d->value == 0 ? 0 : NAN;
	if (reference.mean != 0)
		d->relative = d->value / fabs(reference.mean);
	d->df = d->p = d->error = NAN;
	if (reference.n < 2 || (other.n < 2 && !d->pooled))
		return;
	v = mean_variances(d);
	d->fact = v.reference + v.other == 0;
	if (d->fact) {
		d->p = d->value == 0 ? 1 : chance_apart(reference.n, other.n);
	} else {
		d->df = d->pooled ? (double)(d->pooled - 1) : satterthwaite(d);
		d->p = student_tails(d->value / sqrt(v.reference + v.other), d->df);
	}
}

void difference_make(struct difference *d, struct summary reference, struct summary other)
{
	*d = (struct difference){.reference = reference, .other = other};
	make(d);
}

void difference_make_pooled(struct difference *d, struct summary reference, struct summary other)
{
	*d = (struct difference){.reference = reference, .other = other, .pooled = reference.n};
	make(d);
}

void difference_pair(struct difference *d, const double *reference, const double *other)
{
	struct variances v = welch_variances(d);
	double df = (double)d->reference.n - 2, covariance, correlation, t;

	if (isnan(d->df) || d->reference.n != d->other.n || df < 1)
		return;
	covariance = summary_covariance(reference, other, d->reference.n) / (double)d->reference.n;
	correlation = covariance / sqrt(v.reference * v.other);
	t = correlation * sqrt(df / number_larger(1 - correlation * correlation, DBL_EPSILON));
	if (!(correlation < 0) || student_tails(t, df) > 2 * OPPOSED)
		return;
	d->covariance = covariance;
	d->df = df + 1;
	d->p = student_tails(d->value / sqrt(v.reference + v.other - 2 * covariance), d->df);
}

/* Returns half of the interval of other - factor * reference. */
static double half_width(const struct difference *d, double factor)
{
	struct variances v = mean_variances(d);
	double variance = v.other + factor * factor * v.reference - 2 * factor * d->covariance;

	return isnan(d->df) ? d->error : student_quantile(1 - d->level / 2, d->df) * sqrt(variance);
}

void difference_use_medians(struct difference *d, const double *reference, const double *other)
{
	if (isnan(d->df)) /* a single run, or neither side varies */
		return;
	d->values[0] = reference;
	d->values[1] = other;
	d->df = NAN;
	d->covariance = 0;
}

void difference_interval(const struct difference *d, double factor, double *low, double *high)
{
	double middle = d->other.mean - factor * d->reference.mean, half;

	if (d->values[0]) {
		double a = factor * d->medians[0].low, b = factor * d->medians[0].high;

		*low = d->medians[1].low - (a > b ? a : b);
		*high = d->medians[1].high - (a > b ? b : a);
		return;
	}
	half = half_width(d, factor);
	*low = middle - half;
	*high = middle + half;
}

/* Sets the intervals of both medians; and the deviation of means with an interval as wide, for a calibration. */
static void set_medians(struct difference *d)
{
	struct summary *sides[] = {&d->reference, &d->other};
	double low, high, t;

	for (int i = 0; i < 2; i++)
		d->few |= !median_interval(d->values[i], sides[i]->n, d->level / 2, &d->medians[i].low,
					   &d->medians[i].high);
	difference_interval(d, 1, &low, &high);
	d->error = d->few ? NAN : number_larger(d->value - low, high - d->value);
	if (d->few)
		return;
	t = student_quantile(1 - d->level / 2, (double)(d->reference.n + d->other.n - 2));
	for (int i = 0; i < 2; i++)
		sides[i]->stddev = d->error / t * sqrt((double)sides[i]->n / 2);
}

void difference_set_whole(struct difference *d, double whole)
{
	d->whole = whole;
	if (whole > 0)
		d->relative = d->value / whole;
}

static double base_of(const struct difference *d)
{
	return d->whole > 0 ? d->whole : fabs(d->reference.mean);
}

/* The quotient of the means may be hardly known and still be certainly more than 1. Therefore Welch's test is on other
 * - (1 + share) * reference, as in Fieller's interval of a quotient. The mean of all tasks is taken as known. */
static double half_width_beyond(const struct difference *d, double share)
{
	return half_width(d, d->whole > 0 || d->reference.mean == 0 ? 1 : 1 + share);
}

double difference_error_beyond(const struct difference *d, double share)
{
	return isnan(d->error) ? NAN : half_width_beyond(d, fabs(share));
}

void difference_set_tests(struct difference *d, double tests)
{
	d->tests = tests;
	d->chance = LEVEL / tests;
	d->level = d->share * d->chance;
	d->few = !isnan(d->p) && !d->simulated && chance_apart(d->reference.n, d->other.n) > d->chance;
	if (d->values[0])
		set_medians(d);
	else if (d->few)
		d->error = NAN;
	else if (d->fact)
		d->error = 0;
	else if (!isnan(d->p))
		d->error = half_width(d, 1);
}

void difference_enough(const struct difference *d, size_t *reports, size_t *runs)
{
	*reports = d->reference.n;
	*runs = d->other.n;
	while (chance_apart(*reports, d->other.n) > d->chance)
		++*reports;
	while (chance_apart(d->reference.n, *runs) > d->chance)
		++*runs;
}

void differences_correct(struct difference *differences, size_t n)
{
	size_t tested = 0;

	for (size_t i = 0; i < n; i++) /* equal in all runs, such as an event that did not happen: no claim */
		tested += !isnan(differences[i].p) && !(differences[i].fact && differences[i].value == 0);
	for (size_t i = 0; i < n; i++)
		difference_set_tests(&differences[i], (double)(tested ? tested : 1));
}

static enum verdict judge_medians(const struct difference *d, double threshold)
{
	bool of_share = !(d->whole > 0) && d->reference.mean > 0;
	double share = of_share ? threshold : 0, limit = of_share ? 0 : threshold * base_of(d);
	double above, below, less, more; /* of the limits on both sides */

	difference_interval(d, 1 + share, &above, &less);
	difference_interval(d, 1 - share, &more, &below);
	if (above > limit)
		return VERDICT_MORE;
	if (below < -limit)
		return VERDICT_LESS;
	return less <= limit && more >= -limit ? VERDICT_SAME : VERDICT_UNDECIDED;
}

static enum verdict judge(const struct difference *d, double threshold)
{
	double half = half_width_beyond(d, threshold), limit = threshold * base_of(d);

	if (d->few)
		return VERDICT_UNDECIDED;
	if (d->values[0])
		return judge_medians(d, threshold);
	if (isnan(half) && d->simulated)
		half = 0;
	if (!isfinite(half))
		return VERDICT_UNKNOWN;
	if (d->value - half > limit)
		return VERDICT_MORE;
	if (d->value + half < -limit)
		return VERDICT_LESS;
	return fabs(d->value) + half <= limit ? VERDICT_SAME : VERDICT_UNDECIDED;
}

enum verdict difference_judge(const struct difference *d, double threshold)
{
	enum verdict verdict = judge(d, threshold);
	bool follows = (verdict == VERDICT_LESS && !d->bounds[0]) || (verdict == VERDICT_MORE && !d->bounds[1]);

	return (d->bounds[0] || d->bounds[1]) && !follows ? VERDICT_UNKNOWN : verdict;
}

bool difference_ratio(const struct difference *d, double *low, double *high)
{
	struct variances v = mean_variances(d);
	double t, a, b, c, root;

	*low = *high = 1 + d->relative;
	if (d->values[0] && d->medians[0].low > 0) {
		*low = d->medians[1].low / d->medians[0].high;
		*high = d->medians[1].high / d->medians[0].low;
		return true;
	}
	if (d->values[0] && !isnan(d->relative)) {
		*low = 0;
		*high = INFINITY;
		return true;
	}
	if (isnan(d->df) || isnan(d->relative))
		return false;
	t = student_quantile(1 - d->level / 2, d->df);
	a = d->reference.mean * d->reference.mean - t * t * v.reference;
	b = d->reference.mean * d->other.mean - t * t * d->covariance;
	c = d->other.mean * d->other.mean - t * t * v.other;
	root = sqrt(number_larger(b * b - a * c, 0));
	*low = c > 0 ? c / (b + root) : 0;
	*high = a > 0 ? (b + root) / a : INFINITY;
	return true;
}

static double change_interval(const struct difference *d, double *low, double *high)
{
	bool negative = d->reference.mean < 0;
	double from, to;

	*low = *high = NAN;
	if (isnan(d->error) || isnan(d->relative))
		return NAN;
	if (d->fact || d->whole > 0) {
		double error = d->whole > 0 ? d->error / d->whole : 0;

		*low = d->relative - error;
		*high = d->relative + error;
		if (d->whole > 0) /* a task cannot lose more than all tasks had */
			*low = number_larger(*low, -1);
		return (*high - *low) / 2;
	}
	difference_ratio(d, &from, &to);
	*low = negative ? 1 - to : from - 1; /* relative is a share of the absolute value */
	*high = negative ? 1 - from : to - 1;
	return isfinite(*low) && isfinite(*high) ? (*high - *low) / 2 : NAN;
}

double difference_change(const struct difference *d, double *low, double *high)
{
	double half = change_interval(d, low, high);

	if (!d->bounds[0] && !d->bounds[1])
		return half;
	if (d->bounds[0] == d->bounds[1] || isnan(*low))
		*low = *high = NAN;
	else if (d->bounds[0])
		*high = INFINITY;
	else
		*low = -1;
	return NAN;
}

/* The same for medians: the interval narrows as that of a mean. least: the number is at least this. */
static double medians_needed(const struct difference *d, size_t least, double distance)
{
	size_t possible = median_least(d->level / 2);
	double ratio = d->few ? 0 : d->error / distance;
	double n = number_larger((double)(d->reference.n + d->other.n) / 2 * ratio * ratio, (double)least);

	n = ceil(number_larger(n, (double)possible));
	return n <= DIFFERENCE_MOST_NEEDED ? n : INFINITY;
}

double difference_runs_needed(const struct difference *d, double threshold)
{
	double share = (double)(d->reference.n + d->other.n) / 2;
	double distance = fabs(fabs(d->value) - threshold * base_of(d)), spread, normal;
	size_t now = d->reference.n > d->other.n ? d->reference.n : d->other.n, n = now + 1;

	if (d->pooled) /* they would not change the deviation of the reports */
		return INFINITY;
	while (chance_apart(n, n) > d->chance)
		n++;
	if (d->fact)
		return n <= DIFFERENCE_MOST_NEEDED ? (double)n : INFINITY;
	if (d->values[0])
		return medians_needed(d, n, distance);
	/* the half-width with one run of each, but with t at the present degrees of freedom */
	spread = half_width_beyond(d, threshold) / student_quantile(1 - d->level / 2, d->df) * sqrt((double)now);
	normal = student_quantile(1 - d->level / 2, INFINITY); /* the smallest of all degrees of freedom */
	for (; n <= DIFFERENCE_MOST_NEEDED; n += 1 + n / 50) {
		double df = number_larger(1, d->df * (double)n / share), deviation = spread / sqrt((double)n);

		if (deviation * normal <= distance && deviation * student_quantile(1 - d->level / 2, df) <= distance)
			return (double)n;
	}
	return INFINITY;
}
