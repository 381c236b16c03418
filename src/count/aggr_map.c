#include "count/aggr_map.h"

#include <stdint.h>
#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

void aggr_map_total(struct aggr_map *map, size_t n_slots)
{
	*map = (struct aggr_map){.keys = NULL};
	for (size_t i = 0; i < n_slots; i++)
		aggr_map_add(map, AGGR_TOTAL, "");
	if (n_slots == 0) { /* without slots, a row is still needed to report that */
		struct key *key = ARRAY_PUSH(map->keys, map->n_keys);

		key->id = xstrdup("");
	}
}

static size_t hash_key(const struct key *key)
{
	uint64_t hash = text_hash(TEXT_HASH ^ key->scope, key->id);

	if (key->cgroup)
		hash = text_hash(hash * TEXT_HASH_STEP, key->cgroup);
	return (size_t)(hash ^ hash >> 32);
}

static bool is_same(const struct key *a, const struct key *b)
{
	return a->scope == b->scope && a->own == b->own && strcmp(a->id, b->id) == 0 && !a->cgroup == !b->cgroup &&
	       (!a->cgroup || strcmp(a->cgroup, b->cgroup) == 0);
}

/* Returns the bucket of the key, or the free bucket where it belongs. */
static size_t *find_bucket(const struct aggr_map *map, const struct key *key)
{
	size_t mask = map->n_buckets - 1, i = hash_key(key) & mask;

	while (map->buckets[i] && !is_same(&map->keys[map->buckets[i] - 1], key))
		i = (i + 1) & mask;
	return &map->buckets[i];
}

/* Keeps at least half of the buckets free. */
static void grow_buckets(struct aggr_map *map)
{
	if (2 * (map->n_keys + 1) <= map->n_buckets)
		return;
	free(map->buckets);
	map->n_buckets = map->n_buckets ? 4 * map->n_buckets : 16;
	map->buckets = xcalloc(map->n_buckets, sizeof(*map->buckets));
	for (size_t k = 0; k < map->n_keys; k++)
		*find_bucket(map, &map->keys[k]) = k + 1;
}

/* Appends a slot under the key that equals this one; adds a copy if there is no such key. */
static struct key *add_like(struct aggr_map *map, const struct key *like)
{
	size_t *bucket;

	grow_buckets(map);
	bucket = find_bucket(map, like);
	if (!*bucket) {
		struct key *key = ARRAY_PUSH(map->keys, map->n_keys);

		key->scope = like->scope;
		key->id = xstrdup(like->id);
		key->cgroup = like->cgroup ? xstrdup(like->cgroup) : NULL;
		key->joined = like->joined;
		*bucket = map->n_keys;
	}
	*ARRAY_PUSH(map->key_of, map->n_slots) = *bucket - 1;
	return &map->keys[*bucket - 1];
}

struct key *aggr_map_add(struct aggr_map *map, enum aggr_mode scope, const char *id)
{
	auto_free char *copy = xstrdup(id);

	return add_like(map, &(struct key){.scope = scope, .id = copy});
}

struct key *aggr_map_add_cgroup(struct aggr_map *map, const char *name)
{
	auto_free char *copy = xstrdup(name);

	return add_like(map, &(struct key){.scope = AGGR_CGROUP, .id = copy, .cgroup = copy});
}

size_t aggr_map_find(const struct aggr_map *map, enum aggr_mode scope, const char *id)
{
	auto_free char *copy = xstrdup(id);

	return map->n_buckets ? *find_bucket(map, &(struct key){.scope = scope, .id = copy}) - 1 : SIZE_MAX;
}

/* A slot; the fields are in the order of sorting. */
struct placed {
	size_t block; /* with all events for each cgroup: the index of the cgroup; rows never join across it */
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

/* before: the previous key; NULL for the first. */
static struct key *add_placed(struct aggr_map *map, const struct topology *topology, struct cgroup *cgroup,
			      const struct placed *placed, const struct placed *before)
{
	char name[TOPOLOGY_NAME_MAX];
	struct key key = {.scope = topology->scope, .id = name};

	topology_name(topology, &placed->place, name);
	if (cgroup && cgroup->path) {
		key.cgroup = cgroup->name;
		if (key.scope == AGGR_TOTAL) {
			key.scope = AGGR_CGROUP;
			key.id = cgroup->name;
		}
	}
	key.joined = before && before->block == placed->block &&
		     (topology->scope == AGGR_CPU || place_compare(&before->place, &placed->place) == 0);
	return add_like(map, &key);
}

void aggr_map_cpus(struct aggr_map *map, struct topology *topology, const struct cgroup_set *cgroups,
		   const struct slot *slots, size_t n_slots)
{
	auto_free struct placed *sorted = xcalloc(n_slots, sizeof(*sorted));
	auto_free size_t *key_of = xcalloc(n_slots, sizeof(*key_of));
	bool counts = topology->scope != AGGR_CPU && topology->scope != AGGR_TOTAL;

	*map = (struct aggr_map){.keys = NULL};
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
			add_placed(map, topology, cgroups ? &cgroups->v[placed->cgroup] : NULL, placed, before);

		if (counts && !(before && before->cpu == placed->cpu && before->cgroup == placed->cgroup))
			key->count++;
		key_of[placed->slot] = (size_t)(key - map->keys);
	}
	if (n_slots)
		memcpy(map->key_of, key_of, n_slots * sizeof(*key_of));
}

