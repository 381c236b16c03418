/* merge: the saved reports of a job's ranks, or of the hosts of a fleet, as one result: for each event and metric, the
 * total, its spread over the reports, and the outliers. Pure.
 *
 * Order of calls: zero-initialize; merge_add for each report; merge_finish once, which makes `result`; read it;
 * merge_free.
 *
 * Rows of different reports belong together if they have the same item and subject, which are not known to differ
 * (row_differs; if one report contains several, the first with the first, and so on). Only rows whose scope means the
 * same everywhere are used (merge_has_scope).
 *
 * The total is the sum, or the maximum for duration_time and max_rss, which do not add up. It is exact only if each
 * part is exact; the squares of the errors of scaled parts, which are independent, add up. The usual ratios
 * (usual_ratios.h) are computed from totals of all reports; other metrics have no total. A total to which a report
 * contributes no value is scaled, and its error is unknown.
 *
 * Imbalance is max / mean - 1, as in Pearce, Gamblin, de Supinski, Schulz, Amato: Quantifying the effectiveness of load
 * balance algorithms, ICS 2012. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rows/row_index.h"

struct merge_value {
	struct value value;
	double error; /* NAN: exact or unknown */
	double low, high;
	unsigned report; /* from 1 */
	enum status status;
};

/* One row of all reports; the row of the result with the same index is its total. */
struct merge_entry {
	struct merge_value *values; /* of the reports that have one */
	size_t n;
	unsigned last_report; /* the last report with this row, with or without a value */
	size_t largest;       /* the report with the maximum; the first of several */
	bool is_real;         /* the sum is not a count */
	bool too_large;       /* the sum exceeds 64 bits */
	uint64_t count;
	double real, squared_errors;
	unsigned scaled, partial, idle;
	bool unknown;        /* the error of a scaled value is unknown */
	bool approximate;    /* a metric of counts from different times */
	unsigned remarks;    /* number of values with a remark */
	const char *remark;  /* the first remark */
	const char *missing; /* why the first report without a value has none, or NULL */
	bool other_bits;     /* a report has another encoding of the event, which a note says */
	size_t total;        /* the row */
};

struct merge {
	struct result result;
	struct merge_entry *entries;
	size_t n;
	unsigned reports;
	struct event **events; /* copies, for the rows; each once */
	size_t n_events;
	struct index event_index; /* of them, by name */
	bool *has_others;         /* for each report: it has one row for several programs */
	struct row_index index;   /* of the entries' rows */
};

/* True for the total, and for parts whose names mean the same in every report: programs, cgroups, regions. */
bool merge_has_scope(enum aggr_mode scope);

/* Returns the reason of the entry's total: the reports that it leaves out, or may leave out, and remarks on its
 * parts. */
const char *merge_reason(struct merge *m, const struct merge_entry *entry, char *const *labels);

/* Adds the rows of the next report. */
void merge_add(struct merge *m, const struct result *report);

/* labels: of each report, for people. */
void merge_finish(struct merge *m, char *const *labels);

void merge_free(struct merge *m);
