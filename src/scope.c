#include "scope.h"

const char *scope_name(enum scope scope)
{
	static const char *const names[] = {
		[SCOPE_TOTAL] = "total",     [SCOPE_CPU] = "cpu",     [SCOPE_CORE] = "core",
		[SCOPE_CLUSTER] = "cluster", [SCOPE_CACHE] = "cache", [SCOPE_DIE] = "die",
		[SCOPE_SOCKET] = "socket",   [SCOPE_NODE] = "node",   [SCOPE_THREAD] = "thread",
		[SCOPE_PROCESS] = "process", [SCOPE_COMM] = "comm",   [SCOPE_CGROUP] = "cgroup",
	};

	return names[scope];
}
