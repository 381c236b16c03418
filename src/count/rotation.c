#include "count/rotation.h"

#include <limits.h>

#include "event/sysfs.h"

uint64_t rotation_turn(const struct plan *plan, size_t group)
{
	return sysfs_mux_interval(SYSFS_ROOT, (uint32_t)rotation_pmu(plan, group)) * (uint64_t)1000000;
}

void rotation_add_note(const struct plan *plan, struct strings *notes)
{
	for (size_t g = 0; g < plan->n_groups; g++) {
		uint32_t type = (uint32_t)rotation_pmu(plan, g);
		char path[PATH_MAX];
		unsigned ms;

		if (rotation_count(plan, g) < 2 || plan->groups[g].pass)
			continue;
		ms = sysfs_mux_interval(SYSFS_ROOT, type);
		if (ms < 2 || sysfs_mux_path(SYSFS_ROOT, type, path, sizeof(path)) < 0)
			continue;
		strings_add(notes,
			    "groups of events are rotated every %u ms: shorter intervals give smaller errors; fix, as "
			    "root: echo 1 >%s",
			    ms, path);
		return;
	}
}
