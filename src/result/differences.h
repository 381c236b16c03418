/* differences: are two means different, by how much, and is that known? And the rows that say so of the later commands
 * of a result and its first. Pure.
 *
 * Welch's t with Satterthwaite's degrees of freedom: the two need be neither as wide nor as many. Over the events of
 * one comparison Holm's correction: the smallest of m p-values is held against 5%/m, the next against 5%/(m - 1), until
 * the first that fails, which sets the level of all that remain. The intervals are of those levels.
 *
 * Order of calls: differences_add. For it, and for whoever has means without rows: difference_make for each event;
 * differences_correct over all events of one comparison; difference_judge.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"
#include "result/summary.h"

enum verdict {
	VERDICT_SAME,      /* the whole interval lies within the threshold */
	VERDICT_LESS,      /* the whole interval lies below it */
	VERDICT_MORE,      /* above */
	VERDICT_UNDECIDED, /* it spans both */
	VERDICT_UNKNOWN,   /* no interval: a single run */
};

struct difference {
	struct summary reference, other;
	bool fact;    /* neither side varies: the difference, or that there is none, is not a matter of chance */
	double df;    /* NAN: no interval */
	double p;     /* that a difference like this is chance; 0 or 1 for a fact; NAN: not known */
	double level; /* of the interval, corrected; 0.05 uncorrected */

	double value, error;   /* other - reference, in their unit; half-width, NAN: not known */
	double relative;       /* the same as a share of the reference; NAN where that is 0 */
	double relative_error; /* its half-width, with the reference's own uncertainty */
};

void difference_make(struct difference *d, const struct summary *reference, const struct summary *other);

/* Set level, error and relative_error of each. */
void differences_correct(struct difference *differences, size_t n);

/* threshold: a share, 0.01 for 1%. Where the reference is 0 any difference is beyond it. */
enum verdict difference_judge(const struct difference *d, double threshold);

/* About how many runs of each would decide what is undecided, were all else to stay; INFINITY: more than anybody
 * makes. */
double difference_runs_needed(const struct difference *d, double threshold);

/* For each later command and each count over all runs that both it and the first command have a value of, append a
 * ROW_DIFFERENCE and, unless the first command's mean is 0, a ROW_CHANGE, both with the verdict as their reason.
 * threshold: a share, 0.01 for 1%. */
void differences_add(struct result *result, double threshold);

/* The row of this kind for a count of a later command; NULL: none. */
const struct row *differences_find(const struct result *result, enum row_kind kind, const struct row *count);
