/* accounting: counts per task: the exact counts of each process, program name or thread in a command's tree, from its
 * exec on; or of the whole machine, including the idle task, also of each cgroup.
 *
 * The kernel's records of ended tasks (task_reads.h) do not have the work of a part of a run or of tasks outside a
 * command, and some kernels do not write them. Here the machine's CPUs are watched (switch_trace.h), and the work
 * between two context switches is charged to the task that did it, if it belongs to the tree.
 *
 * Order of calls: accounting_open, with the command held before its exec; accounting_watch; accounting_enable;
 * accounting_restart if counting begins later; accounting_fetch_interval for each interval; after the command has ended
 * accounting_finish, and accounting_fetch_interval for the rest; accounting_fetch and accounting_fetch_tree;
 * accounting_close. */
#pragma once

#include "by/tree.h"
#include "calls/calls.h"
#include "count/aggr_map.h"
#include "count/counts.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/loop.h"
#include "plan/plan.h"
#include "trace/functions.h"

/* How the rows of the whole show tasks that have ended. */
enum ended_rows {
	ENDED_STAY,     /* each has a row, or a node in the tree */
	ENDED_BY_NAME,  /* with AGGR_COMM: in their program's row */
	ENDED_TOGETHER, /* only their sum is kept, which is in no row */
};

struct accounting;

struct accounting_options {
	const struct plan *plan;
	enum aggr_mode by; /* AGGR_PROCESS, AGGR_COMM, AGGR_THREAD or AGGR_CGROUP */
	pid_t root;        /* the command's process; 0: existing processes */
	const pid_t *pids; /* with root 0: these processes, and tasks that they start; NULL: the whole machine */
	size_t n_pids;
	const struct cpuset *cpus; /* charge only work on these CPUs; NULL or empty: on all */
	bool cmdline;              /* also read command lines */
	bool intervals;            /* accounting_fetch_interval will be called */
	bool restarts;             /* accounting_restart will be called */
	enum ended_rows ended_rows;
	bool ranked; /* rows are no tree: ancestors of an active process that did nothing have none */
	const struct functions *functions; /* whose calls are counted; NULL: none */
};

/* With a command in one piece, the same counters as without accounting also count the command's tree: work that is in
 * no task's row is then known exactly, and the total is right whatever the records lack.
 *
 * Returns 0, or -errno with the missing right and how to get it; -ENODEV or -EINVAL if one of the CPUs does not
 * exist. */
int accounting_open(struct accounting **out, const struct accounting_options *options, struct error *e);

/* Makes the loop read the kernel's records while it runs. */
void accounting_watch(struct accounting *b, struct loop *loop);
void accounting_enable(struct accounting *b);
/* Forgets the work so far. Called before any interval is taken, or after accounting_finish. Processes that do nothing
 * afterwards get no rows. */
void accounting_restart(struct accounting *b);
/* Stops counting. */
void accounting_finish(struct accounting *b);

/* Fetches the work since the last call: a slot for each process or thread that did anything, as in accounting_fetch;
 * intervals add up to the whole. Unless finished, a task that is on a CPU is charged up to now, and stays there. With
 * AGGR_COMM, the work of a process is under the name that it has at the end of the interval, also in the whole. counts
 * is renewed; the caller frees map. */
void accounting_fetch_interval(struct accounting *b, struct counts *counts, struct aggr_map *map);

/* Fetches the whole: a slot for each process or thread, in order of their start, after slot 0, which is for
 * unattributed work and has a key only if there is any. */
void accounting_fetch(const struct accounting *b, struct counts *counts, struct aggr_map *map);

/* True if the CPU was online in accounting_open and, as found by accounting_finish, did not go offline. Tasks are
 * followed only on these CPUs. */
bool accounting_watches(const struct accounting *b, int cpu);

/* Returns the processes, without those that options.ended_rows drops. The caller may change the tree, and frees it. */
struct tree accounting_fetch_tree(struct accounting *b);
/* Appends a line for each problem. has_row: the report has a row of unattributed work. */
void accounting_add_notes(const struct accounting *b, bool has_row, struct strings *notes);

/* The calls of options.functions; valid until accounting_close. */
const struct calls *accounting_calls(const struct accounting *b);

void accounting_close(struct accounting *b);
