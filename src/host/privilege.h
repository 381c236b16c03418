/* privilege: the facts that decide whether this process may use perf_event_open: the paranoid level, capabilities, a
 * seccomp filter, a container. Read from /proc after a refusal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct privilege {
	long paranoid;          /* kernel.perf_event_paranoid, or PRIVILEGE_UNKNOWN */
	uint64_t effective;     /* capabilities as bits, in any user namespace */
	bool perfmon;           /* CAP_PERFMON or CAP_SYS_ADMIN is effective in the initial user namespace */
	bool user_namespace;    /* not the initial one: its capabilities have no effect on perf_event_open */
	bool filtered;          /* perf_event_open is filtered by seccomp */
	bool grantable;         /* a capability on the program's file would take effect */
	bool read_only;         /* the level cannot be changed from here, even by root */
	const char *capability; /* the capability to grant: "perfmon", or "sys_admin" before Linux 5.8 */
	char program[256];      /* the file to grant it to, quoted for a shell */
};

#define PRIVILEGE_UNKNOWN (-100)

void privilege_look(struct privilege *privilege);
