/* threadrows: a row for each thread that counters were attached to: its id, its process and its name.
 *
 * Order of calls: threadrows_open while the threads are there, before counting is switched on; threadrows_group for
 * every matrix of counts; threadrows_close.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "counters.h"
#include "grouping.h"

struct thread_row {
	pid_t tid, pid, ppid;
	char *comm;
};

struct threadrows {
	struct thread_row *v; /* the i-th has the i-th slot */
	size_t n;
};

void threadrows_open(struct threadrows *rows, const struct counters *counters);
void threadrows_group(const struct threadrows *rows, struct grouping *grouping);
void threadrows_close(struct threadrows *rows);
