/* culprits: the tasks (--by) that explain the difference of an event, for all formats. Reads a result; pure.
 *
 * Order of calls: culprits_find; read; culprits_free. The result must outlive it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"

struct culprit {
	const struct row *count; /* the later command's row, which may be absent */
	const struct difference *difference;
	const char *mark; /* "new" or "gone": only one side has it, and not by chance; or "" */
	bool named;       /* its difference is decided */
};

struct culprits {
	const struct difference *difference; /* of the whole */
	struct culprit *v;                   /* those that are named, sorted by the size of their difference */
	size_t n;
	size_t shown;               /* the first of them; tasks without any difference are left out */
	double rest;                /* of all others together, as a share of the reference's whole; NAN if unknown */
	double rest_low, rest_high; /* its interval */
};

#define CULPRITS_SHOWN 5 /* without --top */

/* Finds the tasks of whole, a later command's row of all tasks. top 0: the default. Returns false if whole has no
 * difference, or there are no tasks. If neither the whole nor any task differs, n and shown are 0 unless `all`. */
bool culprits_find(struct culprits *c, const struct result *result, const struct row *whole, size_t top, bool all);
void culprits_free(struct culprits *c);
