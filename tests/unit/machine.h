/* machine: what this machine lets this user do, asked of the kernel itself, for tests that are skipped where it does
 * not. NULL, or why it does not. */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../helpers/tracefs_probe.h"
#include "lib/kernel.h"

/* Watching CPUs takes memory that may be locked, too, of which users have little. */
static inline const char *machine_watches_no_cpus(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	int cpu, fd;

	if (geteuid() != 0)
		return "machine: not root";
	for (cpu = 0; cpu < 4096; cpu++) {
		fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0) {
			close(fd);
			return NULL;
		}
	}
	return "machine: CPUs cannot be watched";
}

static inline const char *machine_has_no_tracefs(void)
{
	char path[64];

	return tracefs_probe(path, sizeof(path)) ? "machine: tracefs cannot be read" : NULL;
}
