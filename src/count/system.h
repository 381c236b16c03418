/* system: counters on whole CPUs: the counted CPUs, a slot for each, and CPUs that go offline and come online.
 *
 * Order of calls: zero-initialize; system_open before counting is switched on; system_update; after counting has ended
 * system_finish; system_group for every matrix of counts that was taken; system_close.
 *
 * A CPU that goes offline keeps its counts: the kernel detaches its events for good, so a CPU that comes (back) online
 * gets a new slot, which belongs to the same row.
 *
 * The reader does not move to the CPU that it reads. A read from another CPU costs an interrupt for each group, a move
 * two switches for each CPU: in a guest of 16 CPUs (Linux 6.18, software events), 33 us instead of 1,090 us for a CPU
 * with one group, and 104 us instead of 514 us with four. In addition, each move is a counted migration. `make
 * bench-interval` compares them.
 *
 * Counters are read in the order in which they were enabled, so each CPU is counted for the same time, and they need
 * not be stopped first. */
#pragma once

#include "count/aggr_map.h"
#include "count/counters.h"
#include "host/cgroup.h"
#include "host/target.h"
#include "host/topology.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "lib/util.h"

struct system_options {
	const struct cpuset *cpus;        /* NULL or empty: all CPUs that are online, and that come online */
	enum aggr_mode scope;             /* of the rows: AGGR_TOTAL to AGGR_NODE, for each cgroup */
	unsigned cache_level;             /* AGGR_CACHE; 0: the last level */
	const struct cgroup_set *cgroups; /* only these, on each CPU; NULL: all tasks */
};

struct system {
	struct system_options options;
	struct counters *counters; /* not owned; only this module opens slots in it */
	struct topology topology;
	struct cpuset counted; /* currently counted CPUs */
	struct cpuset gone, came, stopped;
	int online_file;  /* the kernel's list of online CPUs; 0 or less if it is not open */
	char online[256]; /* its text at the last update; a list that is longer counts as changed */
	size_t n_online;
};

/* Opens a slot on each CPU. Returns 0 or -errno: -EINVAL or -ENODEV (a CPU does not exist or is offline), -EMFILE,
 * -ENOENT (no such cache). */
int system_open(struct system *s, struct counters *counters, const struct system_options *options, struct error *e);

/* Checks which CPUs have gone offline or come online; called at the end of each interval. */
void system_update(struct system *s);

/* The last check; adds notes about CPUs that came or went. CPUs on which nothing was counted also get slots, so that
 * rows show them. */
void system_finish(struct system *s, struct strings *notes);

/* Groups all slots so far by the scope. */
void system_group(struct system *s, struct aggr_map *map);

void system_close(struct system *s);
