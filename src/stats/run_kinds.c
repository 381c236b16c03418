#include "stats/run_kinds.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/number.h"
#include "lib/util.h"
#include "stats/summary.h"

struct ranked {
	double value;
	size_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static struct ranked *sorted(const double *values, size_t n)
{
	struct ranked *v = xcalloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (struct ranked){values[i], i};
	qsort(v, n, sizeof(*v), compare_ranked);
	return v;
}

static double *ranks_of(const double *values, size_t n)
{
	auto_free struct ranked *v = sorted(values, n);
	double *ranks = xcalloc(n, sizeof(*ranks));

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n && v[end].value == v[first].value;)
			end++;
		for (size_t i = first; i < end; i++)
			ranks[v[i].at] = (double)(first + end - 1) / 2;
	}
	return ranks;
}

double trend_chance(const double *times, const double *values, size_t n, double *drift)
{
	auto_free double *x = ranks_of(times, n), *y = ranks_of(values, n);
	double square = summary_covariance(x, x, n) * summary_covariance(y, y, n);
	double correlation = square > 0 ? summary_covariance(x, y, n) / sqrt(square) : 0, first = times[0];
	double last = first, df = (double)n - 2;

	for (size_t i = 0; i < n; i++) {
		first = times[i] < first ? times[i] : first;
		last = number_larger(last, times[i]);
	}
	*drift = 0;
	if (last > first)
		*drift = summary_covariance(times, values, n) / summary_covariance(times, times, n) * (last - first);
	return student_tails(correlation * sqrt(df / number_larger(1 - correlation * correlation, DBL_EPSILON)), df);
}

/* Returns the number of low values of the best split. */
static size_t split_of(const struct ranked *v, size_t n)
{
	double low = 0, high = 0, best = -1;
	size_t at = 1;

	for (size_t i = 0; i < n; i++)
		high += v[i].value - v[0].value;
	for (size_t k = 1; k < n; k++) {
		double apart, between;

		low += v[k - 1].value - v[0].value;
		high -= v[k - 1].value - v[0].value;
		apart = high / (double)(n - k) - low / (double)k;
		between = (double)k * (double)(n - k) * apart * apart;
		if (between > best && v[k].value > v[k - 1].value) {
			best = between;
			at = k;
		}
	}
	return at;
}

static double median_of(const struct ranked *v, size_t n)
{
	return n % 2 ? v[n / 2].value : v[n / 2 - 1].value + (v[n / 2].value - v[n / 2 - 1].value) / 2;
}

/* Returns the number of values in an interval of this width. Each value stands for an interval of length step, of which
 * the part inside is counted. */
static double count_within(const struct ranked *v, size_t n, double centre, double width, double step)
{
	double sum = 0, most = step < width ? step : width;

	for (size_t i = 0; i < n; i++) {
		double inside = (width + step) / 2 - fabs(v[i].value - centre);

		sum += inside < 0 ? 0 : inside < most ? inside : most;
	}
	return sum / step;
}

void run_kinds_find(struct run_kinds *kinds, const double *values, size_t n, double step)
{
	auto_free struct ranked *v = sorted(values, n);
	size_t k = split_of(v, n);
	double third, at_low, at_high, between, fewer;

	kinds->n_high = n - k;
	kinds->low = median_of(v, k);
	kinds->high = median_of(v + k, n - k);
	third = (kinds->high - kinds->low) / 3;
	step = number_larger(step, third * DBL_EPSILON);
	at_low = count_within(v, n, kinds->low, third, step);
	at_high = count_within(v, n, kinds->high, third, step);
	between = count_within(v, n, (kinds->low + kinds->high) / 2, third, step);
	fewer = at_low < at_high ? at_low : at_high;
	kinds->chance = fewer > between ? fisher_tail(fewer / (between + 1), 2 * (between + 1), 2 * fewer) : 1;
}
