/* totals: what counts have come to since the start, summed up from the rows of intervals or runs, for readers that make
 * rates of their own (report_openmetrics.c). A total never goes down as long as it exists, and what was counted in an
 * interval is added to one of them. Pure.
 *
 * Processes, threads and programs come and go, and are at most so many. What further ones do is added to the total
 * "(others)" of each event. One that did nothing for a minute makes room if another needs it; from then on, what it
 * does belongs to the others, or if there is room for it again it begins at 0. None gets or loses its total otherwise:
 * it does not move to and from the others.
 *
 * Order of calls: zero-initialize, set most; totals_add for each result; read; totals_free.
 */
#pragma once

#include "rows/result.h"

/* An event or a metric of a subject, with its last figures. */
struct total {
	enum row_kind kind;
	char *name;          /* valid UTF-8, as all texts here */
	unsigned occurrence; /* from 1: of an event that was named several times, or of metrics of the same name */
	const struct event *event;
	struct sample sum;
	bool was_counted; /* there has been a value; else the sum is no count, nor are its times those of one */

	/* of the last result, if it had one row of it */
	bool is_current;
	size_t rows; /* so many it had: names that differ in bytes that are no UTF-8 are the same here */
	enum status status;
	struct value value;
	double error;
	int threshold; /* as in rows */
	char *unit, *reason;
};

/* What totals are about. */
struct total_subject {
	enum aggr_mode scope;
	char *id, *cgroup;
	char *comm;  /* NULL: none */
	pid_t pid;   /* 0: none */
	bool task;   /* one of those that are at most so many */
	double seen; /* when it last did anything */
	struct total *totals;
	size_t n;
	size_t next; /* where the next row is looked for first: they come in the same order each time */
};

struct totals {
	size_t most; /* tasks */
	struct total_subject **subjects;
	size_t n, tasks;
	size_t next;           /* as above */
	unsigned *occurrences; /* of the events of the plan, by their number */
	double start_time;     /* of the first result, as in its session */
	uint64_t elapsed_ns;   /* in which counting was on */
	uint64_t last_ns;      /* the same of the last result */
	size_t results;        /* whose rows have been added */
};

/* Add the rows of an interval, of a run, or the only ones. Those of the whole after intervals or runs give the last
 * figures. */
void totals_add(struct totals *totals, const struct result *result);

void totals_free(struct totals *totals);