struct key *aggr_map_add_new(struct aggr_map *map, enum aggr_mode scope, const char *id)
{
	aggr_map_skip(map);
	return aggr_map_show(map, map->n_slots - 1, scope, id);
}

void aggr_map_skip(struct aggr_map *map)
{
	*ARRAY_PUSH(map->key_of, map->n_slots) = SIZE_MAX;
}

struct key *aggr_map_show(struct aggr_map *map, size_t slot, enum aggr_mode scope, const char *id)
{
	struct key *key = ARRAY_PUSH(map->keys, map->n_keys);

	key->scope = scope;
	key->id = xstrdup(id);
	map->key_of[slot] = map->n_keys - 1;
	return key;
}

static void key_free(struct key *key)
{
	free(key->id);
	free(key->cgroup);
	free(key->comm);
	free(key->obstacle);
	free(key->remark);
}

/* ---- the order of the rows ---- */

struct ranked {
	struct key key;
	uint64_t value;
	size_t before; /* its index before sorting */
};

/* The row of the others comes after the rows of tasks; the row of unattributed work is the last one. */
static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order = a->key.rest - b->key.rest;

	if (order == 0)
		order = (a->key.others > 0) - (b->key.others > 0);
	if (order == 0)
		order = (a->value < b->value) - (a->value > b->value);
	return order ? order : (a->before > b->before) - (a->before < b->before);
}

static struct ranked *rank_keys(const struct counts *counts, const struct aggr_map *map, size_t event)
{
	struct ranked *ranked = xcalloc(map->n_keys, sizeof(*ranked));

	for (size_t k = 0; k < map->n_keys; k++)
		ranked[k] = (struct ranked){map->keys[k], 0, k};
	for (size_t slot = 0; slot < map->n_slots; slot++) {
		size_t key = map->key_of[slot];
		uint64_t value = sample_scale(counts_at(counts, slot, event)->sample);

		if (key != SIZE_MAX)
			ranked[key].value = count_add(ranked[key].value, value);
	}
	qsort(ranked, map->n_keys, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* Merges the keys from the top-th to the n-th into one. */
static void merge_others(struct aggr_map *map, size_t top, size_t n)
{
	struct key others = {.scope = map->keys[top].scope, .own = true};

	for (size_t k = top; k < n; k++) {
		others.count += map->keys[k].count;
		others.others += map->keys[k].others ? map->keys[k].others : 1;
		key_free(&map->keys[k]);
	}
	others.id = xasprintf("(%zu others)", others.others);
	if (others.scope == AGGR_CGROUP)
		others.cgroup = xstrdup(others.id);
	else if (others.scope != AGGR_COMM)
		others.comm = xstrdup(others.id);
	map->keys[top] = others;
	memmove(map->keys + top + 1, map->keys + n, (map->n_keys - n) * sizeof(*map->keys));
	map->n_keys -= n - top - 1;
	for (size_t slot = 0; slot < map->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX && map->key_of[slot] >= n)
			map->key_of[slot] -= n - top - 1;
		else if (map->key_of[slot] != SIZE_MAX && map->key_of[slot] > top)
			map->key_of[slot] = top;
}

struct ranking ranking_of(const struct ranking *ranking, size_t n_rows)
{
	struct ranking applied = {.event = ranking->event, .top = ranking->top};

	if (!ranking->top && ranking->most && n_rows > ranking->most + 1) {
		applied.top = ranking->most;
		applied.event = ranking->event == SIZE_MAX ? ranking->by : ranking->event;
	}
	return applied;
}

void ranking_apply(const struct ranking *wanted, const struct counts *counts, struct aggr_map *map)
{
	auto_free struct ranked *ranked = NULL;
	auto_free size_t *now = NULL;
	struct ranking ranking;
	size_t n_rows = 0, n_rest = 0;

	for (size_t k = 0; k < map->n_keys; k++) {
		n_rest += map->keys[k].rest;
		n_rows += map->keys[k].others ? map->keys[k].others : !map->keys[k].rest;
	}
	ranking = ranking_of(wanted, n_rows);
	if (ranking.event == SIZE_MAX || map->n_keys == 0)
		return;
	ranked = rank_keys(counts, map, ranking.event);
	now = xcalloc(map->n_keys, sizeof(*now));
	for (size_t k = 0; k < map->n_keys; k++) {
		map->keys[k] = ranked[k].key;
		now[ranked[k].before] = k;
	}
	for (size_t slot = 0; slot < map->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			map->key_of[slot] = now[map->key_of[slot]];
	if (ranking.top && ranking.top + 1 < map->n_keys - n_rest)
		merge_others(map, ranking.top, map->n_keys - n_rest);
}

void aggr_map_free(struct aggr_map *map)
{
	for (size_t i = 0; i < map->n_keys; i++)
		key_free(&map->keys[i]);
	free(map->keys);
	free(map->key_of);
	free(map->buckets);
	*map = (struct aggr_map){0};
}
