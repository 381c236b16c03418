/* standings: the commands of a comparison in the order of one value, each with its difference from the least. Pure.
 *
 * A difference from the first command is that of the verdicts (differences.h), turned round if the first command has
 * the larger value. Any other pair is found by looking at the results. Its level is therefore divided by the number of
 * all pairs (Bonferroni), so that the choice of the least adds no false verdicts; except if the first command is
 * certainly between the two.
 *
 * Order of calls: standings_make; read; standings_free. The rows must outlive it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compare/differences.h"

struct ranked {
	const struct row *row;
	double mean;
	/* the following are NAN or VERDICT_UNKNOWN for the first of the standings */
	enum verdict verdict;       /* VERDICT_MORE: certainly more than the first of the standings */
	double difference, error;   /* from it, in the value's unit */
	double relative, low, high; /* the same as a share of it, with its interval; NAN unless its mean is above 0 */
	double runs_needed;         /* VERDICT_UNDECIDED */
	bool fact;                  /* both are the same in all runs */
};

struct standings {
	struct ranked *v; /* the least first */
	size_t n;
};

/* rows: of one event, in the order of the commands, the first command's row first. Leaves out rows without a known
 * value or without a difference. The standings are empty if fewer than two are left, or if events differ. */
void standings_make(struct standings *standings, const struct row *const *rows, size_t n);
/* True if each of the others is certainly more than the first. */
bool standings_is_certain(const struct standings *standings);
void standings_free(struct standings *standings);
