#include "compare/calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/differences.h"
#include "compare/machine.h"
#include "event/simulated.h"
#include "stats/run_kinds.h"

#define POWER  0.8
#define BEYOND 3.0  /* the change is beyond the threshold by three times the threshold */
#define LARGE  1.0  /* larger changes need no condition, */
#define MOST   10.0 /* ... and are not shown */
#define KINDS  0.05 /* the largest probability that runs of one kind are taken for two kinds */
#define PAGE   4096 /* peak memory is a number of pages */

#define FEW_RUNS 5 /* for the conditions if no event varies (pfmstat-compare(7)) */

const unsigned calibration_numbers[] = {10, CALIBRATION_LINE, 50, 100};

/* ---- the change that is found ---- */

/* Returns the standard deviation of a run on which the interval of the difference depends, plus one standard error of
 * it, since the estimate may be too small. */
static double spread_of(const struct difference *d)
{
	const struct summary *a = &d->reference, *b = &d->other;
	double df_a = (double)(a->n - 1), df_b = (double)(b->n - 1), df = df_a + df_b;
	double variance = (df_a * a->stddev * a->stddev + df_b * b->stddev * b->stddev) / df;

	return sqrt(variance - d->covariance * (double)a->n) * (1 + 1 / sqrt(2 * df));
}

/* Returns the number of standard errors between the threshold and a difference that is found in a share POWER of
 * comparisons with n runs: the noncentrality of the t-test, by the approximation of Johnson and Welch (Biometrika
 * 31(3/4), 1940). */
static double distance_found(const struct difference *d, unsigned n)
{
	double df = d->covariance < 0 ? n - 1.0 : 2 * (n - 1.0), limit = student_quantile(1 - d->level / 2, df);

	return limit * (1 - 1 / (4 * df)) + student_quantile(POWER, INFINITY) * sqrt(1 + limit * limit / (2 * df));
}

/* Returns the change c > t with c - t = q * sqrt((1 + c)^2 + (1 + t)^2): q is the distance as a share of the mean; the
 * spread grows with the mean. Returns INFINITY if there is no such change. */
static double change_beyond(double t, double q)
{
	double a = 1 - q * q, b = t + q * q, c = t * t - q * q * (1 + (1 + t) * (1 + t));

	return a > 0 ? (b + sqrt(b * b - a * c)) / a : INFINITY;
}

/* Returns the share > 0 rounded up to the two digits of a condition. */
static double rounded_up(double share)
{
	char text[32];
	double step = 1;

	while (share < 10 * step)
		step /= 10;
	while (share >= 100 * step)
		step *= 10;
	snprintf(text, sizeof(text), "%.1e", step * (1 + (int)(share / step * (1 - 1e-9))));
	return strtod(text, NULL);
}

/* Finds the change for n runs, and its threshold: both 0 if the event does not vary. Returns false if none is found. */
static bool find_change(const struct difference *d, unsigned n, double *threshold, double *change)
{
	double q = d->fact ? 0 : spread_of(d) / fabs(d->reference.mean) * distance_found(d, n) / sqrt(n);
	double least = change_beyond(0, q);

	*threshold = *change = 0;
	if (least > 0 && isfinite(least)) {
		*threshold = rounded_up(least / BEYOND);
		*change = change_beyond(*threshold, q);
	}
	return least < MOST && *change < MOST;
}

static bool is_enough(const struct difference *d)
{
	return !isnan(d->p) && d->reference.n >= CALIBRATION_LEAST && d->other.n >= CALIBRATION_LEAST;
}

/* ---- the rows ---- */

/* The values of the runs of both commands, and the rounds in which they were made. */
struct course {
	double *rounds, *values;
	size_t n;
};

static void course_add(struct course *c, const struct row *row)
{
	for (unsigned i = 0; row->spread->values && row->spread->runs && i < row->spread->n; i++) {
		size_t k = c->n;

		*ARRAY_PUSH(c->rounds, k) = row->spread->runs[i];
		*ARRAY_PUSH(c->values, c->n) = row->spread->values[i];
	}
}

static const char *percent_text(char buf[32], double share)
{
	snprintf(buf, 32, fabs(share) < 0.99 ? "%.2g%%" : "%.0f%%", 100 * share);
	return buf;
}

