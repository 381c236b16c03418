/* privilege: what stands between this process and perf_event_open: the paranoid level, its capabilities, a seccomp
 * filter, a container. Read from /proc when it is asked for, which is when something was refused.
 */
#pragma once

#include <stdbool.h>

struct privilege {
	long paranoid;       /* kernel.perf_event_paranoid; PRIVILEGE_UNKNOWN: not readable */
	bool perfmon;        /* CAP_PERFMON or CAP_SYS_ADMIN is in effect, in the user namespace that the kernel asks */
	bool user_namespace; /* another one than the machine's: capabilities in it do not count */
	bool filtered;       /* by seccomp */
	bool grantable;      /* a capability on the program's file would take effect */
	bool read_only;      /* the level cannot be changed from here, not even by root */
	const char *capability; /* that the kernel asks for: CAP_SYS_ADMIN before Linux 5.8 */
	char program[256];      /* the file to give a capability to, fit for a shell */
};

#define PRIVILEGE_UNKNOWN (-100)

void privilege_look(struct privilege *privilege);
