/* accounting: who did how much of what was counted: the figures of a command's whole tree, for each of its processes,
 * program names or threads, exactly and from its exec on; or those of the whole machine, the idle task too.
 *
 * Why not add up counters that children inherit: the kernel adds a child's figures to its parent's when it ends, and
 * the share is gone. Here nothing is inherited: the machine's CPUs are watched (switch_trace.h), and each stretch of
 * work between two context switches is charged to the task that did it, if it belongs to the tree.
 *
 * Order of calls: accounting_open, with the command held before its exec; accounting_watch; accounting_enable;
 * accounting_restart if counting is to begin later; accounting_take_part as often as wanted; when the command has ended
 * accounting_finish, and accounting_take_part for what is left; accounting_take and accounting_take_tree;
 * accounting_close.
 */
#pragma once

#include "by/tree.h"
#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "lib/loop.h"
#include "lib/util.h"

enum by { BY_NOTHING, BY_PROCESS, BY_COMM, BY_THREAD };

/* What is wanted, in the whole, of those that have ended. */
enum ended {
	ENDED_STAY,     /* each has a row, or a place in the tree */
	ENDED_BY_NAME,  /* with BY_COMM: what their program's row has of them */
	ENDED_BY_SIZE,  /* the largest have rows, and all others have one (aggr_map.h, others) */
	ENDED_TOGETHER, /* nothing but their sum: it is in no row */
};

struct accounting;

struct accounting_options {
	const struct plan *plan;
	enum by by;
	pid_t root;        /* the command's process; 0: processes that run already */
	const pid_t *pids; /* with root 0: these, and who is started by them; NULL: everybody, the whole machine */
	size_t n_pids;
	bool threads;              /* pids are of threads: these alone, and whom they start; with BY_THREAD */
	const struct cpuset *cpus; /* what is done on these alone is charged; NULL or empty: everywhere */
	bool cmdline;              /* read command lines, too */
	bool parts;                /* accounting_take_part will be called */
	bool restarts;             /* accounting_restart will be */
	enum ended ended;
	size_t top, rank_by; /* with ENDED_BY_SIZE: so many are the largest by this event */
};

/* 0, or -errno with what is missing and what mends it: -ENODEV, -EINVAL one of the CPUs is not there. */
int accounting_open(struct accounting **out, const struct accounting_options *options, struct error *e);

/* Have the loop read what the kernel writes while it runs. */
void accounting_watch(struct accounting *b, struct loop *loop);
void accounting_enable(struct accounting *b);
/* Forget what has been done so far, before any part was taken; of processes that do nothing more there will be no rows.
 */
void accounting_restart(struct accounting *b);
/* Once it has been called, nothing is counted any more. */
void accounting_finish(struct accounting *b);

/* What was done since the last call: a slot for each process or thread that did anything at all, as accounting_take has
 * them; parts add up to the whole. Unless finished, whoever is on a CPU is charged up to now, and stays there. counts
 * is renewed; grouping is to be freed. With BY_COMM, what a process did is under the name that it has at the end of the
 * part, and stays there. */
void accounting_take_part(struct accounting *b, struct counts *counts, struct aggr_map *map);

/* A slot for each process or thread, in order of birth; before them, as slot 0, one for what could not be attributed.
 * It has a key only if there is anything. */
void accounting_take(const struct accounting *b, struct counts *counts, struct aggr_map *map);

/* The processes, but for those that have not stayed; for the caller to change and free. */
struct tree accounting_take_tree(struct accounting *b);
/* Was anything lost or not told by the kernel, so that sums may hold what others did? */
bool accounting_is_disturbed(const struct accounting *b);
/* What went wrong, a line each. */
void accounting_add_notes(const struct accounting *b, struct strings *notes);

void accounting_close(struct accounting *b);
