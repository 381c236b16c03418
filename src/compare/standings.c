#include "compare/standings.h"

#include <stdlib.h>

#include "lib/number.h"

static bool is_ranked(const struct row *row)
{
	return row_is_known(row) && (row->command == 1 || (row->difference && !row->difference->another));
}

/* Returns the share of which the opposite change is: +25% of -20%. */
static double opposite(double change)
{
	return 1 / (1 + change) - 1;
}

/* Sets the difference of a later command from the first one. */
static void set_forward(struct ranked *r, const struct difference *d)
{
	r->verdict = d->verdict;
	r->difference = d->value;
	r->error = d->error;
	r->relative = d->relative;
	r->low = d->low;
	r->high = d->high;
}

/* Sets the difference of the first command from a later one. */
static void set_reverse(struct ranked *r, const struct difference *d)
{
	r->verdict = d->verdict == VERDICT_LESS ? VERDICT_MORE : d->verdict == VERDICT_MORE ? VERDICT_LESS : d->verdict;
	r->difference = -d->value;
	r->error = d->error;
	r->relative = opposite(d->relative);
	r->low = opposite(d->high);
	r->high = opposite(d->low);
}

/* If one command is certainly less than the first one, and the other certainly more, no test of these two is needed:
 * the quotient of their intervals holds wherever both intervals hold. */
static bool set_through_first(struct ranked *r, const struct difference *less, const struct difference *more)
{
	if (less->verdict != VERDICT_LESS || more->verdict != VERDICT_MORE)
		return false;
	r->verdict = VERDICT_MORE;
	r->difference = more->value - less->value;
	r->error = more->error + less->error;
	r->relative = (1 + more->relative) / (1 + less->relative) - 1;
	r->low = (1 + more->low) / (1 + less->high) - 1;
	r->high = (1 + more->high) / (1 + less->low) - 1;
	return true;
}

/* Compares two later commands. */
static void set_pair(struct ranked *r, const struct row *least, size_t n)
{
	const struct difference *a = least->difference, *b = r->row->difference;
	size_t pairs = n * (n - 1) / 2;
	struct difference d;

	difference_make(&d, a->other, b->other);
	if (least->spread->values && r->row->spread->values && rows_are_of_same_runs(least, r->row))
		difference_pair(&d, least->spread->values, r->row->spread->values);
	if (a->values[1] && b->values[1])
		difference_use_medians(&d, a->values[1], b->values[1]);
	d.bounds[0] = a->bounds[1];
	d.bounds[1] = b->bounds[1];
	d.simulated = a->simulated && b->simulated;
	d.share = b->share;
	difference_set_tests(&d, number_larger(a->tests, b->tests) * (double)pairs);
	d.verdict = difference_judge(&d, b->threshold);
	d.runs_needed = difference_runs_needed(&d, b->threshold);
	difference_change(&d, &d.low, &d.high);
	r->fact = d.fact || d.simulated;
	if (d.verdict != VERDICT_MORE && set_through_first(r, a, b))
		return;
	set_forward(r, &d);
	r->runs_needed = d.runs_needed;
}

static void set_difference(struct ranked *r, const struct ranked *least, size_t n)
{
	const struct difference *d = (least->row->command == 1 ? r : least)->row->difference;

	r->runs_needed = d->runs_needed;
	r->fact = d->fact || d->simulated;
	if (least->row->command == 1)
		set_forward(r, d);
	else if (r->row->command == 1)
		set_reverse(r, d);
	else
		set_pair(r, least->row, n);
	if (!(least->mean > 0))
		r->relative = r->low = r->high = NAN;
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->mean != y->mean)
		return (x->mean > y->mean) - (x->mean < y->mean);
	return (x->row->command > y->row->command) - (x->row->command < y->row->command);
}

void standings_make(struct standings *standings, const struct row *const *rows, size_t n)
{
	*standings = (struct standings){.v = NULL};
	for (size_t i = 0; i < n; i++)
		if (is_ranked(rows[i]))
			*ARRAY_PUSH(standings->v, standings->n) = (struct ranked){
				.row = rows[i],
				.mean = value_real(rows[i]->value),
				.verdict = VERDICT_UNKNOWN,
				.difference = NAN,
				.error = NAN,
				.relative = NAN,
				.low = NAN,
				.high = NAN,
			};
	if (standings->n < 2 || rows[0]->command != 1 || standings->v[0].row != rows[0]) {
		standings_free(standings);
		return;
	}
	qsort(standings->v, standings->n, sizeof(*standings->v), compare_ranked);
	for (size_t i = 1; i < standings->n; i++)
		set_difference(&standings->v[i], &standings->v[0], standings->n);
}

bool standings_is_certain(const struct standings *standings)
{
	for (size_t i = 1; i < standings->n; i++)
		if (standings->v[i].verdict != VERDICT_MORE)
			return false;
	return true;
}

void standings_free(struct standings *standings)
{
	free(standings->v);
	*standings = (struct standings){.v = NULL};
}
