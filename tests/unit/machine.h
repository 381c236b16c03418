/* machine: whether this machine permits this user an operation, tested with the kernel, for tests that are otherwise
 * skipped. Returns NULL, or the reason. */
#pragma once

#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../helpers/tracefs_probe.h"
#include "os/kernel.h"

/* Watching CPUs also needs memory that may be locked, of which users have little. */
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

/* In some virtual machines they open and never fire. */
static inline const char *machine_has_no_breakpoints(void)
{
	volatile uint32_t word = 0;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&word,
		.bp_len = HW_BREAKPOINT_LEN_4,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t hits = 0;

	if (fd < 0)
		return "machine: no breakpoint can be opened";
	word = 1;
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits))
		hits = 0;
	close(fd);
	return hits ? NULL : "machine: breakpoints never fire";
}
