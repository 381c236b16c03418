/* fork_tracker: which thread started which, from the kernel's FORK records.
 *
 * Why: a thread found in a second look at /proc may have inherited the counters of the thread that started it, or was
 * started before those were opened. Opening it in the first case counts it twice, leaving it out in the second loses
 * it. /proc does not say which; a FORK record has the thread, its parent and the time.
 *
 * Order of calls: fork_tracker_new; fork_tracker_add each thread before its counters are opened; fork_tracker_next
 * until it returns false, as often as wanted; fork_tracker_free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task_fork {
	pid_t parent, child;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
};

struct fork_tracker;

struct fork_tracker *fork_tracker_new(void);

/* Track a thread and all that it and its descendants start from now on, except one that it is just starting: the kernel
 * first copies what is inherited and writes the record last (kernel/fork.c: copy_process). 0 or -errno: -ESRCH it has
 * ended. */
int fork_tracker_add(struct fork_tracker *tracker, pid_t tid);

/* The next record; false: there is none so far. A parent that has inherited events and was given its own, too, writes
 * each record twice. The forks of a parent that moves between CPUs need not come in order of time. */
bool fork_tracker_next(struct fork_tracker *tracker, struct task_fork *fork);

/* Were records lost? */
bool fork_tracker_has_lost(const struct fork_tracker *tracker);

void fork_tracker_free(struct fork_tracker *tracker);
