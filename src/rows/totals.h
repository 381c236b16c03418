/* totals: counts since the start, summed up from the rows of intervals or runs, for readers that compute rates
 * (report_openmetrics.c). A total never decreases while it exists, and each count of an interval is added to one of
 * them. Pure.
 *
 * Processes, threads and programs come and go, and their number is limited. The work of further tasks is added to the
 * total "(others)" of each event. A subject that did nothing for a minute makes room if another needs it; its later
 * work belongs to the others, or begins at 0 if there is room again. Otherwise a subject never moves to or from the
 * others.
 *
 * Order of calls: zero-initialize, set most; totals_add for each result; read; totals_free. */
#pragma once

#include "rows/result.h"

/* An event or a metric of a subject, with its last values. */
struct total {
	enum item_kind kind;
	char *name;                /* valid UTF-8, as all texts here */
	unsigned occurrence;       /* from 1: for an event that was named several times, or metrics of the same name */
	const struct event *event; /* of the count or the usual ratio; metrics by expression: NULL */
	char *unit;
	struct sample sum;
	bool was_counted; /* there has been a value; otherwise neither the sum nor its times are valid */

	/* from the last result, if it had exactly one such row */
	bool is_current;
	size_t rows; /* number of such rows: two names that differ only in bytes that are not UTF-8 are one here */
	enum status status;
	struct value value;
	double error;
	int threshold; /* as in rows */
	char *reason;
};

/* The subject of totals. */
struct total_subject {
	enum aggr_mode scope;
	char *id, *cgroup;
	char *comm;  /* or NULL */
	pid_t pid;   /* or 0 */
	bool task;   /* one of the limited number */
	double seen; /* time of its last activity */
	struct total *totals;
	size_t n;
	size_t next; /* where the search for the next row begins: rows have the same order each time */
};

struct totals {
	size_t most; /* maximal number of tasks */
	struct total_subject **subjects;
	size_t n, tasks;
	size_t next;         /* as above */
	double start_time;   /* of the first result, as in its session */
	uint64_t elapsed_ns; /* for which counting was on */
	uint64_t last_ns;    /* the same of the last result */
	size_t results;      /* number of results added */
};

/* Adds the rows of an interval, of a run, or of a single measurement. The rows over all intervals or runs, which come
 * last, only set the values. */
void totals_add(struct totals *totals, const struct result *result);

void totals_free(struct totals *totals);
