/* attribution: chooses how work is charged to processes, programs or threads that have rows of their own: by
 * accounting, which also sees those that start later, or by counters on each thread that exists now (thread_rows.h).
 * --by requires accounting; --per-thread of attached tasks uses it if possible. So does the sum over a target that has
 * too many threads for counters on each: accounting needs counters on CPUs only.
 *
 * Order of calls: zero-initialize; attribution_open; then use accounting as accounting.h says, but read its figures by
 * attribution_take_part and attribution_take; attribution_close.
 */
#pragma once

#include "by/accounting.h"
#include "count/attach.h"
#include "count/counters.h"
#include "count/plan.h"
#include "count/ranking.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

struct attribution_options {
	const struct plan *plan;
	const struct target *target;
	enum by by;      /* the rows that are required; BY_NOTHING: none */
	bool per_thread; /* without by: rows of threads, by accounting if possible */
	bool plain;      /* counting is on from start to end, and includes children */
	bool parts;      /* this and the next three: as in accounting_options */
	bool restarts;
	pid_t root;
	bool cmdline;
	bool whole;             /* there are rows of the whole run, not only of intervals */
	bool processes;         /* the report says something of each process */
	struct ranking ranking; /* of these rows */
};

struct attribution {
	enum by by; /* what accounting has rows of; BY_NOTHING: accounting is not used, or for one sum only */
	struct accounting *accounting; /* NULL: not used */
	struct counters *gate; /* on the target's tasks: never enabled; opening them shows which may be counted */
	pid_t *ids;            /* the target's; 0 for one that may not be counted */
	char *note;            /* what is done instead of what was asked for, and why; NULL: nothing */
};

/* 0, or -errno: the required rows are impossible, or there is nothing to attach to. */
int attribution_open(struct attribution *a, const struct attribution_options *options, struct attach *attach,
		     struct strings *notes, struct error *e);
/* What accounting_take_part returns, ranked: processes, which stay in the tree's order in the whole, by the first
 * event. finish: this is the last part. counts and map are renewed. */
void attribution_take_part(const struct attribution *a, const struct plan *plan, const struct ranking *ranking,
			   bool finish, struct counts *counts, struct aggr_map *map);

/* The same for the whole, as accounting_take returns it. */
void attribution_take(const struct attribution *a, const struct ranking *ranking, struct counts *counts,
		      struct aggr_map *map);

void attribution_close(struct attribution *a);
