/* calibration: --calibrate, a command compared with itself: for each event, the spread of its runs and the changes that
 * --fail-if finds with 10 to 100 runs; and the conditions to use. Pure.
 *
 * A condition `event>T%` is met if the whole interval of the difference is beyond T (condition.h). With any T, equal
 * commands meet one of the conditions in at most 5% of comparisons, since this is how often any of the intervals is
 * wrong.
 * A change that is found in 80% of comparisons exceeds T by the half-width and by the variation of differences. T is
 * about a quarter of this change: the change is then only a third larger than with a T of 0, and equal commands and the
 * small changes of every build hardly ever meet the condition.
 *
 * Order of calls: differences_add; calibration_add. */
#pragma once

#include "rows/result.h"

#define CALIBRATION_RUNS  30 /* of each command, by default */
#define CALIBRATION_LEAST 10 /* of each: with fewer, the spread is hardly known */

/* The numbers of runs of each command in the columns, and in comparisons with the conditions. */
#define CALIBRATION_NUMBERS 4
extern const unsigned calibration_numbers[CALIBRATION_NUMBERS];
#define CALIBRATION_LINE 20

/* Gives the first command's row of each event, metric and clock whose difference is known its variants, in this order:
 *
 * - an ITEM_SPREAD: the mean and the spread over the runs of both, and as its reason whether they drift or are of two
 *   kinds (WHY_CONSTANT and the following);
 * - for each number n of runs an ITEM_FOUND, the change, as a share, that is found in 80% of comparisons with n runs of
 *   each command, and an ITEM_THRESHOLD, its T; none if no change is found.
 *
 * Sets the result's fail_if for events (for metrics, a decrease may be worse), or for the elapsed time if there are no
 * events; and adds notes. */
void calibration_add(struct result *result);
