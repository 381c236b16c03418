/* cgroup: the counted control groups: named by the user, found in the hierarchy with the kernel's perf_event controller
 * (version 1 if it is mounted there, otherwise 2), and held open while they are counted.
 *
 * Order of calls: zero-initialize; cgroup_set_open; cgroup_is_removed, cgroup_remark and cgroup_obstacle for the rows;
 * cgroup_set_close. Counters refer to the members of the set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/cgroup_names.h"
#include "lib/error.h"
#include "lib/util.h"

struct cgroup {
	char *name;   /* the user's; of a match of a pattern, its path below the mount point; "": no cgroup */
	char *path;   /* of its directory; NULL without a cgroup */
	int fd;       /* of the directory; -1 without a cgroup */
	dev_t device; /* device and inode identify the cgroup */
	ino_t inode;
	bool *events; /* for each event: true if it is counted for this cgroup; NULL: all are */
};

struct cgroup_set {
	struct cgroup *v;
	size_t n;
	bool for_each; /* all events for each cgroup, as perf stat --for-each-cgroup; otherwise as perf stat -G */
};

/* The argument of an option. */
struct cgroup_list {
	const char *names; /* names, paths and patterns, separated by commas; not owned */
	size_t before;     /* number of events before it; 0: it applies to all */
	enum cgroup_kind kind;
};

struct cgroup_options {
	struct cgroup_list *lists;
	size_t n;
	bool for_each;
};

/* With for_each, the set contains each cgroup once. Otherwise a list applies to the events between the list before it
 * and itself: the first name to the first event, and so on, or a single name to all of them. If there is no such event,
 * the list continues the one before it. An empty name means no cgroup. n_events: number of events of -e; total: of the
 * plan. Returns 0; -ENOENT, with near names, for an unknown cgroup; -EINVAL for more names than events. */
int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, size_t total,
		    struct error *e);

/* Returns the reason why the kernel finds no cgroup (ENOENT) although the directory exists, and a remedy; NULL if
 * unknown. The caller frees it. */
char *cgroup_obstacle(const struct cgroup *cgroup);

/* True if its directory is gone. */
bool cgroup_is_removed(const struct cgroup *cgroup);
/* Returns a remark on its counts: it was removed (see cgroup_is_removed), or has no tasks now; otherwise NULL. The
 * caller frees it. */
char *cgroup_remark(const struct cgroup *cgroup, bool removed);

void cgroup_set_close(struct cgroup_set *set);
