/* Which of the reports' values are outliers. */
#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"
#include "result/merge.h"
#include "result/summary.h"

#define FEW       4      /* values, of which none is an outlier if there are fewer */
#define OUTLIER   3.5    /* deviations */
#define MAD_SCALE 1.4826 /* median absolute deviations in a standard deviation */
#define NOTABLE   0.05   /* of the median */

size_t merge_outliers(const double *values, size_t n, double noise, bool *is_outlier)
{
	auto_free double *distances = xcalloc(n + 1, sizeof(*distances));
	struct summary of_values, of_distances;
	double limit;
	size_t found = 0;

	memset(is_outlier, 0, n * sizeof(*is_outlier));
	if (n < FEW)
		return 0;
	summary_make(&of_values, values, n);
	for (size_t i = 0; i < n; i++)
		distances[i] = fabs(values[i] - of_values.median);
	summary_make(&of_distances, distances, n);
	limit = OUTLIER * number_larger(MAD_SCALE * of_distances.median, noise);
	limit = number_larger(limit, NOTABLE * fabs(of_values.median));
	for (size_t i = 0; i < n; i++) {
		is_outlier[i] = distances[i] > limit;
		found += is_outlier[i];
	}
	return found;
}
