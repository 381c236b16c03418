#include "count/counts.h"

#include <string.h>

#include "lib/util.h"

void counts_init(struct counts *counts, size_t n_slots, size_t n_events)
{
	*counts = (struct counts){.n_slots = n_slots, .n_events = n_events};
	counts->v = xcalloc(n_slots * n_events, sizeof(*counts->v));
}

static void free_mux_stats(struct counts *counts)
{
	for (size_t i = 0; counts->mux_stats && i < counts->n_slots * counts->n_groups; i++)
		mux_stats_free(counts->mux_stats[i]);
	free(counts->mux_stats);
	counts->mux_stats = NULL;
}

void counts_renew(struct counts *counts, size_t n_slots, size_t n_events)
{
	free_mux_stats(counts);
	if (!counts->v || counts->n_slots != n_slots || counts->n_events != n_events) {
		free(counts->v);
		counts_init(counts, n_slots, n_events);
	}
}

struct count *counts_at(const struct counts *counts, size_t slot, size_t event)
{
	return &counts->v[slot * counts->n_events + event];
}

const struct mux_stats *counts_mux_stats(const struct counts *counts, size_t slot, size_t group)
{
	return counts->mux_stats && slot < counts->n_slots ? counts->mux_stats[slot * counts->n_groups + group] : NULL;
}

static void subtract_mux_stats(struct counts *result, const struct counts *later, const struct counts *earlier)
{
	if (!later->mux_stats)
		return;
	result->n_groups = later->n_groups;
	result->mux_stats = xcalloc(later->n_slots * later->n_groups, sizeof(struct mux_stats *));
	for (size_t slot = 0; slot < later->n_slots; slot++)
		for (size_t g = 0; g < later->n_groups; g++) {
			const struct mux_stats *s = counts_mux_stats(later, slot, g);

			if (s)
				result->mux_stats[slot * later->n_groups + g] =
					mux_stats_since(s, counts_mux_stats(earlier, slot, g));
		}
}

void counts_subtract(struct counts *result, const struct counts *later, const struct counts *earlier)
{
	counts_renew(result, later->n_slots, later->n_events);
	memcpy(result->v, later->v, later->n_slots * later->n_events * sizeof(*later->v));
	for (size_t slot = 0; slot < earlier->n_slots && slot < later->n_slots; slot++)
		for (size_t event = 0; event < later->n_events; event++) {
			struct count *count = counts_at(result, slot, event);

			count->sample = sample_sub(count->sample, counts_at(earlier, slot, event)->sample);
		}
	subtract_mux_stats(result, later, earlier);
}

void counts_accumulate(struct counts *sum, const struct counts *added)
{
	size_t old = sum->n_slots * added->n_events, all = added->n_slots * added->n_events;

	if (all > old) {
		sum->v = xreallocarray(sum->v, all, sizeof(*sum->v));
		memset(sum->v + old, 0, (all - old) * sizeof(*sum->v));
		sum->n_slots = added->n_slots;
		sum->n_events = added->n_events;
	}
	for (size_t i = 0; i < all; i++) {
		struct sample before = sum->v[i].sample;

		sum->v[i] = added->v[i];
		sum->v[i].sample = sample_add(before, added->v[i].sample);
	}
}

void counts_cut(struct counts *earlier, struct counts *now, struct counts *interval)
{
	const struct counts later = *now;

	counts_subtract(interval, now, earlier);
	*now = *earlier;
	*earlier = later;
}

bool counts_is_any_open(const struct counts *counts)
{
	for (size_t i = 0; i < counts->n_slots * counts->n_events; i++)
		if (counts->v[i].open)
			return true;
	return false;
}

void counts_free(struct counts *counts)
{
	free_mux_stats(counts);
	free(counts->v);
	*counts = (struct counts){0};
}
