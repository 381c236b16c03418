/* bytask: who did how much of what was counted: the figures of a command's whole tree, for each of its processes,
 * program names or threads, exactly and from its exec on; or those of the whole machine, the idle task too.
 *
 * Why not add up counters that children inherit: the kernel adds a child's figures to its parent's when it ends, and
 * the share is gone. Here nothing is inherited: the machine's CPUs are watched (timeline.h), and each stretch of work
 * between two context switches is charged to the task that did it, if it belongs to the tree.
 *
 * Order of calls: bytask_open, with the command held before its exec; bytask_watch; bytask_enable; when the command has
 * ended bytask_finish; bytask_take and bytask_tree; bytask_close.
 */
#pragma once

#include "counts.h"
#include "cpuset.h"
#include "error.h"
#include "grouping.h"
#include "loop.h"
#include "plan.h"
#include "tree.h"
#include "util.h"

enum by { BY_NOTHING, BY_PROCESS, BY_COMM, BY_THREAD };

struct bytask;

struct bytask_options {
	const struct plan *plan;
	enum by by;
	pid_t root;        /* the command's process; 0: processes that run already */
	const pid_t *pids; /* with root 0: these, and who is started by them; NULL: everybody, the whole machine */
	size_t n_pids;
	bool threads;              /* pids are of threads: these alone, and whom they start; with BY_THREAD */
	const struct cpuset *cpus; /* what is done on these alone is charged; NULL or empty: everywhere */
	bool cmdline;              /* read command lines, too */
};

/* 0, or -errno with what is missing and what mends it: -ENODEV, -EINVAL one of the CPUs is not there. */
int bytask_open(struct bytask **out, const struct bytask_options *options, struct error *e);

/* Have the loop read what the kernel writes while it runs. */
void bytask_watch(struct bytask *b, struct loop *loop);
void bytask_enable(struct bytask *b);
void bytask_finish(struct bytask *b);

/* A slot for each process or thread, in order of birth; before them, as slot 0, one for what could not be attributed.
 * It has a key only if there is anything. */
void bytask_take(const struct bytask *b, struct counts *counts, struct grouping *grouping);

/* The processes; for the caller to change and free. */
struct tree bytask_take_tree(struct bytask *b);
/* Was anything lost or not told by the kernel, so that sums may hold what others did? */
bool bytask_is_disturbed(const struct bytask *b);
/* What went wrong, a line each. */
void bytask_add_notes(const struct bytask *b, struct strings *notes);

void bytask_close(struct bytask *b);
