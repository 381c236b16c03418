#include "result/compare.h"

#include <math.h>

#include "lib/number.h"
#include "result/stats.h"

#define LEVEL     0.05
#define MANY_RUNS 1000000

/* The variance of a mean. */
static double mean_variance(const struct summary *s)
{
	return s->stddev * s->stddev / (double)s->n;
}

/* Satterthwaite's degrees of freedom of a sum of two estimated variances. */
static double satterthwaite(const struct summary *a, double va, const struct summary *b, double vb)
{
	double sum = va + vb;

	return sum * sum / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
}

void difference_make(struct difference *d, const struct summary *reference, const struct summary *other)
{
	double va = mean_variance(reference), vb = mean_variance(other);

	*d = (struct difference){.reference = *reference, .other = *other, .level = LEVEL};
	d->value = other->mean - reference->mean;
	d->relative = d->value == 0 ? 0 : NAN;
	if (reference->mean != 0)
		d->relative = d->value / fabs(reference->mean);
	d->df = d->p = d->error = d->relative_error = NAN;
	if (reference->n < 2 || other->n < 2)
		return;
	d->fact = va == 0 && vb == 0;
	if (d->fact) {
		d->p = d->value == 0;
		d->error = d->relative_error = 0;
	} else {
		d->df = satterthwaite(reference, va, other, vb);
		d->p = stats_t_tails(d->value / sqrt(va + vb), d->df);
	}
}

/* Half-widths at a level. The relative one is that of the quotient of the means by the delta method, but never less
 * than the absolute one over the reference: of a small quotient the delta method forgets how little is known of the
 * reference itself (0 against 0.1 ± 0.2 is no difference that is known). */
static void difference_widen(struct difference *d, double level)
{
	double va = mean_variance(&d->reference), vb = mean_variance(&d->other);
	double t = stats_t_quantile(1 - level / 2, d->df);
	double quotient = d->other.mean / d->reference.mean;

	d->level = level;
	d->error = t * sqrt(va + vb);
	if (d->reference.mean != 0)
		d->relative_error = t * sqrt(vb + number_larger(1, quotient * quotient) * va) / fabs(d->reference.mean);
}

static bool is_tested(const struct difference *d)
{
	return !d->fact && !isnan(d->p);
}

/* How many are tested before this one, in the order of p; ties in the order given. */
static size_t rank_of(struct difference *const *differences, size_t n, size_t of)
{
	size_t rank = 0;

	for (size_t i = 0; i < n; i++)
		if (is_tested(differences[i]) &&
		    (differences[i]->p < differences[of]->p || (i < of && differences[i]->p == differences[of]->p)))
			rank++;
	return rank;
}

void differences_correct(struct difference *const *differences, size_t n)
{
	size_t tested = 0, failed;

	for (size_t i = 0; i < n; i++)
		tested += is_tested(differences[i]);
	failed = tested;
	for (size_t i = 0; i < n; i++) {
		size_t rank = is_tested(differences[i]) ? rank_of(differences, n, i) : tested;

		if (rank < failed && differences[i]->p > LEVEL / (double)(tested - rank))
			failed = rank;
	}
	for (size_t i = 0; i < n; i++) {
		size_t rank = is_tested(differences[i]) ? rank_of(differences, n, i) : 0;

		if (is_tested(differences[i]))
			difference_widen(differences[i], LEVEL / (double)(tested - (rank < failed ? rank : failed)));
	}
}

/* Where the interval is to be judged: the difference against that share of the reference. How many times the reference
 * it is may be hardly known, as the quotient's interval says, and yet that it is more than the reference, beyond doubt:
 * so Welch's test is of other - (1 + threshold) * reference, as in Fieller's interval of a quotient. */
static void judged_interval(const struct difference *d, double *threshold, double *centre, double *half)
{
	double factor = 1 + *threshold;

	*threshold *= fabs(d->reference.mean);
	*centre = d->value;
	*half = d->error;
	if (d->error > 0)
		*half = stats_t_quantile(1 - d->level / 2, d->df) *
			sqrt(mean_variance(&d->other) + factor * factor * mean_variance(&d->reference));
}

enum verdict difference_judge(const struct difference *d, double threshold)
{
	double centre, half;

	judged_interval(d, &threshold, &centre, &half);
	if (isnan(half))
		return VERDICT_UNKNOWN;
	if (centre - half > threshold)
		return VERDICT_MORE;
	if (centre + half < -threshold)
		return VERDICT_LESS;
	return fabs(centre) + half <= threshold ? VERDICT_SAME : VERDICT_UNDECIDED;
}

double difference_runs_needed(const struct difference *d, double threshold)
{
	double share = (double)(d->reference.n + d->other.n) / 2;
	double centre, half, distance, spread;
	size_t n = d->reference.n > d->other.n ? d->reference.n : d->other.n;

	judged_interval(d, &threshold, &centre, &half);
	distance = fabs(fabs(centre) - threshold);
	/* the half-width of one run each, were t known as well as in the end */
	spread = half / stats_t_quantile(1 - d->level / 2, d->df) * sqrt((double)n);
	for (n++; n < MANY_RUNS; n += 1 + n / 50) {
		double df = number_larger(1, d->df * (double)n / share);

		if (spread / sqrt((double)n) * stats_t_quantile(1 - d->level / 2, df) <= distance)
			return (double)n;
	}
	return INFINITY;
}
