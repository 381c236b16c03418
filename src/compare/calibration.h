/* calibration: --calibrate, a command compared with itself: for each event the spread of its runs, the changes that
 * --fail-if finds with 10 to 100 runs, and the conditions to use. Pure.
 *
 * A condition `event>T%` is met if the whole interval of the difference is beyond T (condition.h). So whatever T is,
 * equal commands meet it at most as often as an interval is wrong: in 5% of comparisons for all events together. A
 * change that is found in 80% of comparisons is beyond T by the half-width, and by how much differences vary. T is
 * about a quarter of this change: then the change is only a third larger than with a T of 0, and equal commands hardly
 * ever meet the condition; nor do the small changes of every build.
 *
 * Order of calls: differences_add; calibration_add. */
#pragma once

#include "rows/result.h"

#define CALIBRATION_RUNS  30 /* of each command, by default */
#define CALIBRATION_LEAST 10 /* of each: with fewer, the spread is hardly known */

/* In comparisons with so many runs of each command; and in those with the conditions. */
#define CALIBRATION_NUMBERS 4
extern const unsigned calibration_numbers[CALIBRATION_NUMBERS];
#define CALIBRATION_LINE 20

/* The reasons of a ROW_SPREAD begin with these, the last two separated by "; ". */
#define CALIBRATION_CONSTANT "the same in all runs"
#define CALIBRATION_DRIFT    "drift"
#define CALIBRATION_KINDS    "two kinds"

/* Appends for each event, metric and clock whose difference is known:
 *
 * - a ROW_SPREAD: the mean and the spread over the runs of both, and as its reason whether they drift or are of two
 *   kinds;
 * - for each number n of runs a ROW_FOUND, the change, as a share, that is found in 80% of comparisons with n runs of
 *   each command, and a ROW_THRESHOLD, its T; none if no change is found.
 *
 * Their `of` is the row of the first command. Sets the result's fail_if, of events, since for metrics less may be
 * worse, or without events of the elapsed time; and adds notes. */
void calibration_add(struct result *result);
