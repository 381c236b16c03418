/* topology: which CPUs there are, and where they are: core, cluster, cache, die, socket, node, from
 * /sys/devices/system, named as in perf (S0-D0-C1).
 *
 * Order of calls: topology_open with the CPUs that will be counted; topology_place, topology_name; topology_free.
 * A CPU that comes online later is looked up when it is asked for. Only the files that the scope needs are read, once
 * for each CPU: they vanish when it goes offline.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/cpuset.h"
#include "lib/error.h"

#define TOPOLOGY_ROOT     "/sys/devices/system"
#define TOPOLOGY_NAME_MAX 80

/* What a row is about: the whole, or a part of the machine or of the work. */
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
	AGGR_REGION, /* of the program, which names it */
};

/* "total", "cpu", …: as the machine formats call it. */
const char *aggr_mode_name(enum aggr_mode scope);

/* The members are in the order of sorting; those that the scope does not distinguish are 0. */
struct place {
	int node, socket, die, cluster;
	int cache; /* the first CPU that shares it, as in perf */
	int core, cpu;
	bool is_known; /* it has been looked up */
};

struct topology {
	const char *root; /* not owned */
	enum aggr_mode scope;
	unsigned cache_level; /* AGGR_CACHE: 1, 2, … */
	bool core_repeats;    /* cores in different clusters of a die have the same number */
	struct place *places; /* by CPU number */
	size_t n;
};

/* The CPUs that are online now. 0 or -errno. */
int topology_online(const char *root, struct cpuset *online, struct error *e);
/* One more than the highest number that a CPU may have, now or later: for arrays by number, and to try each. What
 * sysconf(3) says is a sum (numbers may have gaps), and with musl that of the CPUs that pfmstat itself may use. */
int topology_end(const char *root);
/* How many are said to be online; in a container it may be less than there are. */
size_t topology_count(const char *root);
/* 0 if all these CPUs are online; -EINVAL, naming those that do not exist; -ENODEV, naming those that are offline. */
int topology_check(const char *root, const struct cpuset *wanted, struct error *e);

/* cache_level 0: the last level. -ENOENT: the machine shows no cache of that level. */
int topology_open(struct topology *t, const char *root, enum aggr_mode scope, unsigned cache_level,
		  const struct cpuset *cpus, struct error *e);

/* Good until the next call. */
const struct place *topology_place(struct topology *t, int cpu);
int place_compare(const struct place *a, const struct place *b);

/* "3" for a CPU, "S0-D0-C1" for a core ("S0-D0-CLS2-C1" where numbers repeat), "S0-D0-CLS2", "S0-D0-L3-ID8", "S0-D0",
 * "S0", "N0"; "" for the total. Returns buf. */
const char *topology_name(const struct topology *t, const struct place *place, char buf[TOPOLOGY_NAME_MAX]);

void topology_free(struct topology *t);
