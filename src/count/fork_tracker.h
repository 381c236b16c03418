/* fork_tracker: which thread started which, from the kernel's FORK records.
 *
 * Why: a thread found in a second look at /proc may have inherited the counters of the thread that started it, or was
 * started before those were opened. Opening it in the first case counts it twice, leaving it out in the second loses
 * it. /proc does not say which; a FORK record has the thread, its parent and the time.
 *
 * Order of calls: fork_tracker_new; fork_tracker_add each thread before its counters are opened; fork_tracker_read;
 * fork_tracker_find; fork_tracker_free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/ring.h"

#define PID_MAX_LIMIT (4 * 1024 * 1024) /* include/linux/threads.h: no id is as large */

/* What the records say of a thread. Times: CLOCK_MONOTONIC, ns; 0: none was seen. */
struct task_forks {
	pid_t parent;
	uint64_t started;  /* by its parent */
	uint64_t previous; /* the parent's fork before that */
	pid_t last_child;
	uint64_t last_fork;
	uint64_t tracked; /* by events of its own, on every CPU */
};

struct fork_tracker {
	struct ring *rings; /* per CPU */
	int *ring_fds;      /* whose event owns the ring; 0: there is none yet */
	int n_cpus;
	int *fds; /* all events */
	size_t n_fds;
	struct task_forks *tasks;
	size_t n_tasks;
	uint32_t *place; /* by tid: 1 + the index in tasks; 0: none. Only used pages take memory */
	bool incomplete; /* records were lost */
};

struct fork_tracker *fork_tracker_new(void);

/* Track a thread and all that it and its descendants start from now on, except one that it is just starting: the kernel
 * first copies what is inherited and writes the record last (kernel/fork.c: copy_process). 0 or -errno: -ESRCH it has
 * ended. */
int fork_tracker_add(struct fork_tracker *tracker, pid_t tid);

void fork_tracker_read(struct fork_tracker *tracker);

/* NULL: it is in no record. Good until fork_tracker_read or fork_tracker_add. */
const struct task_forks *fork_tracker_find(const struct fork_tracker *tracker, pid_t tid);

void fork_tracker_free(struct fork_tracker *tracker);
