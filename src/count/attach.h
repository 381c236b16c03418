/* attach: counters on running tasks, descriptors that become readable when these end, and a row for each thread.
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

/* A row for each attached thread: thread_rows_open while the threads exist, before counting is switched on;
 * thread_rows_group for every matrix of counts; thread_rows_close. */

struct thread_row {
	pid_t tid, pid;
	struct proc_stat stat; /* all 0 if it had ended */
};

struct thread_rows {
	struct thread_row *v; /* in the order of the slots */
	size_t n;
};

void thread_rows_open(struct thread_rows *rows, const struct counters *counters);
void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map);
void thread_rows_close(struct thread_rows *rows);
