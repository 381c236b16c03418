#include "result/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"
#include "result/stats.h"

#define OUTLIER 14.826
#define FEW     5

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted(const double *values, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), compare_doubles);
	return copy;
}

static double median_of_sorted(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* In two passes: sums of squares would lose counts of 10^12 that differ by 10. */
static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i] - values[0];
	return values[0] + sum / (double)n;
}

static double stddev_of(const double *values, size_t n, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

void summary_make(struct summary *s, const double *values, size_t n)
{
	auto_free double *v = sorted(values, n);

	s->n = n;
	s->mean = mean_of(values, n);
	s->stddev = stddev_of(values, n, s->mean);
	s->min = v[0];
	s->median = median_of_sorted(v, n);
	s->max = v[n - 1];
}

double summary_half_width(const struct summary *s)
{
	if (s->n < 2)
		return NAN;
	if (s->stddev == 0)
		return 0;
	return stats_t_quantile(0.975, (double)(s->n - 1)) * s->stddev / sqrt((double)s->n);
}

size_t summary_outliers(const double *values, size_t n, bool *is_outlier)
{
	auto_free double *v = sorted(values, n);
	double median = median_of_sorted(v, n), deviation;
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = fabs(values[i] - median);
	qsort(v, n, sizeof(*v), compare_doubles);
	deviation = median_of_sorted(v, n);
	if (deviation == 0)
		deviation = number_larger(1, fabs(median) / 200);
	for (size_t i = 0; i < n; i++) {
		is_outlier[i] = n >= FEW && fabs(values[i] - median) > OUTLIER * deviation;
		found += is_outlier[i];
	}
	return found;
}
