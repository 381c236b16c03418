#include "report/series.h"

#include <string.h>

#define VALUES_MOST 1024

static struct series *series_at(struct series_set *set, const struct row *row)
{
	size_t item = result_item(&set->rows, row->item)->number;
	size_t subject = result_subject(&set->rows, row->subject)->number;
	size_t at = row_index_find(&set->index, &set->rows, item, subject, SIZE_MAX);
	struct series *series;

	if (at != SIZE_MAX)
		return &set->v[at];
	series = ARRAY_PUSH(set->v, set->n);
	series->of = *result_add_copy(&set->rows, row);
	row_index_add(&set->index, &set->rows);
	return series;
}

/* Returns the value of this number; missing ones before it are NAN. */
static double *series_value(struct series *series, size_t number)
{
	while (series->n <= number)
		*ARRAY_PUSH(series->values, series->n) = NAN;
	return &series->values[number];
}

static bool is_drawn(const struct row *row)
{
	return row->item->kind == ITEM_COUNT && row->item->counted && status_has_value(row->status) &&
	       !subject_is_process(row->subject);
}

static double mean_of_two(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : (a + b) / 2;
}

/* Joins pairs of neighbours, so that a value represents twice as many intervals. */
static void halve(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct series *series = &set->v[i];

		series_value(series, set->n_ends - 1);
		for (size_t k = 0; k < set->n_ends / 2; k++)
			series->values[k] = mean_of_two(series->values[2 * k], series->values[2 * k + 1]);
		series->n = set->n_ends / 2;
	}
	for (size_t k = 0; k < set->n_ends / 2; k++)
		set->ends[k] = set->ends[2 * k + 1];
	set->n_ends /= 2;
	set->per *= 2;
}

void series_add_interval(struct series_set *set, const struct result *result)
{
	double time = result->n ? result->rows[0].time : NAN, length = time - set->last;

	if (isnan(time) || !(length > 0))
		return;
	set->per = set->per ? set->per : 1;
	if (set->filled == set->per || set->n_ends == 0) {
		if (set->n_ends == VALUES_MOST)
			halve(set);
		*ARRAY_PUSH(set->ends, set->n_ends) = time;
		set->filled = 0;
	}
	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];
		struct series *series;
		double *value;

		if (!is_drawn(row))
			continue;
		series = series_at(set, row);
		if (series->stamp == set->intervals + 1)
			continue;
		series->stamp = set->intervals + 1;
		value = series_value(series, set->n_ends - 1);
		*value = isnan(*value) ? value_real(row->value) / length
				       : (*value * set->filled + value_real(row->value) / length) / (set->filled + 1);
	}
	set->ends[set->n_ends - 1] = time;
	set->last = time;
	set->filled++;
	set->intervals++;
}

void series_free(struct series_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free(set->v[i].values);
	row_index_free(&set->index);
	result_free(&set->rows);
	free(set->v);
	free(set->ends);
	*set = (struct series_set){.n = 0};
}
