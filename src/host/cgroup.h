/* cgroup: the control groups that are counted: named by the user, found in the hierarchy that has the kernel's
 * perf_event controller (version 1 if it is mounted there, otherwise 2), held open while they are counted.
 *
 * Order of calls: zero-initialize; cgroup_set_open; cgroup_remark and cgroup_obstacle for the rows; cgroup_set_close.
 * Counters refer to the members of the set.
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

struct cgroup_options {
	struct strings lists; /* names, paths and patterns, separated by commas, as given to each option */
	bool for_each;
};

/* for_each: each cgroup once. Otherwise the first name is for the first event, and so on; a single name is for all of
 * n_events; an empty name is for no cgroup. 0; -ENOENT, with near names: there is none such; -EINVAL: more names than
 * events. */
int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, struct error *e);

/* Why the kernel finds no cgroup (ENOENT) although there is a directory, and what to do; NULL: unknown. To be freed. */
char *cgroup_obstacle(const struct cgroup *cgroup);

/* A remark on its counts: that it has gone, or has no tasks now; NULL: none. To be freed. */
char *cgroup_remark(const struct cgroup *cgroup);

void cgroup_set_close(struct cgroup_set *set);
