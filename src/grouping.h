/* grouping: which slots are added up into which rows: one key for each slot, applied in one place (collect). Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cgroup.h"
#include "counters.h"
#include "scope.h"
#include "topology.h"

/* What one set of rows is about. */
struct key {
	enum scope scope;
	char *id;        /* "" for the total; owned */
	char *cgroup;    /* whose tasks alone they are; NULL: all tasks; owned */
	bool joined;     /* they stand with those of the key before it, event by event (as perf has it for CPUs) */
	unsigned count;  /* CPUs added up (perf -x's second leading column); 0: not said */
	pid_t pid, ppid; /* 0: none */
	size_t others;   /* it stands for so many that are too small for rows of their own; 0: for itself */
	char *comm;      /* NULL: none; owned */
	char *obstacle;  /* why nothing of it could be opened at all; NULL: no such reason; owned */
	char *remark;    /* to be said of all its values; NULL: nothing; owned */
};

struct grouping {
	struct key *keys; /* in the order of the rows */
	size_t n_keys;
	size_t *key_of; /* per slot: index of its key; SIZE_MAX: none */
	size_t n_slots;
	size_t *buckets; /* grouping_add's hash table: indices of keys, plus 1 */
	size_t n_buckets;
};

/* Everything in one total. */
void grouping_total(struct grouping *grouping, size_t n_slots);

/* Append a slot under the key of this scope and id, which is made if there is none; returns the key. */
struct key *grouping_add(struct grouping *grouping, enum scope scope, const char *id);

/* Slots that are CPUs (a CPU may have several, when it went and came back), by where the topology says they sit, and by
 * the cgroups of the set (NULL: none) that they count: sorted by place; with all events for each cgroup by that first.
 * Where the topology's scope is the total, a cgroup is a scope of its own. */
void grouping_cpus(struct grouping *grouping, struct topology *topology, const struct cgroup_set *cgroups,
		   const struct slot *slots, size_t n_slots);

/* The same, with a key of the slot's own even if there is one of this scope and id: ids are given out again. */
struct key *grouping_add_new(struct grouping *grouping, enum scope scope, const char *id);

/* Append a slot that is in no row; give such a slot a key of its own, behind all others. */
void grouping_skip(struct grouping *grouping);
struct key *grouping_show(struct grouping *grouping, size_t slot, enum scope scope, const char *id);

void grouping_free(struct grouping *grouping);
