#include "ranking.h"

#include <stdint.h>
#include <stdlib.h>

#include "sample.h"
#include "util.h"

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

static struct ranked *rank_keys(const struct counts *counts, const struct grouping *grouping, size_t event)
{
	struct ranked *ranked = xcalloc(grouping->n_keys, sizeof(*ranked));

	for (size_t k = 0; k < grouping->n_keys; k++)
		ranked[k] = (struct ranked){grouping->keys[k], 0, k};
	for (size_t slot = 0; slot < grouping->n_slots; slot++)
		if (grouping->key_of[slot] != SIZE_MAX)
			ranked[grouping->key_of[slot]].value += sample_scale(counts_at(counts, slot, event)->sample);
	qsort(ranked, grouping->n_keys, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* What is merged already stays so. */
static void merge_others(struct grouping *grouping, size_t top)
{
	enum scope scope = grouping->keys[top].scope;
	auto_free char *name = NULL;
	size_t others = 0;

	for (size_t k = top; k < grouping->n_keys; k++)
		others += grouping->keys[k].others ? grouping->keys[k].others : 1;
	name = xasprintf("(%zu others)", others);
	for (size_t k = top; k < grouping->n_keys; k++) {
		free(grouping->keys[k].id);
		free(grouping->keys[k].comm);
	}
	grouping->keys[top] =
		(struct key){.scope = scope, .id = xstrdup(name), .comm = xstrdup(name), .others = others};
	grouping->n_keys = top + 1;
	for (size_t slot = 0; slot < grouping->n_slots; slot++)
		if (grouping->key_of[slot] != SIZE_MAX && grouping->key_of[slot] > top)
			grouping->key_of[slot] = top;
}

void ranking_apply(const struct ranking *ranking, const struct counts *counts, struct grouping *grouping)
{
	auto_free struct ranked *ranked = NULL;
	auto_free size_t *now = NULL;
	size_t last;

	if (ranking->event == SIZE_MAX || grouping->n_keys == 0)
		return;
	ranked = rank_keys(counts, grouping, ranking->event);
	now = xcalloc(grouping->n_keys, sizeof(*now));
	for (size_t k = 0; k < grouping->n_keys; k++) {
		grouping->keys[k] = ranked[k].key;
		now[ranked[k].before] = k;
	}
	for (size_t slot = 0; slot < grouping->n_slots; slot++)
		if (grouping->key_of[slot] != SIZE_MAX)
			grouping->key_of[slot] = now[grouping->key_of[slot]];
	last = grouping->n_keys - 1;
	if (ranking->top && (ranking->top < last || grouping->keys[last].others))
		merge_others(grouping, ranking->top < last ? ranking->top : last);
}
