#include "rows/estimate.h"
#include "plan/rotation.h"

#include <math.h>

/* ---- one slot ---- */

/* The sum of the running times of a PMU's groups may differ from the enabled time by this share. */
#define GAPLESS 0.02

static size_t member_position(const struct plan_group *g, size_t event)
{
	size_t i = 0;

	while (i < g->n && g->members[i] != event)
		i++;
	return i;
}

/* The excess of the first slices over the rate of all later slices, in ns of the later rates; for groups that first ran
 * before this one, and events that count in these modes. */
struct excesses {
	double sum, squares;
	size_t n;
};

static struct excesses excesses_of_earlier(const struct estimates *t, size_t slot, double unseen,
					   const struct perf_event_attr *modes)
{
	struct excesses all = {0};

	for (size_t g = 0; g < t->plan->n_groups; g++) {
		const struct mux_stats *stats = counts_mux_stats(t->counts, slot, g);
		const struct plan_group *of = &t->plan->groups[g];

		if (mux_stats_slices(stats) < 2 || mux_stats_unseen(stats) > unseen / 2)
			continue;
		for (size_t i = 0; i < of->n; i++) {
			double excess = mux_stats_first_excess(stats, i, unseen);

			if (isnan(excess) || !event_modes_equal(&t->plan->events[of->members[i]].attr, modes))
				continue;
			all.sum += excess;
			all.squares += excess * excess;
			all.n++;
		}
	}
	return all;
}

double start_variance(const struct estimates *t, size_t slot, size_t group, size_t a, double ratio, size_t b)
{
	const struct mux_stats *stats = counts_mux_stats(t->counts, slot, group);
	const struct perf_event_attr *modes = &t->plan->events[t->plan->groups[group].members[a]].attr;
	double unseen = mux_stats_unseen(stats), rate_a, rate_b, square, product;
	struct excesses all;

	if (unseen <= 0)
		return 0;
	all = excesses_of_earlier(t, slot, unseen, modes);
	if (all.n == 0)
		return 0;
	square = product = all.squares / (double)all.n;
	if (all.n > 1)
		product = (all.sum * all.sum - all.squares) / ((double)all.n * ((double)all.n - 1));
	rate_a = mux_stats_rate(stats, a);
	rate_b = ratio * mux_stats_rate(stats, b);
	return square * (rate_a * rate_a + rate_b * rate_b) - 2 * product * rate_a * rate_b;
}

/* Returns the variance of `estimate`, the estimate of event - ratio * other, of one group. With fewer than three
 * slices, the error is taken to be as large as the estimate; among many slots these are few, with small counts. */
static struct variance difference_variance(const struct estimates *t, size_t slot, size_t event, double ratio,
					   size_t other, double estimate)
{
	size_t group = (size_t)t->plan->group_of[event];
	const struct plan_group *g = &t->plan->groups[group];
	size_t a = member_position(g, event), b = member_position(g, other);
	const struct mux_stats *stats = counts_mux_stats(t->counts, slot, group);
	struct sample s = counts_at(t->counts, slot, event)->sample;
	struct variance variance;

	if (mux_stats_slices(stats) < 3)
		return (struct variance){.value = estimate * estimate, .slices = mux_stats_slices(stats)};
	variance = estimate_variance(mux_stats_of(stats, a, ratio, b), (double)s.running, (double)s.enabled);
	variance.value += start_variance(t, slot, group, a, ratio, b);
	return variance;
}

/* The anchor while a group was on the PMU, and all the time. */
struct anchor_counts {
	double scaled, whole;
};

/* Returns false if there is no anchor, or it was not counted the whole time. */
static bool find_anchor_counts(const struct estimates *t, size_t slot, size_t group, struct anchor_counts *anchor)
{
	const struct plan *plan = t->plan;
	struct sample s;
	double running = 0;

	*anchor = (struct anchor_counts){0};
	if (!plan->groups[group].has_anchor)
		return false;
	s = counts_at(t->counts, slot, plan->groups[group].anchor)->sample;
	for (size_t g = 0; g < plan->n_groups; g++) {
		const struct count *count;

		if (!rotation_same(plan, g, group))
			continue;
		if (!plan->groups[g].has_anchor)
			return false;
		count = counts_at(t->counts, slot, plan->groups[g].anchor);
		if (!count->open)
			return false;
		anchor->whole += (double)count->sample.value;
		running += (double)count->sample.running;
	}
	anchor->scaled = (double)sample_scale(s);
	return s.running > 0 && fabs(running / (double)s.enabled - 1) <= GAPLESS;
}

