#include "result/differences.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/number.h"

#define LEVEL     0.05
#define MANY_RUNS 1000000
#define OPPOSED   0.1 /* how often runs that have nothing to do with each other are taken to be opposed */

struct variances {
	double reference, other; /* of the means */
};

static struct variances welch_variances(const struct difference *d)
{
	const struct summary *a = &d->reference, *b = &d->other;

	return (struct variances){a->stddev * a->stddev / (double)a->n, b->stddev * b->stddev / (double)b->n};
}

/* The same, but no less than if both varied alike, with the pooled variance of all runs. A command that has a hundred
 * runs in one report and five in another may well have nothing of what happens now and then among the five, and then
 * nothing of its spread either. With as many runs of each it is the same sum. */
static struct variances mean_variances(const struct difference *d)
{
	const struct summary *a = &d->reference, *b = &d->other;
	double df_a = (double)(a->n - 1), df_b = (double)(b->n - 1);
	double pooled = (df_a * a->stddev * a->stddev + df_b * b->stddev * b->stddev) / (df_a + df_b);
	struct variances welch = welch_variances(d), alike = {pooled / (double)a->n, pooled / (double)b->n};
	bool is_of_runs = a->n != b->n && a->n < MANY_RUNS && b->n < MANY_RUNS;

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

/* How likely two commands that are alike would give n counts and m quite different ones: as much as that where they
 * have two counts or two ranges of counts, one in n of n + m times. Welch's test does not know that of runs so few. */
static double chance_apart(size_t n, size_t m)
{
	double share = (double)n / (double)(n + m), chance = 2;

	for (size_t i = 0; i < n && chance > 0; i++) /* not pow: libm is loaded by what needs its functions alone */
		chance *= share;
	for (size_t i = 0; i < m && chance > 0; i++)
		chance *= 1 - share;
	return chance;
}

void difference_make(struct difference *d, struct summary reference, struct summary other)
{
	struct variances v;

	*d = (struct difference){.reference = reference, .other = other, .level = LEVEL};
	d->value = other.mean - reference.mean;
	d->relative = d->value == 0 ? 0 : NAN;
	if (reference.mean != 0)
		d->relative = d->value / fabs(reference.mean);
	d->df = d->p = d->error = d->relative_error = NAN;
	if (reference.n < 2 || other.n < 2)
		return;
	v = mean_variances(d);
	d->fact = v.reference + v.other == 0;
	if (d->fact) {
		d->p = d->value == 0 ? 1 : chance_apart(reference.n, other.n);
	} else {
		d->df = satterthwaite(d);
		d->p = student_tails(d->value / sqrt(v.reference + v.other), d->df);
	}
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

/* Half of the interval of other - factor * reference. */
static double half_width(const struct difference *d, double factor)
{
	struct variances v = mean_variances(d);
	double variance = v.other + factor * factor * v.reference - 2 * factor * d->covariance;

	return isnan(d->df) ? d->error : student_quantile(1 - d->level / 2, d->df) * sqrt(variance);
}

/* A share of 0 is 0. */
static double half_width_beyond(const struct difference *d, double share)
{
	return half_width(d, d->reference.mean != 0 ? 1 + share : 1);
}

/* Half-widths. The relative one is that of the quotient of the means by the delta method, but never less
 * than the absolute one over the reference: of a small quotient the delta method forgets how little is known of the
 * reference itself (0 against 0.1 ± 0.2 is no difference that is known). */
static void difference_widen(struct difference *d)
{
	double quotient = fabs(d->other.mean / d->reference.mean);

	d->error = half_width(d, 1);
	if (d->reference.mean != 0)
		d->relative_error = half_width(d, number_larger(1, quotient)) / fabs(d->reference.mean);
}

void differences_correct(struct difference *differences, size_t n)
{
	size_t tested = 0;

	for (size_t i = 0; i < n;
	     i++) /* what was equal in all runs, as many an event that did not happen, is no claim */
		tested += !isnan(differences[i].p) && !(differences[i].fact && differences[i].value == 0);
	for (size_t i = 0; i < n; i++) {
		struct difference *d = &differences[i];

		d->level = LEVEL / (double)(tested ? tested : 1);
		d->few = !isnan(d->p) && chance_apart(d->reference.n, d->other.n) > d->level;
		if (d->few)
			d->error = d->relative_error = NAN;
		else if (d->fact)
			d->error = d->relative_error = 0;
		else if (!isnan(d->p))
			difference_widen(d);
	}
}

/* The interval that is judged, and the threshold in its unit. The quotient of the means may be hardly known while it is
 * beyond doubt that it is more than 1. So Welch's test is of other - (1 + threshold) * reference, as in Fieller's
 * interval of a quotient. */
static void judged_interval(const struct difference *d, double *threshold, double *centre, double *half)
{
	*half = half_width_beyond(d, *threshold);
	*threshold *= fabs(d->reference.mean);
	*centre = d->value;
}

enum verdict difference_judge(const struct difference *d, double threshold)
{
	double centre, half;

	judged_interval(d, &threshold, &centre, &half);
	if (d->few)
		return VERDICT_UNDECIDED;
	if (!isfinite(half))
		return VERDICT_UNKNOWN;
	if (centre - half > threshold)
		return VERDICT_MORE;
	if (centre + half < -threshold)
		return VERDICT_LESS;
	return fabs(centre) + half <= threshold ? VERDICT_SAME : VERDICT_UNDECIDED;
}

double difference_error_beyond(const struct difference *d, double share)
{
	return isnan(d->error) ? NAN : half_width_beyond(d, fabs(share));
}

double difference_runs_needed(const struct difference *d, double threshold)
{
	double share = (double)(d->reference.n + d->other.n) / 2;
	double centre, half, distance, spread;
	size_t now = d->reference.n > d->other.n ? d->reference.n : d->other.n, n = now + 1;

	while (chance_apart(n, n) > d->level)
		n++;
	if (d->fact)
		return (double)n;
	judged_interval(d, &threshold, &centre, &half);
	distance = fabs(fabs(centre) - threshold);
	/* the half-width with one run of each, but with t at the present degrees of freedom */
	spread = half / student_quantile(1 - d->level / 2, d->df) * sqrt((double)now);
	for (; n < MANY_RUNS; n += 1 + n / 50) {
		double df = number_larger(1, d->df * (double)n / share);

		if (spread / sqrt((double)n) * student_quantile(1 - d->level / 2, df) <= distance)
			return (double)n;
	}
	return INFINITY;
}

/* ---- rows ---- */

/* Metrics by expression are compared, too; the usual ratios would say little more than their counts. */
static bool is_compared(const struct row *row)
{
	return (row->kind == ROW_COUNT || row->formula) && row->run == 0 && isnan(row->time);
}

/* Children and threads may have more: two such counts say nothing of the commands. */
static bool is_of_first_thread(const struct row *row)
{
	return row->event && row->event->not_inherited;
}

/* The first row about the same, of the commands before this: an event may be named twice. taken: rows that go with
 * another row of this command. at itself: none. */
static size_t find_like(const struct result *result, const bool *taken, size_t at, unsigned commands, bool exact)
{
	const struct row *row = &result->rows[at];

	for (size_t i = 0; i < result->n; i++) {
		const struct row *other = &result->rows[i];

		if (is_compared(other) && other->command < commands && other->like == i && !taken[i] &&
		    row_is_same(other, row) && !(exact && row_differs(other, row)))
			return i;
	}
	return at;
}

/* Of several events of one name, those that count the same go together, and then, in their order, what is left of the
 * first command, and of others. */
static void pair_rows(struct result *result, unsigned command)
{
	auto_free bool *taken = xcalloc(result->n + 1, sizeof(*taken));

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < result->n; i++) {
			struct row *row = &result->rows[i];

			if (row->command != command || !is_compared(row) || row->like != i)
				continue;
			row->like = find_like(result, taken, i, round < 2 ? 2 : command, round != 1);
			taken[row->like] = true;
		}
	}
}

