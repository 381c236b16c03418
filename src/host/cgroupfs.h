/* cgroupfs: the mount points of cgroups, and the directories that a name or a pattern means. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"

/* Finds the mount point of the hierarchy with the perf_event controller: version 1 if it is mounted there, otherwise 2.
 * The caller frees it. mounts: /proc/self/mounts. Returns -ENOENT if none is mounted. */
int cgroupfs_find(const char *mounts, char **root, struct error *e);

/* True if the controller is in a hierarchy of version 1, mounted or not. */
bool cgroupfs_is_v1(void);

/* Returns the name of a task's cgroup in that hierarchy, as cgroupfs_name; NULL if it is unknown. The caller frees it.
 */
char *cgroupfs_of_task(pid_t tid);

/* Adds the paths of the cgroups directly below path. */
void cgroupfs_children(const char *path, struct strings *paths);

/* True if the text is not a plain name. */
bool cgroupfs_is_pattern(const char *name);

/* Finds the directories, sorted, for a name below the root, a path that begins with the root, or a pattern (*, ?,
 * [...]) of these. ^… and …$ are regular expressions, as in perf; a text with .* is one if it matches nothing as a
 * pattern. Returns -ENOENT, with near names, if not found. */
int cgroupfs_match(const char *root, const char *name, struct strings *paths, struct error *e);

/* Returns the path without the root, "/" for the root itself. */
const char *cgroupfs_name(const char *root, const char *path);
