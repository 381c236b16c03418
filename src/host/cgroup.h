/* cgroup: the control groups that are counted: named by the user, found in the hierarchy that has the kernel's
 * perf_event controller (version 1 if it is mounted there, otherwise 2), held open while they are counted.
 *
 * Order of calls: zero-initialize; cgroup_set_open; cgroup_is_removed, cgroup_remark and cgroup_obstacle for the rows;
 * cgroup_set_close. Counters refer to the members of the set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"

struct cgroup {
	char *name;   /* as the user wrote it; if a pattern matched it, its path below the mount point; "": no cgroup */
	char *path;   /* of its directory; NULL: no cgroup */
	int fd;       /* of the directory; -1: no cgroup */
	dev_t device; /* device and inode identify the cgroup */
	ino_t inode;
	bool *events; /* whether each event is counted for it; NULL: all are */
};

struct cgroup_set {
	struct cgroup *v;
	size_t n;
	bool for_each; /* all events for each cgroup, as perf stat --for-each-cgroup; else as perf stat -G */
};

/* The argument of an option. */
struct cgroup_list {
	const char *names; /* and paths and patterns, separated by commas; not owned */
	size_t before;     /* how many events stand before it; 0: it is for all */
};

struct cgroup_options {
	struct cgroup_list *lists;
	size_t n;
	bool for_each;
};

/* for_each: each cgroup once. Otherwise a list is for the events before it and after the list before it, or if there
 * are none it goes on where that list ended: the first name for the first of them, and so on; a single name for all of
 * them; an empty name for no cgroup. n_events: those of -e; total: of the plan. 0; -ENOENT, with near names: there is
 * none such; -EINVAL: more names than events. */
int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, size_t total,
		    struct error *e);

/* Why the kernel finds no cgroup (ENOENT) although there is a directory, and what to do; NULL: unknown. To be freed. */
char *cgroup_obstacle(const struct cgroup *cgroup);

bool cgroup_is_removed(const struct cgroup *cgroup);
/* A remark on its counts: that it has gone, or has no tasks now; NULL: none. To be freed. */
char *cgroup_remark(const struct cgroup *cgroup);

void cgroup_set_close(struct cgroup_set *set);