/* A row's error may be larger than what its spread alone says (run_stats.c). */
static struct summary summary_of(const struct row *row)
{
	struct summary s = {
		.n = row->n ? row->n : 1,
		.mean = value_real(row->value),
		.stddev = isnan(row->stddev) ? 0 : row->stddev,
		.min = row->min,
		.median = row->median,
		.max = row->max,
	};

	if (row->status == STATUS_SCALED && isnan(row->error))
		s.n = 1; /* nothing is known of its error */
	if (row->status == STATUS_EXACT && !row->n && row->error > 0)
		s.n = MANY_RUNS; /* of several reports that were merged, each of several runs */
	if (s.n > 1 && row->error > summary_half_width(&s) * (1 + DBL_EPSILON))
		s.stddev = row->error * sqrt((double)s.n) / student_quantile(0.975, (double)(s.n - 1));
	return s;
}

static char *verdict_text(const struct difference *d, enum verdict verdict, double needed, const struct row *row)
{
	bool is_time = strcmp(row->unit, "ns") == 0;
	const char *const texts[] = {
		[VERDICT_SAME] = "no difference",
		[VERDICT_LESS] = row->formula ? "lower"
				 : is_time    ? "faster"
					      : "fewer",
		[VERDICT_MORE] = row->formula ? "higher"
				 : is_time    ? "slower"
					      : "more",
		[VERDICT_UNKNOWN] =
			d->single ? "undecided: a single run has no interval" : "undecided: an error is not known",
	};

	if (verdict == VERDICT_UNKNOWN)
		return xstrdup(texts[verdict]);
	if (verdict != VERDICT_UNDECIDED)
		return xasprintf("%s%s%s", texts[verdict],
				 !d->another    ? ""
				 : row->formula ? " (another metric)"
						: " (another event)",
				 d->scaled ? " (scaled)" : "");
	if (isinf(needed))
		return xstrdup("undecided: more runs will not decide this soon");
	return xasprintf("undecided: about %.0f runs would decide", needed);
}

