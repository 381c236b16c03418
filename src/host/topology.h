/* topology: where the CPUs sit: core, cluster, cache, die, socket, node, as /sys/devices/system shows it, and what
 * perf's users call these places (S0-D0-C1).
 *
 * Order of calls: topology_open with the CPUs that will be counted; topology_place, topology_name; topology_free.
 * A CPU that comes online later is looked up when it is asked for. Only the files that the scope needs are read, and
 * those of a CPU once: they vanish when it goes offline.
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
};

/* "total", "cpu", …: as the machine formats call it. */
const char *aggr_mode_name(enum aggr_mode scope);

/* In the order in which places are sorted; what the scope does not tell apart is 0 for all. */
struct place {
	int node, socket, die, cluster;
	int cache; /* the first CPU that shares it, as perf has it */
	int core, cpu;
};

struct topology {
	const char *root; /* not owned */
	enum aggr_mode scope;
	unsigned cache_level; /* AGGR_CACHE: 1, 2, … */
	bool core_repeats;    /* cores of one die have the same number in several clusters */
	struct place *places; /* known ones, by CPU number */
	bool *known;
	size_t n;
};

/* The CPUs that are online now; that the machine has. 0 or -errno. */
int topology_online(const char *root, struct cpuset *online, struct error *e);
/* Does each of the CPUs exist, and is it online? 0, or -EINVAL and -ENODEV, naming those that are not. */
int topology_check(const char *root, const struct cpuset *wanted, struct error *e);

/* cache_level 0: the last one. -ENOENT: the machine shows no cache of that level. */
int topology_open(struct topology *t, const char *root, enum aggr_mode scope, unsigned cache_level,
		  const struct cpuset *cpus, struct error *e);

/* Good until the next call. */
const struct place *topology_place(struct topology *t, int cpu);
int place_compare(const struct place *a, const struct place *b);

/* "3" of a CPU, "S0-D0-C1" of a core (with CLS and the cluster in it where numbers repeat), "S0-D0-CLS2",
 * "S0-D0-L3-ID8", "S0-D0", "S0", "N0"; "" of the total. Returns buf. */
const char *topology_name(const struct topology *t, const struct place *place, char buf[TOPOLOGY_NAME_MAX]);

void topology_free(struct topology *t);
