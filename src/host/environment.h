/* environment: what this runs in and on, a virtual machine and a container, as far as anything tells, and who else
 * counts. The files may be missing, or hold anything.
 *
 * root stands before every path: "", but for tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What stops the NMI watchdog, which holds a counter on each CPU. */
#define WATCHDOG_OFF "sysctl kernel.nmi_watchdog=0"

#define CPUINFO_MAX 128

/* A field of /proc/cpuinfo, of the first CPU; "" if there is none. Returns buf. */
char *cpuinfo_read(const char *field, char buf[CPUINFO_MAX]);

/* What a virtual machine is called by x86's CPUID, "KVM (CPUID)"; NULL: nothing says that it is one. To be freed. */
char *environment_hypervisor(void);
/* The same of the flags in /proc/cpuinfo, where CPUID is hidden. */
char *environment_machine(const char *root);

/* "Docker (/.dockerenv)"; NULL: nothing says that it is one. To be freed. */
char *environment_container(const char *root);

enum watchdog { WATCHDOG_UNKNOWN, WATCHDOG_IS_OFF, WATCHDOG_IS_ON };

/* kernel.nmi_watchdog. */
enum watchdog environment_watchdog(const char *root);

/* Which processes have performance events open, by their descriptors in /proc. What events these are, the kernel does
 * not tell. */
struct perf_user {
	pid_t pid;
	size_t n; /* descriptors of performance events; copies also count */
};

struct perf_users {
	struct perf_user *v; /* in the order of their pids; this process is not among them */
	size_t n;
	bool hidden; /* there are processes that may not be looked into, or none can be seen */
};

/* proc: "/proc", except in tests. Zero-initialize; free v. */
void perf_users_find(struct perf_users *users, const char *proc);
