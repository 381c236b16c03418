/* cgroupfs: where the cgroups are mounted, and which directories a name or a pattern means there. */
#pragma once

#include <stdbool.h>

#include "lib/error.h"
#include "lib/util.h"

/* The mount point of the hierarchy that has the perf_event controller: version 1 if it is mounted there, else 2. To be
 * freed. -ENOENT: none is mounted. */
int cgroupfs_find(char **root, struct error *e);

/* The same from a text like /proc/self/mountinfo's; NULL: none. */
char *cgroupfs_root(const char *mountinfo);

/* Is the controller in a hierarchy of version 1, mounted or not? */
bool cgroupfs_is_v1(void);

/* A name below the root, a path that begins with the root, or a pattern (*, ?, [...]) of such: the directories' paths,
 * sorted. -ENOENT: none, with near names. */
int cgroupfs_match(const char *root, const char *name, struct strings *paths, struct error *e);

/* A path without the root, "/" for the root itself. */
const char *cgroupfs_name(const char *root, const char *path);
