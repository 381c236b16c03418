/* child: the command: forked and held before its exec, so that counters can be opened on it; released; reaped.
 *
 * Order of calls: child_start, child_release, child_reap when SIGCHLD came, child_exec_error once it ended; child_end
 * at the end in every case: a command that was never released ends by itself, one that runs is killed.
 *
 * The command sees its environment, descriptors, limits, mask and dispositions as pfmstat got them. The search in PATH
 * comes after the release: its time is inside the elapsed time, and before exec, so outside the counts.
 */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/signals.h"

struct child {
	pid_t pid;   /* 0: none */
	int channel; /* one byte releases the child; an errno comes back if exec failed, else end of file */
	bool ended;
	int status;          /* as from wait4; valid once ended */
	struct rusage usage; /* of the command and all descendants it waited for */
};

int child_start(struct child *child, char *const *argv, const struct signals *signals, struct error *e);
int child_release(struct child *child, struct error *e);

/* Collect it if it has ended, without waiting: sets ended. */
void child_reap(struct child *child);

/* After it ended: 0 if exec worked, otherwise exec's errno. */
int child_exec_error(struct child *child);

/* Tell it. A child that was not told by the terminal already; see signal_event. */
void child_signal(const struct child *child, int number);

void child_end(struct child *child);
