/* privilege: what decides whether this process may use perf_event_open: the paranoid level, its capabilities, a seccomp
 * filter, a container. Read from /proc once something has been refused.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct privilege {
	long paranoid;          /* kernel.perf_event_paranoid, or PRIVILEGE_UNKNOWN */
	uint64_t effective;     /* capabilities as bits, in whichever user namespace */
	bool perfmon;           /* CAP_PERFMON or CAP_SYS_ADMIN is effective in the initial user namespace */
	bool user_namespace;    /* not the initial one: capabilities in it do not count */
	bool filtered;          /* by seccomp */
	bool grantable;         /* a capability on the program's file would take effect */
	bool read_only;         /* the level cannot be changed from here, not even by root */
	const char *capability; /* the one to grant: "perfmon", or "sys_admin" before Linux 5.8 */
	char program[256];      /* the file to give it to, as a shell can take it */
};

#define PRIVILEGE_UNKNOWN (-100)

void privilege_look(struct privilege *privilege);
