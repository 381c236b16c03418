/* attach: counters on running tasks, descriptors that become readable when these end, and the rows of the tasks.
 *
 * Order of calls: attach_open, before counting is switched on; poll the descriptors in watch; attach_free. */
#pragma once

#include <stddef.h>

#include "count/aggr_map.h"
#include "count/counters.h"
#include "host/procfs.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

struct attach {
	int *watch; /* one for each attached process or thread; readable when it has ended */
	size_t n_watch;
	pid_t *ids; /* the members of the target that exist and may be counted, in the user's order */
	size_t n_ids;
	char *forbidden; /* the note on the first member that may not be counted; NULL if all may */
};

/* Opens slots for all threads of the target's processes (or for its threads). Tasks that have ended, are zombies or
 * belong to another user are left out with a line in notes. Returns -errno if nothing is left. */
int attach_open(struct attach *a, const struct target *target, struct counters *counters, struct strings *notes,
		struct error *e);
void attach_free(struct attach *a);

/* The row of each attached thread: its own, its process's, or its program's, with the tasks that it starts later. Order
 * of calls: thread_rows_open while the threads exist, before counting is switched on; thread_rows_group for every
 * matrix of counts; thread_rows_close. */

struct thread_row {
	pid_t tid;
	struct proc_stat stat, process; /* when it was attached; all 0 if it had ended */
};

struct thread_rows {
	enum aggr_mode scope;
	struct thread_row *v; /* in the order of the slots: the threads of a process follow each other */
	size_t n;
};

/* scope: AGGR_THREAD, AGGR_PROCESS or AGGR_COMM. */
void thread_rows_open(struct thread_rows *rows, enum aggr_mode scope, const struct counters *counters);
void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map);
/* True for the first thread of its process. */
bool thread_rows_is_first(const struct thread_rows *rows, size_t i);
void thread_rows_close(struct thread_rows *rows);
