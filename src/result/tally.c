#include "result/tally.h"

#include "lib/util.h"

/* What the tallies are made of. */
struct sources {
	const struct plan *plan;
	const struct counts *counts;
	const struct tally_options *options;
};

static void tally_add(struct tally *t, const struct sources *sources, size_t slot, size_t event)
{
	bool bound_to_cpu = sources->plan->events[event].cpu >= 0 && sources->options->on_task;
	const struct count *count = counts_at(sources->counts, slot, event);
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
		struct estimate e =
			estimate_count(sources->plan, sources->counts, slot, event, sources->options->scaling);

		t->scaled |= sample_is_scaled(s);
		t->ran = sample_add(t->ran, (struct sample){e.value, s.enabled, s.running});
		t->variance = variance_add(t->variance, e.variance);
	}
}

void tally_all(struct tally *tallies, const struct plan *plan, const struct counts *counts, const struct aggr_map *map,
	       const struct tally_options *options)
{
	const struct sources sources = {plan, counts, options};
	size_t n = plan->n_events;

	for (size_t slot = 0; slot < counts->n_slots; slot++) {
		size_t key = map->key_of[slot];

		for (size_t i = 0; i < n && key != SIZE_MAX; i++) {
			struct tally *of_key = &tallies[key * n];
			int parent = plan->events[i].parent;

			if (plan->events[i].parts)
				continue;
			tally_add(&of_key[i], &sources, slot, i);
			if (parent >= 0)
				tally_add(&of_key[parent], &sources, slot, i);
		}
	}
}
