/* accounting: which task did how much: the counts of a command's whole tree, from its exec on, exactly for each of its
 * processes, program names or threads; or those of the whole machine, the idle task included.
 *
 * Why not add up counters that children inherit: the kernel adds a child's counts to its parent's when the child ends,
 * and they cannot be separated any more. Here nothing is inherited: the machine's CPUs are watched (switch_trace.h),
 * and the work between two context switches is charged to the task that did it, if that belongs to the tree.
 *
 * Order of calls: accounting_open, with the command held before its exec; accounting_watch; accounting_enable;
 * accounting_restart if counting begins later; accounting_take_part for each interval; when the command has ended
 * accounting_finish, and accounting_take_part for the rest; accounting_take and accounting_take_tree; accounting_close.
 */
#pragma once

#include "by/tree.h"
#include "count/aggr_map.h"
#include "count/counts.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/loop.h"
#include "plan/plan.h"

/* The row of what could not be attributed. */
#define UNATTRIBUTED "(unattributed)"

/* What the rows of the whole say of tasks that have ended. */
enum ended {
	ENDED_STAY,     /* each has a row, or a place in the tree */
	ENDED_BY_NAME,  /* with AGGR_COMM: what their program's row has of them */
	ENDED_BY_SIZE,  /* the largest have rows, and all others have one (aggr_map.h, others) */
	ENDED_TOGETHER, /* nothing: only their sum is kept, which is in no row */
};

struct accounting;

struct accounting_options {
	const struct plan *plan;
	enum aggr_mode by; /* AGGR_PROCESS, AGGR_COMM or AGGR_THREAD */
	pid_t root;        /* the command's process; 0: existing processes */
	const pid_t *pids; /* with root 0: these, and what they start; NULL: the whole machine */
	size_t n_pids;
	bool threads;              /* pids are of threads: only these, and what they start; with AGGR_THREAD */
	const struct cpuset *cpus; /* charge only work on these; NULL or empty: on all */
	bool cmdline;              /* also read command lines */
	bool parts;                /* accounting_take_part will be called */
	bool restarts;             /* accounting_restart will be */
	enum ended ended;
	size_t top, rank_by; /* with ENDED_BY_SIZE: how many have rows, and by which event */
};

/* 0, or -errno, with what is missing and how to get it: -ENODEV, -EINVAL if one of the CPUs is not there. */
int accounting_open(struct accounting **out, const struct accounting_options *options, struct error *e);

/* Have the loop read the kernel's records while it runs. */
void accounting_watch(struct accounting *b, struct loop *loop);
void accounting_enable(struct accounting *b);
/* Forget what was done so far. Call it before any part is taken. Processes that do nothing more get no rows. */
void accounting_restart(struct accounting *b);
/* Stop counting. */
void accounting_finish(struct accounting *b);

/* What was done since the last call: a slot for each process or thread that did anything, as in accounting_take; parts
 * add up to the whole. Unless finished, a task that is on a CPU is charged up to now, and stays there. With AGGR_COMM,
 * what a process did is under the name that it has at the end of the part, also in the whole. counts is renewed; the
 * caller frees map. */
void accounting_take_part(struct accounting *b, struct counts *counts, struct aggr_map *map);

/* A slot for each process or thread, in order of their start, after slot 0, which is for what could not be attributed
 * and has a key only if there is anything. */
void accounting_take(const struct accounting *b, struct counts *counts, struct aggr_map *map);

/* True if the CPU was online when the accounting was opened. Tasks are followed on such CPUs only. */
bool accounting_watches(const struct accounting *b, int cpu);

/* The processes, without those that options.ended drops. The caller may change the tree, and frees it. */
struct tree accounting_take_tree(struct accounting *b);
/* Append a line for each thing that went wrong. has_row: the report has one of what could not be attributed. */
void accounting_add_notes(const struct accounting *b, bool has_row, struct strings *notes);

void accounting_close(struct accounting *b);
