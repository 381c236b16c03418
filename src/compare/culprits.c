#include "compare/culprits.h"

#include <stdlib.h>

#include "compare/differences.h"

static int compare_culprits(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	double size_x = fabs(x->difference->value), size_y = fabs(y->difference->value);

	if (x->named != y->named)
		return x->named ? -1 : 1;
	if (size_x != size_y)
		return size_x > size_y ? -1 : 1;
	return (x->count > y->count) - (x->count < y->count);
}

/* Returns the sums, for each run, of a command's rows that are not shown, which the caller frees; NULL if they are
 * unknown. */
static double *sum_values(const struct culprits *c, const struct result *result, bool reference, size_t n)
{
	double *sums = xcalloc(n + 1, sizeof(*sums));

	for (size_t i = c->shown; i < c->n; i++) {
		const struct row *count = c->v[i].count, *row = reference ? &result->rows[count->like] : count;

		if ((!row->spread->values && !row_is_absent(row)) || row->spread->n != n) {
			free(sums);
			return NULL;
		}
		for (size_t k = 0; k < n && row->spread->values; k++)
			sums[k] += row->spread->values[k];
	}
	return sums;
}

static void sum_rest(struct culprits *c, const struct result *result)
{
	auto_free double *reference = NULL, *other = NULL;
	const struct row *count;
	struct summary first, second;
	struct difference d;

	c->rest = 0;
	c->rest_low = c->rest_high = NAN;
	for (size_t i = c->shown; i < c->n; i++)
		c->rest += c->v[i].difference->relative;
	if (c->shown == c->n)
		return;
	count = c->v[c->shown].count;
	reference = sum_values(c, result, true, result->rows[count->like].spread->n);
	other = sum_values(c, result, false, count->spread->n);
	if (!reference || !other)
		return;
	summary_make(&first, reference, result->rows[count->like].spread->n);
	summary_make(&second, other, count->spread->n);
	difference_make(&d, first, second);
	if (first.n == second.n && rows_are_of_same_runs(&result->rows[count->like], count))
		difference_pair(&d, reference, other);
	difference_set_whole(&d, c->v[c->shown].difference->whole);
	d.share = c->v[c->shown].difference->share;
	differences_correct(&d, 1);
	difference_change(&d, &c->rest_low, &c->rest_high);
}

bool culprits_find(struct culprits *c, const struct result *result, const struct row *whole, size_t top, bool all)
{
	*c = (struct culprits){.difference = whole->difference};
	for (size_t i = 0; i < result->n_differences && result->has_tasks && c->difference; i++) {
		const struct row *count = &result->rows[result->differences[i].of];

		if (!count->of_task || count->command != whole->command ||
		    count->item->event_number != whole->item->event_number ||
		    count->item->number != whole->item->number)
			continue;
		*ARRAY_PUSH(c->v, c->n) = (struct culprit){
			.count = count,
			.difference = count->difference,
			.mark = count->difference->verdict == VERDICT_UNDECIDED ? ""
				: row_is_absent(&result->rows[count->like])     ? "new"
				: row_is_absent(count)                          ? "gone"
										: "",
			.named = count->difference->verdict == VERDICT_MORE ||
				 count->difference->verdict == VERDICT_LESS,
		};
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), compare_culprits);
	top = top ? top : CULPRITS_SHOWN;
	while (c->shown < c->n && c->shown < top && c->v[c->shown].difference->value != 0)
		c->shown++;
	sum_rest(c, result);
	if (!c->n)
		return false;
	if (!all && !c->v->named && c->difference->verdict == VERDICT_SAME)
		c->shown = c->n = 0;
	return true;
}

void culprits_free(struct culprits *c)
{
	free(c->v);
	*c = (struct culprits){.n = 0};
}
