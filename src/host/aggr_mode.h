/* aggr_mode: what a row is about: the whole, or a part of the machine or of the work. */
#pragma once

enum aggr_mode {
	AGGR_TOTAL,
	AGGR_CPU,
	AGGR_CORE,
	AGGR_CLUSTER,
	AGGR_CACHE,
	AGGR_DIE,
	AGGR_SOCKET,
	AGGR_NODE,
	AGGR_THREAD,
	AGGR_PROCESS,
	AGGR_COMM,
	AGGR_CGROUP,
};

/* "total", "cpu", …: what the machine formats call it. */
const char *aggr_mode_name(enum aggr_mode scope);
