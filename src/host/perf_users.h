/* perf_users: which processes have performance events open, by their descriptors in /proc. What events these are, the
 * kernel does not tell.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct perf_user {
	pid_t pid;
	size_t n; /* descriptors of performance events; copies count, too */
};

struct perf_users {
	struct perf_user *v; /* in the order of their pids; this process is not among them */
	size_t n;
	bool hidden; /* there are processes that may not be looked into, or none can be seen */
};

/* proc: "/proc", but for tests. Zero-initialize; free v. */
void perf_users_find(struct perf_users *users, const char *proc);
