/* cgroupfs: where cgroups are mounted, and which of their directories a name or a pattern means. */
#pragma once

#include <stdbool.h>

#include "lib/error.h"
#include "lib/util.h"

/* The mount point of the hierarchy that has the perf_event controller: version 1 if it is mounted there, else 2. To be
 * freed. mounts: /proc/self/mounts. -ENOENT: none is mounted. */
int cgroupfs_find(const char *mounts, char **root, struct error *e);

/* Is the controller in a hierarchy of version 1, mounted or not? */
bool cgroupfs_is_v1(void);

/* Add the paths of the cgroups directly below path. */
void cgroupfs_children(const char *path, struct strings *paths);

/* Is it no plain name? */
bool cgroupfs_is_pattern(const char *name);

/* A name below the root, a path that begins with the root, or a pattern (*, ?, [...]) of such: the directories' paths,
 * sorted. perf's regular expressions, too: ^… and …$, and what has .* where it matches nothing as a pattern. -ENOENT:
 * none, with near names. */
int cgroupfs_match(const char *root, const char *name, struct strings *paths, struct error *e);

/* A path without the root, "/" for the root itself. */
const char *cgroupfs_name(const char *root, const char *path);
