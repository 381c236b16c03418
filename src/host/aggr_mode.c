#include "host/aggr_mode.h"

const char *aggr_mode_name(enum aggr_mode scope)
{
	static const char *const names[] = {
		[AGGR_TOTAL] = "total",     [AGGR_CPU] = "cpu",     [AGGR_CORE] = "core",
		[AGGR_CLUSTER] = "cluster", [AGGR_CACHE] = "cache", [AGGR_DIE] = "die",
		[AGGR_SOCKET] = "socket",   [AGGR_NODE] = "node",   [AGGR_THREAD] = "thread",
		[AGGR_PROCESS] = "process", [AGGR_COMM] = "comm",   [AGGR_CGROUP] = "cgroup",
	};

	return names[scope];
}