/* Sets the reason to "drift of 2.1%; two kinds: 14 of 60 runs are 51% higher", or "". row: of the values' unit. */
static void explain_course(struct result *result, struct variant *spread, const struct course *c, const struct row *row,
			   double level)
{
	double mean = value_real(spread->value);
	double step = row->item->kind != ITEM_COUNT ? 0 : strcmp(row->item->unit, "B") == 0 ? PAGE : 1, drift;
	bool drifts = trend_chance(c->rounds, c->values, c->n, &drift) < level;
	auto_free char *text = NULL;
	auto_strings struct strings texts = {0};
	struct run_kinds kinds;
	char percent[32];

	if (drifts)
		strings_add(&texts, "drift of %s", percent_text(percent, drift / fabs(mean)));
	run_kinds_find(&kinds, c->values, c->n, step);
	if (kinds.chance < KINDS)
		strings_add(&texts, "two kinds: %zu of %zu runs are about %s higher", kinds.n_high, c->n,
			    percent_text(percent, (kinds.high - kinds.low) / fabs(mean)));
	text = strings_join(&texts, "; ");
	spread->reason = text ? result_text(result, text) : "";
	spread->why = !drifts ? texts.n ? WHY_KINDS : WHY_NOT_CODED : texts.n > 1 ? WHY_DRIFT_AND_KINDS : WHY_DRIFT;
}

/* row: of the first command; other: of the second one. */
static void add_spread(struct variants *variants, struct result *result, const struct row *row, const struct row *other)
{
	struct variant *spread = variants_add(variants, ITEM_SPREAD);
	struct course course = {.n = 0};
	struct summary s;

	course_add(&course, row);
	course_add(&course, other);
	summary_make(&s, course.values, course.n);
	spread->value = real_value(s.mean);
	spread->spread = (struct spread){.n = (unsigned)course.n,
					 .stddev = s.stddev,
					 .min = real_value(s.min),
					 .median = real_value(s.median),
					 .max = real_value(s.max)};
	if (s.min == s.max) {
		spread->why = WHY_CONSTANT;
		spread->reason = why_text(WHY_CONSTANT);
	} else if (is_enough(other->difference)) {
		explain_course(result, spread, &course, row, other->difference->level);
	}
	free(course.rounds);
	free(course.values);
}

static void add_change(struct variants *variants, enum item_kind kind, unsigned n, double change)
{
	struct variant *variant = variants_add(variants, kind);

	variant->spread.n = n;
	variant->value = real_value(change);
}

static void add_changes(struct variants *variants, const struct difference *d)
{
	for (size_t i = 0; i < CALIBRATION_NUMBERS; i++) {
		double threshold, change;

		if (!is_enough(d) || !find_change(d, calibration_numbers[i], &threshold, &change))
			continue;
		add_change(variants, ITEM_FOUND, calibration_numbers[i], change);
		add_change(variants, ITEM_THRESHOLD, calibration_numbers[i], threshold);
	}
}

/* ---- the conditions ---- */

/* A condition is for all rows of its name. */
struct bound {
	const char *name;
	double threshold;
	bool known, large;   /* the change is known; one of them is too large for a condition */
	unsigned components; /* of the machine, on which the count depends */
};

struct bounds {
	struct bound *v;
	size_t n;
	bool vary;
};

static void bounds_add(struct bounds *bounds, const struct row *row, const struct difference *d)
{
	const char *name = row->item->name;
	struct bound *b = bounds->v;
	double threshold, change;
	bool enough = is_enough(d);
	bool known = enough && find_change(d, CALIBRATION_LINE, &threshold, &change) && change <= LARGE;

	while (b < bounds->v + bounds->n && strcmp(b->name, name) != 0)
		b++;
	if (b == bounds->v + bounds->n) {
		b = ARRAY_PUSH(bounds->v, bounds->n);
		*b = (struct bound){.name = name, .known = true};
	}
	b->components |= machine_components_of(row);
	b->known &= known;
	b->large |= enough && !known;
	if (known && threshold > b->threshold)
		b->threshold = threshold;
	bounds->vary |= known && !d->fact;
}

