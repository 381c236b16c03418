/* tracer: follows all tasks of a command with ptrace(2): each start, exec and end. Signals, stops and exit statuses are
 * passed on unchanged.
 *
 * Order of calls: tracer_start, with the command held before its exec; then the child's waits (child.h) call the
 * functions of tracer_ops; tracer_leave.
 *
 * Tasks that are created with CLONE_UNTRACED are not followed. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"
#include "os/child.h"

/* The task is stopped during all calls but the last. */
struct tracer_ops {
	/* Called for the task's parent, before or after the start of the task. */
	void (*forks)(void *arg, pid_t parent_tid, pid_t tid);
	/* It has made no step. Also called when a task that has started stops, which may be told apart by its id. */
	void (*stops)(void *arg, pid_t tid);
	/* Only this task of the process remains; it had another id if it was not the first. */
	void (*executes)(void *arg, pid_t pid, pid_t former_tid);
	/* It still has its memory. */
	void (*exits)(void *arg, pid_t tid);
	void (*ends)(void *arg, pid_t tid, int wait_status);
};

struct tracer {
	const struct tracer_ops *ops;
	void *arg;
};

/* Returns 0, or -errno with the reason and the remedy. The tracer must outlive the child's waits. */
int tracer_start(struct tracer *tracer, struct child *child, struct error *e);

/* Lets these tasks, which outlive the command, continue untraced. */
void tracer_leave(const pid_t *tids, size_t n);
