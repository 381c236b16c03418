#include "grouping.h"

#include <stdint.h>
#include <string.h>

#include "util.h"

void grouping_total(struct grouping *grouping, size_t n_slots)
{
	*grouping = (struct grouping){.keys = NULL};
	for (size_t i = 0; i < n_slots; i++)
		grouping_add(grouping, SCOPE_TOTAL, "");
	if (n_slots == 0) { /* a row of its own all the same: it says that there was nothing */
		struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

		key->id = xstrdup("");
	}
}

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static size_t hash_key(const struct key *key)
{
	uint64_t hash = hash_text(0xcbf29ce484222325u ^ key->scope, key->id);

	if (key->cgroup)
		hash = hash_text(hash * 0x100000001b3u, key->cgroup);
	return (size_t)(hash ^ hash >> 32);
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->scope == b->scope && strcmp(a->id, b->id) == 0 && !a->cgroup == !b->cgroup &&
	       (!a->cgroup || strcmp(a->cgroup, b->cgroup) == 0);
}

/* The bucket that holds the key, or the free one where it belongs. */
static size_t *find_bucket(const struct grouping *grouping, const struct key *key)
{
	size_t mask = grouping->n_buckets - 1, i = hash_key(key) & mask;

	while (grouping->buckets[i] && !is_same(&grouping->keys[grouping->buckets[i] - 1], key))
		i = (i + 1) & mask;
	return &grouping->buckets[i];
}

/* At most half of the buckets are taken. */
static void grow_buckets(struct grouping *grouping)
{
	if (2 * (grouping->n_keys + 1) <= grouping->n_buckets)
		return;
	free(grouping->buckets);
	grouping->n_buckets = grouping->n_buckets ? 4 * grouping->n_buckets : 16;
	grouping->buckets = xcalloc(grouping->n_buckets, sizeof(*grouping->buckets));
	for (size_t k = 0; k < grouping->n_keys; k++)
		*find_bucket(grouping, &grouping->keys[k]) = k + 1;
}

/* Append a slot under the key that is like this one, which is copied if there is none. */
static struct key *add_like(struct grouping *grouping, const struct key *like)
{
	size_t *bucket;

	grow_buckets(grouping);
	bucket = find_bucket(grouping, like);
	if (!*bucket) {
		struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

		key->scope = like->scope;
		key->id = xstrdup(like->id);
		key->cgroup = like->cgroup ? xstrdup(like->cgroup) : NULL;
		key->joined = like->joined;
		*bucket = grouping->n_keys;
	}
	*ARRAY_PUSH(grouping->key_of, grouping->n_slots) = *bucket - 1;
	return &grouping->keys[*bucket - 1];
}

struct key *grouping_add(struct grouping *grouping, enum scope scope, const char *id)
{
	auto_free char *copy = xstrdup(id);

	return add_like(grouping, &(struct key){.scope = scope, .id = copy});
}

/* A slot, in the order of what it is sorted by. */
struct placed {
	size_t block; /* with all events for each cgroup: which one; rows are never joined over it */
	struct place place;
	size_t cgroup;
	int cpu;
	size_t slot;
};

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = (a->block > b->block) - (a->block < b->block);

	if (order == 0)
		order = place_compare(&a->place, &b->place);
	if (order == 0)
		order = (a->cgroup > b->cgroup) - (a->cgroup < b->cgroup);
	return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* before: NULL for the first. */
static struct key *add_placed(struct grouping *grouping, const struct topology *topology, struct cgroup *cgroup,
			      const struct placed *placed, const struct placed *before)
{
	char name[TOPOLOGY_NAME_MAX];
	struct key key = {.scope = topology->scope, .id = name};

	topology_name(topology, &placed->place, name);
	if (cgroup && cgroup->path) {
		key.cgroup = cgroup->name;
		if (key.scope == SCOPE_TOTAL) {
			key.scope = SCOPE_CGROUP;
			key.id = cgroup->name;
		}
	}
	key.joined = before && before->block == placed->block &&
		     (topology->scope == SCOPE_CPU || place_compare(&before->place, &placed->place) == 0);
	return add_like(grouping, &key);
}

void grouping_cpus(struct grouping *grouping, struct topology *topology, const struct cgroup_set *cgroups,
		   const struct slot *slots, size_t n_slots)
{
	auto_free struct placed *sorted = xcalloc(n_slots, sizeof(*sorted));
	auto_free size_t *key_of = xcalloc(n_slots, sizeof(*key_of));
	bool counts = topology->scope != SCOPE_CPU && topology->scope != SCOPE_TOTAL;

	*grouping = (struct grouping){.keys = NULL};
	for (size_t i = 0; i < n_slots; i++) {
		size_t cgroup = cgroups ? (size_t)(slots[i].cgroup - cgroups->v) : 0;

		sorted[i] = (struct placed){.block = cgroups && cgroups->for_each ? cgroup : 0,
					    .place = *topology_place(topology, slots[i].cpu),
					    .cgroup = cgroup,
					    .cpu = slots[i].cpu,
					    .slot = i};
	}
	qsort(sorted, n_slots, sizeof(*sorted), compare_placed);
	for (size_t i = 0; i < n_slots; i++) {
		const struct placed *placed = &sorted[i], *before = i ? placed - 1 : NULL;
		struct key *key =
			add_placed(grouping, topology, cgroups ? &cgroups->v[placed->cgroup] : NULL, placed, before);

		if (counts && !(before && before->cpu == placed->cpu && before->cgroup == placed->cgroup))
			key->count++;
		key_of[placed->slot] = (size_t)(key - grouping->keys);
	}
	if (n_slots)
		memcpy(grouping->key_of, key_of, n_slots * sizeof(*key_of));
}

struct key *grouping_add_new(struct grouping *grouping, enum scope scope, const char *id)
{
	grouping_skip(grouping);
	return grouping_show(grouping, grouping->n_slots - 1, scope, id);
}

void grouping_skip(struct grouping *grouping)
{
	*ARRAY_PUSH(grouping->key_of, grouping->n_slots) = SIZE_MAX;
}

struct key *grouping_show(struct grouping *grouping, size_t slot, enum scope scope, const char *id)
{
	struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

	key->scope = scope;
	key->id = xstrdup(id);
	grouping->key_of[slot] = grouping->n_keys - 1;
	return key;
}

void grouping_free(struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->n_keys; i++) {
		free(grouping->keys[i].id);
		free(grouping->keys[i].cgroup);
		free(grouping->keys[i].comm);
		free(grouping->keys[i].obstacle);
		free(grouping->keys[i].remark);
	}
	free(grouping->keys);
	free(grouping->key_of);
	free(grouping->buckets);
	*grouping = (struct grouping){0};
}