/* Tells before a job is written which of its conditions a different machine makes useless. */
static void note_machine(struct result *result, const struct bounds *bounds)
{
	auto_strings struct strings names = {0};
	auto_free char *joined = NULL;
	unsigned components = 0;

	for (const struct bound *b = bounds->v; b < bounds->v + bounds->n; b++)
		if (b->known && b->components) {
			components |= b->components;
			strings_add(&names, "%s", b->name);
		}
	joined = strings_join(&names, ", ");
	if (joined)
		strings_add(&result->notes,
			    "saved reports are judged by %s only if they are from the same %s (--force: from any)",
			    joined, machine_components_words(components));
}

static void set_conditions(struct result *result, const struct bounds *bounds)
{
	auto_strings struct strings conditions = {0}, others = {0};
	auto_free char *text = NULL, *left_out = NULL;

	for (const struct bound *b = bounds->v; b < bounds->v + bounds->n; b++)
		if (b->known)
			strings_add(&conditions, "%s>%.2g%%", b->name, 100 * b->threshold);
		else if (b->large)
			strings_add(&others, "%s", b->name);
	text = strings_join(&conditions, ",");
	left_out = strings_join(&others, ", ");
	if (text)
		result->fail_if = result_text(result, text);
	note_machine(result, bounds);
	result->fail_if_runs = bounds->vary ? CALIBRATION_LINE : FEW_RUNS;
	if (left_out)
		strings_add(&result->notes, "no condition for %s: %u runs do not find a change of %.0f%%", left_out,
			    CALIBRATION_LINE, 100 * LARGE);
}

static void note_spreads(struct result *result)
{
	auto_strings struct strings courses = {0};
	auto_free char *text = NULL;
	const struct event *simulated = NULL;
	bool drifts = false, few = false;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		const struct variant *spread = row->variants;

		if (!spread)
			continue;
		if (*spread->reason && spread->why != WHY_CONSTANT)
			strings_add(&courses, "%s: %s",
				    row_clock(row) == CLOCK_DURATION ? "elapsed time" : row->item->name,
				    spread->reason);
		drifts |= spread->why == WHY_DRIFT || spread->why == WHY_DRIFT_AND_KINDS;
		few |= spread->spread.n < 2 * CALIBRATION_LEAST;
		if (row->item->event && simulated_of(row->item->event))
			simulated = row->item->event;
	}
	text = strings_join(&courses, "; ");
	if (text)
		strings_add(&result->notes, "%s", text);
	if (drifts)
		strings_add(&result->notes, "runs drift: both commands of a round drift alike, so their difference "
					    "stays correct, but a steadier machine would find smaller changes");
	if (simulated)
		strings_add(&result->notes,
			    "%s is simulated: a deterministic program has no spread, but hash seeds, random addresses "
			    "(ASLR) and the environment change the count",
			    simulated->name);
	if (few)
		strings_add(&result->notes, "fewer than %d runs of each command say too little about their spread",
			    CALIBRATION_LEAST);
}

static bool says_something(const struct row *row, const struct row *other)
{
	bool glob_zero = row->item->event && row->item->event->matches > 1 && value_real(row->value) == 0;

	return !other->of_task && row->spread->values && other->spread->values && !row_is_chance(row) &&
	       !(glob_zero && other->difference->fact);
}

void calibration_add(struct result *result)
{
	struct bounds bounds = {.n = 0}, elapsed = {.n = 0};

	for (size_t i = 0; i < result->n_differences; i++) {
		const struct row *other = &result->rows[result->differences[i].of];
		struct row *row = &result->rows[other->like];
		struct variants variants = {0};

		if (!says_something(row, other))
			continue;
		if (row->item->counted)
			bounds_add(&bounds, row, other->difference);
		else if (row_clock(row) == CLOCK_DURATION)
			bounds_add(&elapsed, row, other->difference);
		add_spread(&variants, result, row, other);
		add_changes(&variants, other->difference);
		variants_give(&variants, result, row);
	}
	set_conditions(result, bounds.n ? &bounds : &elapsed);
	note_spreads(result);
	free(bounds.v);
	free(elapsed.v);
}
