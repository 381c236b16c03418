/* run_stats: the rows of repeated runs of one command, and their statistics.
 *
 * Order of calls: zero-initialize; run_stats_add for each run; run_stats_finish once, which makes result the rows over
 * all runs; run_stats_free. Rows of different runs belong together if kind, scope, scope_id, cgroup, name and event are
 * equal. A task (--by) that is missing in some runs counts 0 there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"
#include "rows/row_index.h"
#include "stats/summary.h"

/* One row's values in all runs. */
struct history {
	double *values;
	double *shares;  /* share of its run in which each value was counted; 1 without scaling */
	unsigned *runs;  /* the run of each value */
	size_t n;        /* number of values */
	unsigned seen;   /* number of runs that had this row, with or without a value */
	double *weighed; /* the values, weighted by their shares: their mean is the row's; after run_stats_finish */
	double squared_errors;          /* each weighted by its share */
	unsigned scaled, partial, idle; /* number of such values */
	unsigned last_run;              /* the last run that had this row, with or without a value */
	bool differ;                    /* some values differ */
	bool biased;                    /* one is biased (result.h); the row's reason says why */
	const char *missing;            /* why a run without a value makes the mean too large, or NULL */
	struct sample raw;              /* sum over the n_raw runs that have one */
	unsigned n_raw;
};

struct run_stats {
	struct result result; /* its session is the last run's */
	struct history *histories;
	size_t n;
	struct row_index index;
	bool padded;   /* some runs lack a task that others have */
	unsigned runs; /* number of runs added */
	struct kept_factor kept;
};

/* Adds the rows of a run; number: the run's, from 1. */
void run_stats_add(struct run_stats *s, const struct result *run, unsigned number);

/* Finds the summary so far of the first event that has a value in every run, or otherwise of the elapsed time, and the
 * half-width of its interval if --until stopped now (NAN if unknown). Returns false if there is no such value. */
bool run_stats_leading(const struct run_stats *s, struct summary *summary, double *error);

/* Makes a copy, for run_stats_finish, while runs are still added to the original, which must live as long. */
void run_stats_copy(struct run_stats *to, const struct run_stats *from);

/* Sets value, error and spread of each row. A usual ratio is computed from the means of its counts if these have values
 * in the same runs. Any other metric is the mean of its values in the runs that have one. */
void run_stats_finish(struct run_stats *s);

void run_stats_free(struct run_stats *s);
