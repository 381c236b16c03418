#include "result/together.h"

#include <math.h>

#include "lib/util.h"
#include "result/estimate.h"

void together_init(struct together *t, const struct plan *plan, const struct counts *counts, const struct aggr_map *map)
{
	size_t *next;

	*t = (struct together){.plan = plan, .counts = counts};
	if (!counts->mux_stats) /* nothing was multiplexed: nobody will ask */
		return;
	t->slots = xcalloc(counts->n_slots, sizeof(*t->slots));
	t->first = xcalloc(map->n_keys + 2, sizeof(*t->first));
	next = t->first + 1;
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX) /* else it is in no row */
			next[map->key_of[slot] + 1]++;
	for (size_t key = 1; key <= map->n_keys; key++)
		next[key] += next[key - 1];
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			t->slots[next[map->key_of[slot]]++] = slot;
}

double together_ratio_error(const struct together *t, size_t key, size_t event, double a, size_t other, double b)
{
	struct variance variance = {0};

	if (!t->slots || a <= 0 || b <= 0)
		return NAN;
	for (size_t i = t->first[key]; i < t->first[key + 1]; i++)
		variance = variance_add(variance,
					estimate_difference(t->plan, t->counts, t->slots[i], event, a / b, other));
	return variance_half_width(variance) / a;
}

bool together_anchor_error(const struct together *t, size_t key, size_t group, double *error)
{
	double scaled = 0, whole = 0;

	if (!t->slots || !t->plan->groups[group].has_anchor)
		return false;
	for (size_t i = t->first[key]; i < t->first[key + 1]; i++) {
		struct anchor_share share;

		if (!estimate_anchor(t->plan, t->counts, t->slots[i], group, &share))
			continue;
		scaled += share.scaled;
		whole += share.whole;
	}
	*error = scaled / whole - 1;
	return whole > 0;
}

void together_free(struct together *t)
{
	free(t->slots);
	free(t->first);
	*t = (struct together){0};
}
