/* census: the existing processes and their threads, from /proc. Those that end while it is taken are left out.
 *
 * Order of calls: zero-initialize; census_take; census_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CENSUS_NAME   16
#define PID_MAX_LIMIT (4 * 1024 * 1024) /* include/linux/threads.h: no id is as large */

struct resident {
	pid_t pid, ppid;
	char state;     /* as /proc has it: R, S, D, T, Z, X… */
	uint64_t start; /* ticks since boot */
	char name[CENSUS_NAME];
};

struct census {
	struct resident *residents; /* in order of birth */
	size_t n;
};

struct thread {
	pid_t tid;
	pid_t process; /* the id under which it was found */
};

struct thread_set {
	struct thread *v;
	size_t n;
};

/* One process, by its id or that of one of its threads. 0, or -errno: it has ended. */
int census_look(pid_t pid, struct resident *resident);

/* The process of a thread; 0: it has ended. */
pid_t census_process(pid_t tid);

/* The threads of a process as /proc shows them now, appended; none when it has ended. The kernel walks its list while
 * threads end, and may then leave out others (fs/proc/base.c: next_tid). false: these may not be all.
 */
bool census_threads(struct thread_set *set, pid_t process);

/* How many there are now. */
size_t census_count_threads(pid_t process);

void census_take(struct census *census);
void census_free(struct census *census);
