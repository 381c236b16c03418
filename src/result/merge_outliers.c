/* Which of the reports' values are outliers. */
#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"
#include "result/merge.h"
#include "result/summary.h"

#define FEW     4    /* values, of which none is an outlier if there are fewer */
#define CHANCE  3.5  /* standard deviations */
#define NOTABLE 0.05 /* of the median */

size_t merge_outliers(const double *values, size_t n, double noise, bool *is_outlier)
{
	struct summary s;
	double limit;
	size_t found = 0;

	memset(is_outlier, 0, n * sizeof(*is_outlier));
	if (n < FEW)
		return 0;
	summary_make(&s, values, n);
	limit = number_larger(summary_outlier_limit(values, n), CHANCE * noise);
	limit = number_larger(limit, NOTABLE * fabs(s.median));
	for (size_t i = 0; i < n; i++) {
		is_outlier[i] = fabs(values[i] - s.median) > limit;
		found += is_outlier[i];
	}
	return found;
}