static struct row *add_difference_row(struct result *result, const struct difference *d, enum row_kind kind, size_t of)
{
	const struct row like = result->rows[of]; /* a copy: the rows may move */
	struct row *row = result_add(result, kind, like.name);

	row->command = like.command;
	row_copy_subject(row, &like);
	row->unit = kind == ROW_CHANGE ? "" : like.unit;
	row->status = d->scaled ? STATUS_SCALED : STATUS_EXACT;
	row->value = (struct value){.type = VALUE_REAL, .real = kind == ROW_CHANGE ? d->relative : d->value};
	row->error = kind == ROW_CHANGE ? d->relative_error : d->error;
	row->n = like.n;
	row->of = of;
	row->number = like.number;
	return row;
}

static void add_difference(struct result *result, const struct difference *d, size_t of, double threshold)
{
	struct difference *copy = result_allocate(result, sizeof(*copy));
	enum verdict verdict = difference_judge(d, threshold);
	double needed = verdict == VERDICT_UNDECIDED ? difference_runs_needed(d, threshold) : NAN;
	auto_free char *text = verdict_text(d, verdict, needed, &result->rows[of]);
	size_t n = d->reference.mean != 0 ? 2 : 1;

	*copy = *d;
	for (size_t i = 0; i < n; i++) {
		struct row *row = add_difference_row(result, d, i ? ROW_CHANGE : ROW_DIFFERENCE, of);

		row->difference = copy;
		row->verdict = verdict;
		row->runs_needed = needed;
		row->reason = result_text(result, text);
	}
}

/* One is enough: by the same option, all of them may differ. */
static void note_another(struct result *result, const struct row *row)
{
	strings_add(&result->notes, "%s %s of report %u is another one than that of report 1: by %s",
		    row->formula ? "metric" : "event", row->name, row->command,
		    row->formula ? "its expression, its unit or its events"
				 : "name=, --filter, --all-user or what is permitted");
}

/* Of this command with the first. */
static void add_comparison(struct result *result, unsigned command, double threshold)
{
	auto_free struct difference *differences = xcalloc(result->n, sizeof(*differences));
	auto_free size_t *of = xcalloc(result->n, sizeof(*of)); /* the later command's rows */
	size_t n = 0;
	bool any_other = false;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i], *reference;

		if (!is_compared(row) || row->command != command || !row_has_value(row))
			continue;
		reference = &result->rows[row->like];
		if (reference->command != 1 || !row_has_value(reference) || is_of_first_thread(row))
			continue;
		difference_make(&differences[n], summary_of(reference), summary_of(row));
		if (reference->values && row->values && rows_are_of_same_runs(reference, row))
			difference_pair(&differences[n], reference->values, row->values);
		differences[n].single = row->n < 2 || reference->n < 2;
		differences[n].another = row_differs(reference, row);
		if (differences[n].another && !any_other)
			note_another(result, row);
		any_other |= differences[n].another;
		differences[n].scaled = row->status == STATUS_SCALED || reference->status == STATUS_SCALED;
		of[n++] = i;
	}
	differences_correct(differences, n);
	for (size_t i = 0; i < n; i++)
		add_difference(result, &differences[i], of[i], threshold);
}

void differences_add(struct result *result, double threshold)
{
	unsigned last = 1;

	for (size_t i = 0; i < result->n; i++) {
		result->rows[i].like = i;
		if (result->rows[i].command > last)
			last = result->rows[i].command;
	}
	for (unsigned command = 2; command <= last; command++) {
		pair_rows(result, command);
		add_comparison(result, command, threshold);
	}
}

const struct row *differences_find(const struct result *result, enum row_kind kind, const struct row *count)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].kind == kind && &result->rows[result->rows[i].of] == count)
			return &result->rows[i];
	return NULL;
}
