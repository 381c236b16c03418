/* accounting: which task did how much of what was counted: the figures of a command's whole tree, for each of its
 * processes, program names or threads, exactly and from its exec on; or of processes that run already and all that they
 * start; or of the whole machine, the idle task included.
 *
 * Why not add up counters that children inherit: the kernel adds a child's figures to its parent's when it ends, and
 * the share is gone. Here nothing is inherited: the machine's CPUs are watched (switch_trace.h), and what was done
 * between two context switches is charged to the task that did it, if it belongs to the tree.
 *
 * Order of calls: accounting_open, with the command held before its exec; accounting_watch; accounting_enable;
 * accounting_restart if counting is to begin later; accounting_take_part as often as wanted; when the command has ended
 * accounting_finish, and accounting_take_part for what is left; accounting_take and accounting_take_tree;
 * accounting_close.
 */
#pragma once

#include "count/aggr_map.h"
#include "count/counts.h"
#include "count/plan.h"
#include "host/tree.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "lib/loop.h"
#include "lib/util.h"

enum by { BY_NOTHING, BY_PROCESS, BY_COMM, BY_THREAD };

/* What the whole has of processes and threads that have ended. */
enum ended {
	ENDED_STAY,     /* each has a row, or a place in the tree */
	ENDED_BY_NAME,  /* with BY_COMM: their program's row has them */
	ENDED_BY_SIZE,  /* the largest have rows, and all others have one (aggr_map.h, others) */
	ENDED_TOGETHER, /* only their sum, which is in no row */
};

struct accounting;

struct accounting_options {
	const struct plan *plan;
	enum by by;
	pid_t root;        /* the command's process; 0: no command */
	const pid_t *pids; /* with root 0: these, and all that they start; NULL: the whole machine */
	size_t n_pids;
	bool threads; /* pids are of threads, whose processes' other threads do not belong; with BY_THREAD */
	const struct cpuset *cpus; /* only what is done on these is charged; NULL or empty: everywhere */
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
/* Forget what has been done so far, before any part was taken: processes that do nothing more will have no rows. */
void accounting_restart(struct accounting *b);
/* After this, nothing is counted any more. */
void accounting_finish(struct accounting *b);

/* What was done since the last call: slots and keys as from accounting_take, of the processes or threads that did
 * anything at all; parts add up to the whole. Unless finished, tasks that are on a CPU are charged up to now, and stay
 * there. counts is renewed; map is to be freed. With BY_COMM, what a process did is under the name that it has at the
 * end of the part, and stays there. */
void accounting_take_part(struct accounting *b, struct counts *counts, struct aggr_map *map);
/* A slot for each process or thread, in order of birth; before them, as slot 0, one for what could not be attributed,
 * which has a key only if there is anything. */
void accounting_take(const struct accounting *b, struct counts *counts, struct aggr_map *map);
/* The processes, but for those that have not stayed; for the caller to change and free. */
struct tree accounting_take_tree(struct accounting *b);

/* Did the kernel lose or not report anything, so that sums may hold what others did? */
bool accounting_is_disturbed(const struct accounting *b);
/* What went wrong, a line each. */
void accounting_add_notes(const struct accounting *b, struct strings *notes);

void accounting_close(struct accounting *b);
