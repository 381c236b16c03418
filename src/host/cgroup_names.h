/* cgroup_names: the cgroups of what people name: systemd's units, containers and pods. They are found by the names that
 * systemd and the container runtimes give to directories, so that no runtime is asked:
 *
 *   unit       nginx.service
 *   container  libpod-ID.scope, docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, or an ID alone
 *   pod        kubepods-…-podUID.slice, podUID, …libpod_pod_ID.slice
 *
 * The names of containers and pods are in files of the runtimes, most of which only root can read. */
#pragma once

#include "lib/error.h"
#include "lib/util.h"

enum cgroup_kind { CGROUP_OF_PATH, CGROUP_OF_UNIT, CGROUP_OF_CONTAINER, CGROUP_OF_POD };

/* Adds the path of the one cgroup below root that the name, the ID or its first digits mean. files: "", or in tests the
 * directory of /proc and /var. Returns 0; -ENOENT, with near names; or -EINVAL, with all of them, if there are
 * several. */
int cgroup_names_find(const char *root, const char *files, enum cgroup_kind kind, const char *name,
		      struct strings *paths, struct error *e);
