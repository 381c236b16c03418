/* aggr_map: which slots are added up into which rows: one key for each slot, applied in one place (collect); and in
 * which order the rows stand. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "count/counters.h"
#include "host/cgroup.h"
#include "host/topology.h"

/* What one set of rows is about. */
struct key {
	enum aggr_mode scope;
	char *id;        /* "" for the total; owned */
	char *cgroup;    /* only its tasks; NULL: all tasks; owned */
	bool joined;     /* they stand with those of the key before it, event by event (as perf has it for CPUs) */
	unsigned count;  /* CPUs added up (perf -x's second leading column); 0: not said */
	pid_t pid, ppid; /* 0: none */
	bool own;        /* work of no task or of the idle task; not a program that has the same name */
	size_t others;   /* stands for so many keys without rows of their own; 0: only for itself */
	char *comm;      /* NULL: none; owned */
	char *obstacle;  /* why nothing of it could be opened; NULL: something could; owned */
	char *remark;    /* on all its values; NULL: none; owned */
	bool removed;    /* the cgroup is no more */
};

struct aggr_map {
	struct key *keys; /* in the order of the rows */
	size_t n_keys;
	size_t *key_of; /* per slot: index of its key; SIZE_MAX: none */
	size_t n_slots;
	size_t *buckets; /* aggr_map_add's hash table: indices of keys, plus 1 */
	size_t n_buckets;
};

/* The id of a key that stands for others; or with their number, "(3 others)". */
#define AGGR_OTHERS "(others)"
bool aggr_is_others(const char *id);

/* Everything in one total. */
void aggr_map_total(struct aggr_map *map, size_t n_slots);

/* Append a slot under the key of this scope and id, which is made if there is none; returns the key. */
struct key *aggr_map_add(struct aggr_map *map, enum aggr_mode scope, const char *id);

/* Slots that are CPUs (a CPU may have several, when it went and came back), by where the topology says they sit, and by
 * the cgroups of the set (NULL: none) that they count: sorted by place; with all events for each cgroup by that first.
 * Where the topology's scope is the total, a cgroup is a scope of its own. */
void aggr_map_cpus(struct aggr_map *map, struct topology *topology, const struct cgroup_set *cgroups,
		   const struct slot *slots, size_t n_slots);

/* The same, with a key of the slot's own even if there is one of this scope and id: ids are given out again. */
struct key *aggr_map_add_new(struct aggr_map *map, enum aggr_mode scope, const char *id);

/* Append a slot that is in no row; give such a slot a key of its own, after all others. */
void aggr_map_skip(struct aggr_map *map);
struct key *aggr_map_show(struct aggr_map *map, size_t slot, enum aggr_mode scope, const char *id);

struct ranking {
	size_t event; /* SIZE_MAX: the rows stay in the order in which their tasks began */
	size_t top;   /* so many rows, and one for all others; 0: all */
};

/* Put the keys in order, largest first; the slots of those after the top, and of those that already stood for others,
 * get one key together. */
void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct aggr_map *map);

void aggr_map_free(struct aggr_map *map);
