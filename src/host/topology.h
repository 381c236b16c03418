/* topology: the CPUs and their places: core, cluster, cache, die, socket, node, from /sys/devices/system, named as in
 * perf (S0-D0-C1).
 *
 * Order of calls: topology_open with the CPUs to count; topology_place, topology_name; topology_free. A CPU that comes
 * online later is looked up on demand. Only the files that the scope needs are read, once for each CPU: they vanish
 * when it goes offline. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/cpuset.h"
#include "lib/error.h"

#define TOPOLOGY_ROOT     "/sys/devices/system"
#define TOPOLOGY_NAME_MAX 80

/* The scope of a row: the whole, or a part of the machine or of the work. */
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
	AGGR_REGION, /* named by the program */
};

/* Returns the name in machine-readable formats: "total", "cpu", … */
const char *aggr_mode_name(enum aggr_mode scope);
/* Returns the noun for people: "program", "cgroup", … */
const char *aggr_mode_word(enum aggr_mode scope);
/* True for threads, processes and programs. */
bool aggr_mode_is_of_tasks(enum aggr_mode scope);

/* The members are in the order of sorting; 0 if the scope does not use them. */
struct place {
	int node, socket, die, cluster;
	int cache; /* the first CPU that shares the cache, as in perf */
	int core, cpu;
	bool is_known; /* the place has been looked up */
};

struct topology {
	const char *root; /* not owned */
	enum aggr_mode scope;
	unsigned cache_level; /* AGGR_CACHE: 1, 2, … */
	bool core_repeats;    /* cores in different clusters of a die have the same number */
	struct place *places; /* by CPU number */
	size_t n;
};

/* Returns the online CPUs. 0 or -errno. */
int topology_online(const char *root, struct cpuset *online, struct error *e);
/* Returns the highest number that a CPU may have, now or later, plus one: for arrays by number, and for loops over all.
 * sysconf(3) returns the number of CPUs, which is smaller if numbers have gaps, and with musl the number of CPUs that
 * pfmstat may use. */
int topology_end(const char *root);
/* Returns 0 if all these CPUs are online; -EINVAL, naming CPUs that do not exist; -ENODEV, naming CPUs that are
 * offline. */
int topology_check(const char *root, const struct cpuset *wanted, struct error *e);

/* cache_level 0: the last level. Returns -ENOENT if the machine shows no cache of that level. */
int topology_open(struct topology *t, const char *root, enum aggr_mode scope, unsigned cache_level,
		  const struct cpuset *cpus, struct error *e);

/* Valid until the next call. */
const struct place *topology_place(struct topology *t, int cpu);
int place_compare(const struct place *a, const struct place *b);

/* Returns buf: "3" for a CPU, "S0-D0-C1" for a core ("S0-D0-CLS2-C1" if numbers repeat), "S0-D0-CLS2", "S0-D0-L3-ID8",
 * "S0-D0", "S0", "N0"; "" for the total. */
const char *topology_name(const struct topology *t, const struct place *place, char buf[TOPOLOGY_NAME_MAX]);

void topology_free(struct topology *t);
