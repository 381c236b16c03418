/* series: the rows of repeated runs of one command, and what they come to.
 *
 * Order of calls: series_init; series_add for each run; series_finish once, which makes series.result the rows over all
 * runs; series_free. Rows of different runs belong together when kind, scope, scope_id, cgroup and name are equal (of
 * several such in one run, the first with the first, and so on).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "result.h"
#include "summary.h"

/* One row's values in all runs. */
struct history {
	unsigned *runs; /* which run each value is of */
	size_t n_runs;
	double *values;
	size_t n; /* values; as many as runs */
	double squared_errors;
	unsigned with_error;   /* values that had an error of their own */
	unsigned scaled, idle; /* how many were */
	unsigned last_run;     /* that had this row, with or without a value */
	bool differ;           /* not all values are equal */
	struct sample raw;     /* sums */
	unsigned with_raw;
};

struct series {
	struct result result; /* its session is the last run's */
	struct history *histories;
	size_t n;
	unsigned runs; /* how many were added */
};

void series_init(struct series *s);

/* The rows of a run; number: of the run, from 1. */
void series_add(struct series *s, const struct result *run, unsigned number);

/* The summary so far of the first event that has a value in every run, or else of the elapsed time. False: none. */
bool series_leading(const struct series *s, struct summary *summary);

/* Value, error, n, stddev, min, median, max, outliers of each row. */
void series_finish(struct series *s);

void series_free(struct series *s);
