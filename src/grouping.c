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
static size_t hash_key(enum scope scope, const char *id)
{
	uint64_t hash = 0xcbf29ce484222325u ^ scope;

	for (; *id; id++)
		hash = (hash ^ (unsigned char)*id) * 0x100000001b3u;
	return (size_t)(hash ^ hash >> 32);
}

/* The bucket that holds the key, or the free one where it belongs. */
static size_t *find_bucket(const struct grouping *grouping, enum scope scope, const char *id)
{
	size_t mask = grouping->n_buckets - 1;

	for (size_t i = hash_key(scope, id) & mask;; i = (i + 1) & mask) {
		const struct key *key;

		if (!grouping->buckets[i])
			return &grouping->buckets[i];
		key = &grouping->keys[grouping->buckets[i] - 1];
		if (key->scope == scope && strcmp(key->id, id) == 0)
			return &grouping->buckets[i];
	}
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
		*find_bucket(grouping, grouping->keys[k].scope, grouping->keys[k].id) = k + 1;
}

struct key *grouping_add(struct grouping *grouping, enum scope scope, const char *id)
{
	size_t *bucket;

	grow_buckets(grouping);
	bucket = find_bucket(grouping, scope, id);
	if (!*bucket) {
		struct key *key = ARRAY_PUSH(grouping->keys, grouping->n_keys);

		key->scope = scope;
		key->id = xstrdup(id);
		*bucket = grouping->n_keys;
	}
	*ARRAY_PUSH(grouping->key_of, grouping->n_slots) = *bucket - 1;
	return &grouping->keys[*bucket - 1];
}

struct placed {
	struct place place;
	int cpu;
	size_t slot;
};

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = place_compare(&a->place, &b->place);

	return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void grouping_cpus(struct grouping *grouping, struct topology *topology, const int *cpus, size_t n_slots)
{
	auto_free struct placed *sorted = xcalloc(n_slots, sizeof(*sorted));
	auto_free size_t *key_of = xcalloc(n_slots, sizeof(*key_of));
	bool counts = topology->scope != SCOPE_CPU && topology->scope != SCOPE_TOTAL;

	*grouping = (struct grouping){.by_event = topology->scope == SCOPE_CPU};
	for (size_t i = 0; i < n_slots; i++)
		sorted[i] = (struct placed){*topology_place(topology, cpus[i]), cpus[i], i};
	qsort(sorted, n_slots, sizeof(*sorted), compare_placed);
	for (size_t i = 0; i < n_slots; i++) {
		char name[TOPOLOGY_NAME_MAX];
		struct key *key =
			grouping_add(grouping, topology->scope, topology_name(topology, &sorted[i].place, name));

		if (counts && (i == 0 || sorted[i - 1].cpu != sorted[i].cpu))
			key->count++;
		key_of[sorted[i].slot] = (size_t)(key - grouping->keys);
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
		free(grouping->keys[i].comm);
		free(grouping->keys[i].obstacle);
		free(grouping->keys[i].remark);
	}
	free(grouping->keys);
	free(grouping->key_of);
	free(grouping->buckets);
	*grouping = (struct grouping){0};
}
