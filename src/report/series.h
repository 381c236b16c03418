/* series: how counts went on over the intervals of a run, or from run to run: what pictures are drawn from. Copies what
 * it needs of results; pure.
 *
 * Order of calls: zero-initialize; series_add_interval for each interval, or series_add_run for each run; read;
 * series_free.
 */
#pragma once

#include <stddef.h>

#include "rows/result.h"

/* Of one event and subject (of one command). */
struct series {
	struct row of; /* kind, command, subject, name, unit and event; its strings are owned */
	double *values;
	size_t n;     /* values; what has none is NAN */
	size_t stamp; /* of the last interval or run: of an event that was named twice, one counts */
};

struct series_set {
	struct series *v;
	size_t n;
	size_t next; /* where the next row is looked for first: they come in the same order each time */

	/* of intervals: values are rates per second of counted time. If there are many, several become one. */
	double *ends; /* s, of n_ends */
	size_t n_ends;
	size_t intervals; /* all that have been */
	double last;      /* s, the end of the last one */
	unsigned per;     /* intervals that make one value; 0: none has been */
	unsigned filled;  /* that the last value is of so far */
};

void series_add_interval(struct series_set *set, const struct result *result);
void series_add_run(struct series_set *set, const struct result *result);

/* That of a row over all of the runs or intervals; NULL: none. */
const struct series *series_find(const struct series_set *set, const struct row *row);

void series_free(struct series_set *set);
