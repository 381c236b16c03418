/* series: the course of counts over the intervals of a run: the data of pictures. Copies the data from results; pure.
 *
 * Order of calls: zero-initialize; series_add_interval for each interval; read; series_free. */
#pragma once

#include <stddef.h>

#include "rows/row_index.h"

/* The series of one event and subject (of one command). */
struct series {
	struct row of; /* kind, command, item and subject */
	double *values;
	size_t n;     /* values; NAN for missing ones */
	size_t stamp; /* number of the last interval with a value: of an event that was named twice, only the first
			 counts */
};

struct series_set {
	struct series *v;
	size_t n;
	struct result rows; /* the rows of the series, with their strings */
	struct row_index index;

	/* Values are rates per second. A value is the mean of `per` intervals: 1 at first, twice as many each time the
	 * values become too many. */
	double *ends; /* s, the end of each value's last interval */
	size_t n_ends;
	size_t intervals; /* number of intervals so far */
	double last;      /* s, the end of the last one */
	unsigned per;     /* intervals that make one value; 0 before the first */
	unsigned filled;  /* intervals in the last value so far */
};

void series_add_interval(struct series_set *set, const struct result *result);

void series_free(struct series_set *set);
