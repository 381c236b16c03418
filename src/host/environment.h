/* environment: the virtual machine and the container around pfmstat, as far as they can be detected, and the other
 * processes that count. The files may be missing or contain anything.
 *
 * root is a prefix of every path: "", except in tests. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Stops the NMI watchdog, which holds a counter on each CPU. */
#define WATCHDOG_OFF "sysctl kernel.nmi_watchdog=0"

#define CPUINFO_MAX 128

/* Returns a field of /proc/cpuinfo, of the first CPU, in buf, or "". */
char *cpuinfo_read(const char *field, char buf[CPUINFO_MAX]);
/* The same of the CPU model: its name or, on arm64, the number of the part. */
char *cpu_model_read(char buf[CPUINFO_MAX]);

/* True if the first CPU has the flag hypervisor, which only x86 has. */
bool environment_is_virtual(const char *root);

/* Returns "Docker (/.dockerenv)"; NULL if there is no sign of a container. The caller frees it. */
char *environment_container(const char *root);

enum watchdog { WATCHDOG_UNKNOWN, WATCHDOG_IS_OFF, WATCHDOG_IS_ON };

/* Reads kernel.nmi_watchdog. */
enum watchdog environment_watchdog(const char *root);

/* A process with open performance events, found by its descriptors in /proc. Since Linux 7.2 the kernel shows which
 * events they are. */
struct perf_user {
	pid_t pid;
	size_t n; /* number of descriptors of performance events, including duplicates */
	/* the event of the first descriptor that may hold a counter of a PMU */
	bool has_event;
	uint32_t type;
	uint64_t config;
};

struct perf_users {
	struct perf_user *v; /* sorted by pid; without this process */
	size_t n;
	bool hidden; /* some processes are not readable, or none is visible */
};

/* proc: "/proc", except in tests. Zero-initialize; free v. */
void perf_users_find(struct perf_users *users, const char *proc);
