#include "host/perf_users.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lib/util.h"

#define DESCRIPTOR "anon_inode:[perf_event]"

/* How many performance events the process has open; -1: it may not be looked into. One that has ended has none. */
static ssize_t count_events(const char *proc, long pid)
{
	auto_free char *directory = xasprintf("%s/%ld/fd", proc, pid);
	auto_strings struct strings descriptors = {0};
	ssize_t n = 0;

	if (directory_list(directory, &descriptors) == -EACCES)
		return -1;
	for (size_t i = 0; i < descriptors.n; i++) {
		auto_free char *path = xasprintf("%s/%s", directory, descriptors.v[i]);
		char target[sizeof(DESCRIPTOR) + 1];
		ssize_t length = readlink(path, target, sizeof(target));

		if (length < 0 && errno == EACCES)
			return -1;
		n += length == (ssize_t)strlen(DESCRIPTOR) && memcmp(target, DESCRIPTOR, (size_t)length) == 0;
	}
	return n;
}

void perf_users_find(struct perf_users *users, const char *proc)
{
	auto_strings struct strings entries = {0};
	bool first_seen = false;

	(void)directory_list(proc, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		long pid;
		ssize_t n;

		if (parse_long(entries.v[i], 1, INT_MAX, &pid) < 0)
			continue;
		first_seen |= pid == 1;
		n = pid == getpid() ? 0 : count_events(proc, pid);
		users->hidden |= n < 0;
		if (n > 0)
			*ARRAY_PUSH(users->v, users->n) = (struct perf_user){.pid = (pid_t)pid, .n = (size_t)n};
	}
	users->hidden |= !first_seen; /* it is there always: others are hidden, too */
}
