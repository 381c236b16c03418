#include "result/tally.h"

#include <math.h>

#include "lib/util.h"

static void tally_add(struct tally *t, const struct tallies *all, size_t slot, size_t event)
{
	bool bound_to_cpu = all->plan->events[event].cpu >= 0 && all->on_task;
	const struct count *count = counts_at(all->counts, slot, event);
	struct sample s = count->sample;

	if (count->elsewhere)
		return;
	t->slots++;
	if (count->error && !t->error)
		t->error = count->error;
	t->no_fit |= count->no_fit;
	t->no_counter |= count->no_counter;
	if (!count->open) {
		t->refused++;
		return;
	}
	t->open = true;
	if (count->error)
		t->read_error = count->error;
	t->ended |= count->ended;
	t->user_only |= count->user_only;
	t->raw = sample_add(t->raw, s);
	if (bound_to_cpu) {
		/* a task's event bound to a CPU runs only while the task is there: not multiplexed, and complete */
		t->ran = sample_add(t->ran, (struct sample){s.value, s.enabled, s.enabled});
	} else if (sample_is_starved(s)) {
		t->starved_for += s.enabled;
	} else {
		struct estimate e = estimate_count(all->plan, all->counts, slot, event, all->scaling);

		t->scaled |= sample_is_scaled(s);
		t->ran = sample_add(t->ran, (struct sample){e.value, s.enabled, s.running});
		t->variance = variance_add(t->variance, e.variance);
	}
}

static void add_slot(struct tallies *t, struct tally *of_key, size_t slot)
{
	for (size_t i = 0; i < t->plan->n_events; i++) {
		int parent = t->plan->events[i].parent;

		if (t->plan->events[i].parts)
			continue;
		tally_add(&of_key[i], t, slot, i);
		if (parent >= 0)
			tally_add(&of_key[parent], t, slot, i);
	}
}

/* A slot whose key is SIZE_MAX is in no row. */
static void sort_slots(struct tallies *t, const struct aggr_map *map)
{
	size_t n = t->counts->n_slots, *next;

	t->slots = xcalloc(n, sizeof(*t->slots));
	t->first = xcalloc(map->n_keys + 2, sizeof(*t->first));
	next = t->first + 1;
	for (size_t slot = 0; slot < n; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			next[map->key_of[slot] + 1]++;
	for (size_t key = 1; key <= map->n_keys; key++)
		next[key] += next[key - 1];
	for (size_t slot = 0; slot < n; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			t->slots[next[map->key_of[slot]]++] = slot;
}

void tallies_make(struct tallies *t, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
		  enum scaling scaling, bool on_task)
{
	size_t n = plan->n_events;

	*t = (struct tallies){.plan = plan, .counts = counts, .scaling = scaling, .on_task = on_task};
	t->v = xcalloc(map->n_keys, n * sizeof(*t->v));
	t->counted = xcalloc(n, sizeof(*t->counted));
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			add_slot(t, &t->v[map->key_of[slot] * n], slot);
	for (size_t i = 0; i < map->n_keys * n; i++)
		t->counted[i % n] |= t->v[i].slots > 0;
	if (counts->mux_stats)
		sort_slots(t, map);
}

const struct tally *tallies_at(const struct tallies *t, size_t key, size_t event)
{
	return &t->v[key * t->plan->n_events + event];
}

double tallies_ratio_error(const struct tallies *t, size_t key, size_t event, size_t other)
{
	double a = (double)tallies_at(t, key, event)->ran.value, b = (double)tallies_at(t, key, other)->ran.value;
	struct variance variance = {0};

	if (!t->slots || a <= 0 || b <= 0)
		return NAN;
	for (size_t i = t->first[key]; i < t->first[key + 1]; i++)
		variance = variance_add(variance,
					estimate_difference(t->plan, t->counts, t->slots[i], event, a / b, other));
	return variance_half_width(variance) / a;
}

bool tallies_anchor_error(const struct tallies *t, size_t key, size_t group, double *error)
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

void tallies_free(struct tallies *t)
{
	free(t->v);
	free(t->counted);
	free(t->slots);
	free(t->first);
	*t = (struct tallies){0};
}
