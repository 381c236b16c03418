/* run_stats: the rows of repeated runs of one command, and what they come to.
 *
 * Order of calls: run_stats_init; run_stats_add for each run; run_stats_finish once, which makes result the rows over
 * all runs; run_stats_free. Rows of different runs belong together when kind, scope, scope_id, cgroup and name are
 * equal (of several such in one run, the first with the first, and so on). A task (--by) that some runs do not have has
 * counted 0 in them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"
#include "rows/row_index.h"
#include "stats/summary.h"

/* One row's values in all runs. */
struct history {
	double *values;
	double *shares;        /* of its run that each value was counted in: 1, unless it is scaled */
	unsigned *runs;        /* which run each value is of */
	size_t n;              /* of all of these */
	unsigned seen;         /* runs that had this row, with or without a value */
	double *weighed;       /* the values, of which each counts as much as its share: their mean is the row's; once
				  finished */
	double squared_errors; /* each with its share */
	unsigned with_error;   /* values that had an error of their own */
	unsigned scaled, partial, idle; /* how many were */
	unsigned last_run;              /* the last one that had this row, with or without a value */
	bool differ;                    /* not all values are equal */
	bool biased;                    /* one is, and the row's reason says why */
	const char *missing;            /* why some run has none, which is not by chance; NULL: there is no such run */
	struct value *given;            /* the values, to the last digit */
	struct sample *raws;            /* of the runs that have one */
	size_t with_raw;
};

struct run_stats {
	struct result result; /* its session is the last run's */
	struct history *histories;
	size_t n;
	struct row_index index;
	bool padded;   /* some runs lack a task that others have */
	unsigned runs; /* how many were added */
};

void run_stats_init(struct run_stats *s);

/* The rows of a run; number: of the run, from 1. */
void run_stats_add(struct run_stats *s, const struct result *run, unsigned number);

/* The summary so far of the first event that has a value in every run, or else of the elapsed time, and the half-width
 * that its interval would have if --until stopped here; NAN: not known. False: none. */
bool run_stats_leading(const struct run_stats *s, struct summary *summary, double *error);

/* Value, error, n, stddev, min, median, max, outliers of each row. The value of a metric is computed from the means of
 * its counts, if these have values in the same runs, and is else the mean of the metric in each run that has it. */
void run_stats_finish(struct run_stats *s);

void run_stats_free(struct run_stats *s);
