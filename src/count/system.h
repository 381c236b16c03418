/* system: counters on whole CPUs: which are counted, a slot for each, and what becomes of them when CPUs go and come.
 *
 * Order of calls: zero-initialize; system_open before counting is switched on; system_update; once counting has ended
 * system_settle; system_group for every matrix of counts that was taken; system_close.
 *
 * A CPU that goes offline keeps what it counted: the kernel detaches its events for good, so one that comes (back)
 * online gets a slot of its own, which belongs to the same row.
 *
 * The reader does not move to the CPU it reads. A read from elsewhere costs an interrupt there for each group, a move
 * two switches for each CPU: in a guest of 16 CPUs (Linux 6.18, software events) 33 us against 1,090 us for a CPU with
 * one group, 104 us against 514 us with four; and each move is itself a migration that is counted. `make
 * bench-interval` compares them.
 *
 * Counters are read in the order in which they were enabled, so each CPU's time is of the same length, and they need
 * not be stopped first.
 */
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
	const struct cpuset *cpus;        /* NULL or empty: all that are online, and that come online */
	enum aggr_mode scope;             /* of the rows: AGGR_TOTAL to AGGR_NODE, of each cgroup */
	unsigned cache_level;             /* AGGR_CACHE; 0: the last one */
	const struct cgroup_set *cgroups; /* only these, on each CPU; NULL: all tasks */
};

struct system {
	struct system_options options;
	struct counters *counters; /* not owned; only this module opens slots in it */
	struct topology topology;
	struct cpuset counted; /* now */
	struct cpuset gone, came;
};

/* Open a slot on each CPU. 0 or -errno: -EINVAL, -ENODEV a CPU is not there; -EMFILE; -ENOENT no such cache. */
int system_open(struct system *s, struct counters *counters, const struct system_options *options, struct error *e);

/* Look which CPUs have gone offline or come online: at the end of each interval. */
void system_update(struct system *s);

/* The last look; what has happened to the CPUs goes to notes. Those that nothing was counted on have
 * slots, too, so that rows tell. */
void system_settle(struct system *s, struct strings *notes);

/* The grouping of all slots so far, by the scope. */
void system_group(struct system *s, struct aggr_map *map);

void system_close(struct system *s);
