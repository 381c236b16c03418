/* tree_time: the CPU time of processes and their descendants, from /proc. It includes programs whose counters the
 * kernel has removed. getrusage(2) has the time of a process only after the process has ended.
 *
 * Order of calls: zero-initialize; set ids and n; tree_time_begin if the processes already run; tree_time_read, of
 * which the largest is kept; tree_time_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tree_time {
	const pid_t *ids;
	size_t n;
	bool has_begun;       /* the processes already ran */
	bool known;           /* the next two are known: lower bounds */
	uint64_t ns;          /* since the beginning, of the processes and their descendants */
	uint64_t children_ns; /* of these, of the descendants */

	/* internal to tree_time */
	struct tree_child {
		pid_t pid;
		uint64_t start;   /* in ticks since the boot */
		uint64_t ns;      /* of it and its descendants, when it was read last; at least, once it has ended */
		uint64_t read_at; /* clock_now */
		bool ended;
	} * earlier; /* children at the beginning, which are left out */
	size_t n_earlier;
	uint64_t own_before, children_before; /* the processes' ns at the beginning */
	uint64_t waited;                      /* of the children for which they have waited, at the last call */
};

void tree_time_begin(struct tree_time *t);
/* It stays unknown if a process had more than eight threads at the beginning, or has ended. Should be called often:
 * if an earlier child has ended, all time that it may have used since the last call is left out. */
void tree_time_read(struct tree_time *t);
void tree_time_free(struct tree_time *t);
