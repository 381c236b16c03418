/* merge: the saved reports of the processes of a job, or of the hosts of a fleet, as one result: of each event and
 * metric the total, how it is spread over the reports, and which of them stand out. Pure.
 *
 * Order of calls: merge_init; merge_add for each report; merge_finish once, which makes `result`; read it; merge_free.
 *
 * Rows of different reports belong together when row_is_same says so (of several such in one report, the first with the
 * first, and so on). Only rows of scopes that mean the same everywhere are taken (merge_has_scope).
 *
 * The total is the sum; but of duration_time and max_rss, which do not add up, it is the largest. It is exact only if
 * each part is, and the errors of scaled parts, which are independent, add up by their squares. The usual ratios
 * (metric.h) are computed from totals that all reports have a part of; other metrics have no total. A total that a
 * report has no value of is scaled, and its error is not known.
 *
 * Imbalance is max / mean - 1, as in Pearce, Gamblin, de Supinski, Schulz, Amato: Quantifying the effectiveness of load
 * balance algorithms, ICS 2012.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/result.h"

struct merge_value {
	struct value value;
	double error;    /* NAN: exact or not known */
	unsigned report; /* from 1 */
	enum status status;
};

/* One row of all reports; the row of the result with the same index is its total. */
struct merge_entry {
	struct merge_value *values; /* of the reports that have one */
	size_t n;
	unsigned last_report; /* that had this row, with or without a value */
	size_t largest;       /* which of them; of several the first */
	bool is_real;         /* the sum is not a count */
	bool too_large;       /* 64 bits do not hold it */
	uint64_t count;
	double real, squared_errors;
	unsigned scaled, partial, idle;
	bool unknown;        /* the error of a scaled value is not known */
	unsigned remarks;    /* values that something is said of */
	const char *remark;  /* of the first of them */
	const char *missing; /* why the first one without a value has none; NULL: there is none */
	bool other_bits;     /* a note says that it may be different events */
	size_t total;        /* the row */
};

struct merge {
	struct result result;
	struct merge_entry *entries;
	size_t n;
	unsigned reports;
	struct event **events; /* copies, for the rows; each once */
	size_t n_events;
	bool *has_others;   /* per report: it has one row for several programs */
	bool has_namesakes; /* different ones have the same name */
	size_t at;          /* where the next row is looked for first: reports mostly have the same rows */
};

/* The total, and parts by names that mean the same in every report: programs, cgroups, regions. */
bool merge_has_scope(enum aggr_mode scope);

/* What is said of the entry's total: what it leaves out, or may leave out, and what is said of its parts. */
const char *merge_reason(struct merge *m, const struct merge_entry *entry, char *const *labels);

void merge_init(struct merge *m);

/* The rows of the next report. */
void merge_add(struct merge *m, const struct result *report);

/* labels: of each report, for people. */
void merge_finish(struct merge *m, char *const *labels);

void merge_free(struct merge *m);
