/* attribution: by what means it is told whose work was whose, when rows are of processes, programs or threads: by
 * accounting, which knows those that are born meanwhile, too, or by counters on each thread that is there
 * (attach.h).
 * --by needs the former; --per-thread of what runs already takes it where it can be had. So does the sum of threads
 * that are too many for counters on each: accounting opens its own on CPUs.
 *
 * Order of calls: zero-initialize; attribution_open; what there is in accounting as accounting.h says, but for its
 * figures: attribution_take_part, attribution_take; attribution_close.
 */
#pragma once

#include "by/accounting.h"
#include "count/aggr_map.h"
#include "count/attach.h"
#include "count/counters.h"
#include "count/plan.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

struct attribution_options {
	const struct plan *plan;
	const struct target *target;
	enum by by;      /* what must be had; BY_NOTHING: nothing need be */
	bool per_thread; /* and without by: threads would do */
	bool plain;      /* all is counted from the start to the end, children included */
	bool parts;      /* as in accounting_options, as the next ones */
	bool restarts;
	pid_t root;
	bool cmdline;
	bool whole;             /* there are rows of the whole, not only of parts */
	bool processes;         /* and something is said of each process */
	struct ranking ranking; /* of these rows */
};

struct attribution {
	enum by by;                    /* the rows that are had; BY_NOTHING: not by accounting, or their sum alone */
	struct accounting *accounting; /* NULL: nothing is had */
	struct counters
		*gate; /* of processes and threads: never switched on, but opened, they say who may be counted */
	pid_t *ids;    /* of these; 0 for what may not */
	char *note;    /* why it is done otherwise than asked for; NULL: it is not */
};

/* 0, or -errno: what must be had cannot, or there is nothing to attach to. */
int attribution_open(struct attribution *a, const struct attribution_options *options, struct attach *attach,
		     struct strings *notes, struct error *e);
/* With accounting and its parts: what there is of one, as accounting_take_part has it; of which processes are in order
 * of size, too, unless they are in another order. finish: it is the last one. counts and grouping are renewed. */
void attribution_take_part(const struct attribution *a, const struct plan *plan, const struct ranking *ranking,
			   bool finish, struct counts *counts, struct aggr_map *map);

/* The same of the whole. */
void attribution_take(const struct attribution *a, const struct ranking *ranking, struct counts *counts,
		      struct aggr_map *map);

void attribution_close(struct attribution *a);
