/* cgroup: the control groups that are counted: named by the user, found in the hierarchy that has the kernel's
 * perf_event controller (version 1 if it is mounted there, otherwise 2), held open while they are counted.
 *
 * Order of calls: zero-initialize; cgroup_set_open; the members of the set may be looked at; cgroup_remark and
 * cgroup_obstacle for the rows; cgroup_set_close. The set stays where it is as long as counters refer to its members.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"

struct cgroup {
	char *name;   /* as the user wrote it; of a pattern's match, its path below the mount point; "": no cgroup */
	char *path;   /* of its directory; NULL: no cgroup */
	int fd;       /* of it; -1: no cgroup */
	dev_t device; /* with inode: which one it is, whatever it was called */
	ino_t inode;
	bool *events; /* those that are counted for it; NULL: all */
};

struct cgroup_set {
	struct cgroup *v;
	size_t n;
	bool for_each; /* all events for every one, as perf stat --for-each-cgroup; else as perf stat -G */
};

struct cgroup_options {
	struct strings lists; /* names, paths and patterns, separated by commas, as given to each option */
	bool for_each;
};

/* for_each: each cgroup once. Otherwise the first is for the first event, and so on; one alone is for all of n_events;
 * an empty name is for none. 0, or -errno with near names: -ENOENT there is none such, -EINVAL more than events. */
int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, struct error *e);

/* Why the kernel finds no cgroup (ENOENT) where a directory is, and what mends it; NULL: it should. To be freed. */
char *cgroup_obstacle(const struct cgroup *cgroup);

/* What is to be said of its counts as of now: that it has gone, or has no tasks; NULL: nothing. To be freed. */
char *cgroup_remark(const struct cgroup *cgroup);

void cgroup_set_close(struct cgroup_set *set);
