/* stopping: whether the differences of a comparison are known so well that no further round is needed. Pure.
 *
 * The differences that matter are the elapsed time and the first event of each later command, or, if there are
 * conditions of --fail-if, only the differences that these are about. */
#pragma once

#include <stdbool.h>

#include "compare/condition.h"
#include "rows/result.h"

/* result: with the rows of differences_add. conditions: may be empty. threshold: of the verdicts. */

/* True if each of these differences has a verdict, or decides its condition. */
bool stopping_is_decided(const struct result *result, const struct conditions *conditions, double threshold);

/* True if each of these differences that is not decided would be beyond the threshold, or meet its condition, if the
 * deviations of the means were smaller by this factor (0 to 1), the means the same. */
bool stopping_is_near(const struct result *result, const struct conditions *conditions, double threshold,
		      double factor);
