/* thread_rows: a row for each thread that counters were attached to: its id, its process and its name.
 *
 * Order of calls: thread_rows_open while the threads exist, before counting is enabled; thread_rows_group for every
 * matrix of counts; thread_rows_close.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "count/aggr_map.h"
#include "count/counters.h"

struct thread_row {
	pid_t tid, pid, ppid;
	char *comm;
};

struct thread_rows {
	struct thread_row *v; /* the i-th is of the i-th slot */
	size_t n;
};

void thread_rows_open(struct thread_rows *rows, const struct counters *counters);
void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map);
void thread_rows_close(struct thread_rows *rows);
