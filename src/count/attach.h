/* attach: counters on running tasks, descriptors that tell when these have ended, and a row for each thread.
 *
 * Order of calls: attach_open, before counting is switched on; poll the descriptors in watch; attach_free.
 */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "count/counters.h"
#include "host/procfs.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

struct attach {
	int *watch; /* one for each process or thread that was attached to; readable when it has ended */
	size_t n_watch;
	pid_t *ids; /* those of the target that were there and may be counted, in its order */
	size_t n_ids;
};

/* Open slots for all threads of the target's processes (or for its threads). What has ended, is a zombie or belongs to
 * another user is left out with a line in notes; -errno when nothing is left. */
int attach_open(struct attach *a, const struct target *target, struct counters *counters, struct strings *notes,
		struct error *e);
void attach_free(struct attach *a);

/* A row for each thread that counters were attached to: thread_rows_open while the threads are there, before counting
 * is switched on; thread_rows_group for every matrix of counts; thread_rows_close. */

struct thread_row {
	pid_t tid, pid;
	struct proc_stat stat; /* all 0: it had ended */
};

struct thread_rows {
	struct thread_row *v; /* the i-th has the i-th slot */
	size_t n;
};

void thread_rows_open(struct thread_rows *rows, const struct counters *counters);
void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map);
void thread_rows_close(struct thread_rows *rows);
