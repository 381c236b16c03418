/* scope: what a row is about: the whole, or a part of the machine or of the work. */
#pragma once

enum scope {
	SCOPE_TOTAL,
	SCOPE_CPU,
	SCOPE_CORE,
	SCOPE_CLUSTER,
	SCOPE_CACHE,
	SCOPE_DIE,
	SCOPE_SOCKET,
	SCOPE_NODE,
	SCOPE_THREAD,
	SCOPE_PROCESS,
	SCOPE_COMM,
	SCOPE_CGROUP,
};

/* "total", "cpu", …: what the machine formats call it. */
const char *scope_name(enum scope scope);