/* Returns the value of an event that ran on the slot, over the whole enabled time, and its variance if it is scaled. */
static uint64_t estimate_count(const struct estimates *t, size_t slot, size_t event, struct sample s,
			       struct variance *variance)
{
	uint64_t value = sample_scale(s);

	*variance = (struct variance){0};
	if (!sample_is_scaled(s))
		return s.value;
	*variance = difference_variance(t, slot, event, 0, event, (double)value);
	return value;
}

/* ---- all slots of a key ---- */

/* Adds the slots where the event could not be opened. first: the event's first slot of this key. */
static void estimate_add_refusals(struct estimate *t, const struct count *count, bool on_task, bool first)
{
	bool sum = count->cpus > 0;
	unsigned refused = sum ? count->refused : !on_task && !count->open;

	t->refused += !count->open;
	t->not_switched |= count->not_switched;
	if (refused && !t->cpus_refused)
		t->cpu = count->cpu;
	if (sum ? first : !on_task) { /* the slots of sums, one for each task, all have the same CPUs */
		t->cpus += sum ? count->cpus : 1;
		t->cpus_refused += refused;
	}
}

/* True if its group needs a PMU's counters, for which it may have waited. Others are never scaled. */
static bool may_wait(const struct plan *plan, size_t event)
{
	return plan->group_of[event] >= 0 && rotation_pmu(plan, (size_t)plan->group_of[event]) != UINT64_MAX;
}

static void estimate_add(struct estimate *t, const struct estimates *all, size_t slot, size_t event, bool first)
{
	bool bound_to_cpu = all->plan->events[event].cpu >= 0 && all->on_task;
	const struct count *count = counts_at(all->counts, slot, event);
	struct sample s = count->sample;

	if (count->elsewhere)
		return;
	if (s.running != s.enabled && !may_wait(all->plan, event)) /* whatever the kernel's times are */
		s.running = s.enabled;
	if (all->plan->group_of[event] >= 0) {
		unsigned pass = all->plan->groups[all->plan->group_of[event]].pass;

		t->passes |= t->slots && t->pass != pass;
		t->pass = pass;
	}
	t->slots++;
	if (count->error && !t->error)
		t->error = count->error;
	t->no_fit |= count->no_fit;
	t->no_counter |= count->no_counter;
	estimate_add_refusals(t, count, all->on_task, first);
	if (!count->open)
		return;
	t->open = true;
	if (count->error && !count->refused)
		t->read_error = count->error;
	t->gone |= count->gone;
	t->came |= count->came;
	t->stopped |= count->stopped;
	t->apart |= count->apart;
	t->before_exec |= count->before_exec && s.value;
	t->unattributed |= count->unattributed;
	t->may_include_others |= count->may_include_others;
	if (count->may_miss_up_to > t->may_miss_up_to) /* the slots of a key share the same unattributed work */
		t->may_miss_up_to = count->may_miss_up_to;
	t->may_miss_more |= count->may_miss_more;
	t->partly_in_rest |= count->partly_in_rest;
	t->uncounted |= count->uncounted;
	t->user_only |= count->user_only;
	t->raw = sample_add(t->raw, count->sample);
	if (bound_to_cpu) {
		/* a task's event bound to a CPU runs only while the task is there: not multiplexed, and complete */
		t->ran = sample_add(t->ran, (struct sample){s.value, s.enabled, s.enabled});
	} else if (sample_is_starved(s)) {
		t->starved_for += s.enabled;
	} else {
		struct variance variance;
		uint64_t value = estimate_count(all, slot, event, s, &variance);

		t->scaled |= sample_is_scaled(s);
		t->ran = sample_add(t->ran, (struct sample){value, s.enabled, s.running});
		t->variance = variance_add(t->variance, variance);
	}
}

