/* aggr_map: the aggregation of slots into rows, and the order of the rows. Each slot has a key; collect adds up the
 * slots of a key. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "count/counters.h"
#include "host/cgroup.h"
#include "host/topology.h"

/* The subject of one set of rows. */
struct key {
	enum aggr_mode scope;
	char *id;        /* "" for the total; owned */
	char *cgroup;    /* only tasks of this cgroup; NULL: all tasks; owned */
	bool joined;     /* its rows are listed with those of the key before it, event by event (as in perf for CPUs) */
	unsigned count;  /* number of CPUs in the sum (perf -x's second leading column); 0: not shown */
	pid_t pid, ppid; /* 0 if unknown */
	bool own;        /* work of no task or of the idle task, not of a program with this name */
	bool rest;       /* unattributed work: the last row, never among the others */
	size_t others;   /* the number of rows in whose place it is; 0: of none */
	char *comm;      /* NULL without a program; owned */
	char *obstacle;  /* why nothing of it could be opened, or NULL; owned */
	char *remark;    /* a remark on all its values, or NULL; owned */
	bool removed;    /* the cgroup was removed */
};

struct aggr_map {
	struct key *keys; /* in the order of the rows */
	size_t n_keys;
	size_t *key_of; /* for each slot: the index of its key; SIZE_MAX without one */
	size_t n_slots;
	size_t *buckets; /* hash table of aggr_map_add: indices of keys, plus 1 */
	size_t n_buckets;
};

/* Puts everything into one total. */
void aggr_map_total(struct aggr_map *map, size_t n_slots);

/* Appends a slot under the key of this scope and id, which is created if needed; returns the key. */
struct key *aggr_map_add(struct aggr_map *map, enum aggr_mode scope, const char *id);
/* The same for the tasks of a cgroup. */
struct key *aggr_map_add_cgroup(struct aggr_map *map, const char *name);
/* Returns the index of the key of this scope and id that aggr_map_add has created; SIZE_MAX if there is none. */
size_t aggr_map_find(const struct aggr_map *map, enum aggr_mode scope, const char *id);

/* Maps slots that are CPUs (a CPU that went and came back has several) by their places in the topology, and by the
 * cgroups that they count (cgroups may be NULL): sorted by place, or with all events for each cgroup by cgroup first.
 * If the topology's scope is the total, the scope is the cgroup. */
void aggr_map_cpus(struct aggr_map *map, struct topology *topology, const struct cgroup_set *cgroups,
		   const struct slot *slots, size_t n_slots);

/* As aggr_map_add, with a new key even if a key of this scope and id exists: ids are reused. */
struct key *aggr_map_add_new(struct aggr_map *map, enum aggr_mode scope, const char *id);

/* The first appends a slot without a key, which is in no row; the second gives such a slot a new, last key. */
void aggr_map_skip(struct aggr_map *map);
struct key *aggr_map_show(struct aggr_map *map, size_t slot, enum aggr_mode scope, const char *id);

struct ranking {
	size_t event; /* SIZE_MAX: the rows stay in the order in which their tasks began */
	size_t top;   /* maximal number of rows, before one row for all others; 0: all */
	size_t most;  /* the same for many rows, with top 0: these are then sorted by `by` if event is SIZE_MAX */
	size_t by;
};

/* Returns the event and top that apply to this number of rows. */
struct ranking ranking_of(const struct ranking *ranking, size_t n_rows);

/* Sorts the keys, largest first. The slots of all keys after the top get one common key. */
void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct aggr_map *map);

void aggr_map_free(struct aggr_map *map);
