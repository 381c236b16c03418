#include "count/ranking.h"

#include <stdint.h>
#include <stdlib.h>

#include "count/sample.h"
#include "lib/util.h"

struct ranked {
	struct key key;
	uint64_t value;
	size_t before; /* where it was */
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order = !!a->key.others - !!b->key.others;

	if (order == 0)
		order = (a->value < b->value) - (a->value > b->value);
	return order ? order : (a->before > b->before) - (a->before < b->before);
}

static struct ranked *rank_keys(const struct counts *counts, const struct aggr_map *map, size_t event)
{
	struct ranked *ranked = xcalloc(map->n_keys, sizeof(*ranked));

	for (size_t k = 0; k < map->n_keys; k++)
		ranked[k] = (struct ranked){map->keys[k], 0, k};
	for (size_t slot = 0; slot < map->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			ranked[map->key_of[slot]].value += sample_scale(counts_at(counts, slot, event)->sample);
	qsort(ranked, map->n_keys, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* What is merged already stays so. */
static void merge_others(struct aggr_map *map, size_t top)
{
	enum aggr_mode scope = map->keys[top].scope;
	auto_free char *name = NULL;
	size_t others = 0;

	for (size_t k = top; k < map->n_keys; k++)
		others += map->keys[k].others ? map->keys[k].others : 1;
	name = xasprintf("(%zu others)", others);
	for (size_t k = top; k < map->n_keys; k++) {
		free(map->keys[k].id);
		free(map->keys[k].comm);
	}
	map->keys[top] = (struct key){.scope = scope, .id = xstrdup(name), .comm = xstrdup(name), .others = others};
	map->n_keys = top + 1;
	for (size_t slot = 0; slot < map->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX && map->key_of[slot] > top)
			map->key_of[slot] = top;
}

void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct aggr_map *map)
{
	auto_free struct ranked *ranked = NULL;
	auto_free size_t *now = NULL;
	size_t last;

	if (ranking->event == SIZE_MAX || map->n_keys == 0)
		return;
	ranked = rank_keys(counts, map, ranking->event);
	now = xcalloc(map->n_keys, sizeof(*now));
	for (size_t k = 0; k < map->n_keys; k++) {
		map->keys[k] = ranked[k].key;
		now[ranked[k].before] = k;
	}
	for (size_t slot = 0; slot < map->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			map->key_of[slot] = now[map->key_of[slot]];
	last = map->n_keys - 1;
	if (ranking->top && (ranking->top < last || map->keys[last].others))
		merge_others(map, ranking->top < last ? ranking->top : last);
}
