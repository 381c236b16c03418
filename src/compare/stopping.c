#include "compare/stopping.h"

#include <string.h>

#include "compare/differences.h"

/* What each difference is asked. factor: of the deviations, or 1 for the question whether it is decided. */
struct question {
	const struct conditions *conditions;
	double threshold, factor;
};

static struct difference narrowed(const struct difference *d, double factor)
{
	struct difference narrow = *d;

	narrow.reference.stddev *= factor;
	narrow.other.stddev *= factor;
	narrow.covariance *= factor * factor;
	narrow.error *= factor;
	for (int i = 0; i < 2; i++) {
		double median = i ? d->other.mean : d->reference.mean;

		narrow.medians[i].low = median + (d->medians[i].low - median) * factor;
		narrow.medians[i].high = median + (d->medians[i].high - median) * factor;
	}
	return narrow;
}

static bool is_decided(const struct difference *d, const struct question *q)
{
	struct difference narrow = narrowed(d, q->factor);
	enum verdict verdict = difference_judge(d, q->threshold), soon = difference_judge(&narrow, q->threshold);

	return verdict == VERDICT_SAME || soon == VERDICT_MORE || soon == VERDICT_LESS;
}

static bool decides(const struct difference *d, const struct condition *condition, const struct question *q)
{
	struct difference narrow = narrowed(d, q->factor);

	return !isnan(d->error) && (condition_is_decided(condition, d) || condition_holds(condition, &narrow));
}

/* The times of a simulation say nothing about the command. */
static bool is_of_totals(const struct row *row)
{
	return !row->of_task && !row_is_of_simulation(row);
}

static bool answers_conditions(const struct result *result, const struct question *q)
{
	bool yes = true;

	for (size_t i = 0; i < result->n_differences; i++) {
		const struct row *row = &result->rows[result->differences[i].of];

		for (size_t k = 0; k < q->conditions->n && !row->of_task; k++)
			yes &= !condition_names(&q->conditions->v[k], row) ||
			       decides(row->difference, &q->conditions->v[k], q);
	}
	return yes;
}

/* The first row of a command that is not a clock is its first event, or its first metric. */
static bool answers_verdicts(const struct result *result, const struct question *q)
{
	unsigned had_event = 1; /* the last command with an event so far: the rows are in their order */
	bool yes = true;

	for (size_t i = 0; i < result->n_differences; i++) {
		const struct row *row = &result->rows[result->differences[i].of];
		enum clock clock = row_clock(row);

		if (!is_of_totals(row) || (!clock ? row->command == had_event : clock != CLOCK_DURATION))
			continue;
		if (!clock)
			had_event = row->command;
		yes &= is_decided(row->difference, q);
	}
	return yes;
}

static bool answers(const struct result *result, const struct question *q)
{
	return q->conditions->n ? answers_conditions(result, q) : answers_verdicts(result, q);
}

bool stopping_is_decided(const struct result *result, const struct conditions *conditions, double threshold)
{
	return answers(result, &(struct question){conditions, threshold, 1});
}

bool stopping_is_near(const struct result *result, const struct conditions *conditions, double threshold, double factor)
{
	return answers(result, &(struct question){conditions, threshold, factor});
}
