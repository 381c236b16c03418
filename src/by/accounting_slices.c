/* How unevenly the counts of groups that take turns came in, unit by unit. A slice ends when a unit has been charged
 * for half a turn of the group, or for less if the group was off its PMU then: in the time of a unit that shares its
 * CPU, turns are short. Nothing is kept of a unit before its first slice ends, so that thousands of short tasks take no
 * memory. */
#include <string.h>

#include "by/accounting_internal.h"

/* Parts of a turn. */
#define SLICE_MOST  2
#define SLICE_LEAST 8

static struct track *make_track(struct accounting *b, size_t unit, size_t group, uint64_t turn)
{
	const struct plan *plan = b->options.plan;
	size_t members = plan->groups[group].n;
	struct unit *u = &b->units[unit];
	struct track *track;

	if (!u->tracks)
		u->tracks = xcalloc(plan->n_groups, sizeof(*u->tracks));
	track = &u->tracks[group];
	if (!track->stats) {
		track->ended = xcalloc(members, sizeof(*track->ended));
		/* how long a cycle is depends on how much of the CPU the unit has */
		track->stats = mux_stats_new(members, (double)turn, 0);
	}
	return track;
}

static struct sample sample_since(const struct accounting *b, size_t unit, size_t group, size_t member)
{
	const struct track *track = b->units[unit].tracks ? &b->units[unit].tracks[group] : NULL;
	size_t event = b->options.plan->groups[group].members[member];
	struct sample ended = track && track->ended ? track->ended[member] : (struct sample){0};

	return sample_sub(accounting_figure(b, unit, event)->sum, ended);
}

/* Of the member that was charged most: those that could not be opened have nothing. */
static struct sample times_since(const struct accounting *b, size_t unit, size_t group)
{
	struct sample times = {0};

	for (size_t i = 0; i < b->options.plan->groups[group].n; i++) {
		struct sample since = sample_since(b, unit, group, i);

		if (since.running > times.running)
			times = since;
	}
	return times;
}

void accounting_end_slice(struct accounting *b, size_t unit, uint64_t turn, const size_t *events, size_t n,
			  bool rotated)
{
	const struct plan *plan = b->options.plan;
	auto_free double *rates = NULL;
	struct sample times;
	struct track *track;
	size_t i = 0, group;

	while (i < n && events[i] == SIZE_MAX)
		i++;
	if (!turn || unit == STRANGER || unit == 0 || i == n)
		return;
	group = (size_t)plan->group_of[events[i]];
	times = times_since(b, unit, group);
	if (times.running == 0 || times.running < turn / (rotated ? SLICE_LEAST : SLICE_MOST))
		return;
	track = make_track(b, unit, group, turn);
	rates = xcalloc(plan->groups[group].n, sizeof(*rates));
	for (i = 0; i < plan->groups[group].n; i++) {
		struct sample slice = sample_since(b, unit, group, i);

		rates[i] = slice.running ? (double)slice.value / (double)slice.running : 0;
		track->ended[i] = sample_add(track->ended[i], slice);
	}
	/* its turn is the last part of it */
	mux_stats_add(track->stats, rates, (double)times.running, (double)times.enabled,
		      (double)times.enabled - (double)times.running / 2);
}

void accounting_drop_slices(struct accounting *b, size_t unit)
{
	struct unit *u = &b->units[unit];

	for (size_t g = 0; u->tracks && g < b->options.plan->n_groups; g++) {
		free(u->tracks[g].ended);
		mux_stats_free(u->tracks[g].stats);
		mux_stats_free(u->tracks[g].reported);
	}
	free(u->tracks);
	u->tracks = NULL;
}

static struct mux_stats *take_track(struct track *track, bool part)
{
	struct mux_stats *stats;

	mux_stats_close(track->stats);
	if (!part)
		return mux_stats_copy(track->stats);
	stats = mux_stats_since(track->stats, track->reported);
	mux_stats_free(track->reported);
	track->reported = mux_stats_copy(track->stats);
	return stats;
}

void accounting_take_slices(const struct accounting *b, struct counts *counts, const size_t *units, bool part)
{
	const size_t n = b->options.plan->n_groups;

	for (size_t slot = 0; slot < counts->n_slots; slot++) {
		struct track *tracks = b->units[units ? units[slot] : slot].tracks;

		if (tracks && !counts->mux_stats) {
			counts->n_groups = n;
			counts->mux_stats = xcalloc(counts->n_slots * n, sizeof(struct mux_stats *));
		}
		for (size_t g = 0; tracks && g < n; g++)
			if (tracks[g].stats)
				counts->mux_stats[slot * n + g] = take_track(&tracks[g], part);
	}
}
