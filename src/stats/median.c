#include "stats/median.h"

#include <math.h>

#include "lib/util.h"
#include "stats/summary.h"

#define MANY 1000 /* values for which the binomial distribution is taken as normal */

/* Returns the largest k for which fewer than k heads in n throws have at most this probability. */
static size_t rank_of(size_t n, double probability)
{
	double chance = 1, sum = 0;
	size_t k = 0;

	if (n > MANY)
		return (size_t)(((double)n - student_quantile(1 - probability, INFINITY) * sqrt((double)n)) / 2);
	for (size_t i = 0; i < n; i++) /* not pow: libm is loaded only for functions that need it */
		chance /= 2;
	while (sum + chance <= probability) {
		sum += chance;
		chance *= (double)(n - k) / (double)(k + 1);
		k++;
	}
	return k;
}

bool median_interval(const double *values, size_t n, double level, double *low, double *high)
{
	size_t k = rank_of(n, level / 2);
	auto_free double *sorted = NULL;

	*low = *high = NAN;
	if (!k)
		return false;
	sorted = summary_sorted(values, n);
	*low = sorted[k - 1];
	*high = sorted[n - k];
	return true;
}

size_t median_least(double level)
{
	size_t n = 1;

	while (rank_of(n, level / 2) == 0)
		n++;
	return n;
}