static void estimates_add_slot(struct estimates *t, struct estimate *of_key, size_t slot)
{
	for (size_t i = 0; i < t->plan->n_events; i++) {
		int parent = t->plan->events[i].parent;
		bool first = of_key[i].slots == 0;

		if (t->plan->events[i].parts)
			continue;
		estimate_add(&of_key[i], t, slot, i, first);
		if (parent >= 0)
			estimate_add(&of_key[parent], t, slot, i, first);
	}
}

/* A slot whose key is SIZE_MAX is in no row. */
static void estimates_sort_slots(struct estimates *t, const struct aggr_map *map)
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

void estimates_make(struct estimates *t, const struct plan *plan, const struct counts *counts,
		    const struct aggr_map *map, bool on_task)
{
	size_t n = plan->n_events;

	*t = (struct estimates){.plan = plan, .counts = counts, .on_task = on_task};
	t->v = xcalloc(map->n_keys, n * sizeof(*t->v));
	t->counted = xcalloc(n, sizeof(*t->counted));
	for (size_t slot = 0; slot < counts->n_slots; slot++)
		if (map->key_of[slot] != SIZE_MAX)
			estimates_add_slot(t, &t->v[map->key_of[slot] * n], slot);
	for (size_t i = 0; i < map->n_keys * n; i++)
		t->counted[i % n] |= t->v[i].slots > 0;
	if (counts->mux_stats)
		estimates_sort_slots(t, map);
}

const struct estimate *estimates_at(const struct estimates *t, size_t key, size_t event)
{
	return &t->v[key * t->plan->n_events + event];
}

bool estimate_is_partly_unattributed(const struct estimate *estimate)
{
	return estimate->may_miss_more && !estimate->unattributed;
}

bool estimate_is_short(const struct estimate *estimate, enum aggr_mode scope)
{
	bool as_such = estimate->slots == 1, of_all = scope == AGGR_TOTAL && !estimate->may_include_others;

	return (estimate->may_miss_up_to || estimate->may_miss_more) &&
	       !(estimate->unattributed && (as_such || of_all));
}

bool estimate_is_lower_bound(const struct estimate *estimate)
{
	return estimate->stopped || estimate->uncounted || (estimate->partly_in_rest && !estimate->unattributed);
}

bool estimate_is_excluded(const struct estimate *estimate, const struct event *event)
{
	return event_is_excluded(event) && (event->user_side || estimate->raw.value == 0);
}

bool estimate_is_inexact(const struct estimate *estimate)
{
	return estimate->scaled || estimate->starved_for || estimate->before_exec || estimate->passes ||
	       estimate_is_partly_unattributed(estimate);
}

double estimates_ratio_error(const struct estimates *t, size_t key, size_t event, size_t other)
{
	double a = (double)estimates_at(t, key, event)->ran.value, b = (double)estimates_at(t, key, other)->ran.value;
	struct variance variance = {0};

	if (!t->slots || a <= 0 || b <= 0)
		return NAN;
	for (size_t i = t->first[key]; i < t->first[key + 1]; i++) {
		struct sample of_event = counts_at(t->counts, t->slots[i], event)->sample;
		struct sample of_other = counts_at(t->counts, t->slots[i], other)->sample;
		double difference = (double)sample_scale(of_event) - a / b * (double)sample_scale(of_other);

		if (sample_is_scaled(of_event))
			variance = variance_add(variance,
						difference_variance(t, t->slots[i], event, a / b, other, difference));
	}
	return variance_half_width(variance) / a;
}

bool estimates_anchor_error(const struct estimates *t, size_t key, size_t group, double *error)
{
	double scaled = 0, whole = 0;

	if (!t->slots || !t->plan->groups[group].has_anchor)
		return false;
	for (size_t i = t->first[key]; i < t->first[key + 1]; i++) {
		struct anchor_counts anchor;

		if (!find_anchor_counts(t, t->slots[i], group, &anchor))
			continue;
		scaled += anchor.scaled;
		whole += anchor.whole;
	}
	*error = scaled / whole - 1;
	return whole > 0;
}

void estimates_free(struct estimates *t)
{
	free(t->v);
	free(t->counted);
	free(t->slots);
	free(t->first);
	*t = (struct estimates){0};
}
