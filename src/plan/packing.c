#include "plan/packing.h"

#include <string.h>

#include "lib/util.h"
#include "os/kernel.h"

/* ---- relations between events ---- */

static bool is_of_topdown(const struct event *event)
{
	return event_is_slots(event) || event_needs_slots(event);
}

/* True if one cannot be counted without the other. */
static bool are_inseparable(const struct event *a, const struct event *b)
{
	return is_of_topdown(a) && is_of_topdown(b) && a->attr.type == b->attr.type &&
	       event_modes_equal(&a->attr, &b->attr);
}

/* True for counts that are divided by one another, or are inseparable: the events of one row should be in one group. */
static bool are_partners(const struct event *a, const struct event *b)
{
	static const uint64_t families[][4] = {
		{PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_MISSES,
		 PERF_COUNT_HW_BRANCH_MISSES},
		{PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES,
		 PERF_COUNT_HW_CACHE_MISSES},
	};

	if (are_inseparable(a, b))
		return true;
	if (a->attr.type != b->attr.type || event_pmu_type(a) != event_pmu_type(b) ||
	    !event_modes_equal(&a->attr, &b->attr))
		return false;
	if (a->attr.type == PERF_TYPE_HW_CACHE) /* the same cache and operation: accesses and misses */
		return (a->attr.config & 0xffff) == (b->attr.config & 0xffff);
	if (a->attr.type != PERF_TYPE_HARDWARE)
		return false;
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		bool has_a = false, has_b = false;

		for (size_t i = 0; i < ARRAY_SIZE(families[f]); i++) {
			has_a |= families[f][i] == (a->attr.config & UINT32_MAX);
			has_b |= families[f][i] == (b->attr.config & UINT32_MAX);
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

void members_put_leader(const struct event *events, size_t *members, size_t n)
{
	size_t leader = n;
	bool any = false;

	for (size_t i = n; i-- > 0;) {
		any |= event_needs_slots(&events[members[i]]);
		if (event_is_slots(&events[members[i]]))
			leader = i;
	}
	for (; any && leader < n && leader > 0; leader--) {
		size_t other = members[leader - 1];

		members[leader - 1] = members[leader];
		members[leader] = other;
	}
}

/* refused: as for a plan_probe. */
static bool ask(const struct packing *p, const size_t *members, size_t n, bool *refused)
{
	auto_free const struct event **events = xcalloc(n, sizeof(*events));
	auto_free size_t *order = xcalloc(n, sizeof(*order));
	auto_free bool *said = xcalloc(n, sizeof(*said));
	size_t hardware = 0, led = 0; /* events that need the probe; members before the leader */
	bool fits;

	if (n)
		memcpy(order, members, n * sizeof(*order));
	members_put_leader(p->plan->events, order, n);
	while (led < n && members[led] != order[0])
		led++;
	for (size_t i = 0; i < n; i++) {
		events[i] = &p->plan->events[order[i]];
		hardware += event_is_hardware(events[i]) && !(p->at_once && p->at_once[order[i]]);
	}
	fits = hardware < (p->ask_of_single ? 1 : 2) || !p->options->probe ||
	       plan_ask(p->plan, p->options, events, n, refused ? said : NULL);
	for (size_t i = 0; i < n && refused; i++)
		refused[i] = said[i < led ? i + 1 : i == led ? 0 : i];
	return fits;
}

bool packing_fits(const struct packing *p, const struct indices *a, const struct indices *b)
{
	size_t n = 0;
	auto_free size_t *members = xcalloc(a->n + (b ? b->n : 0), sizeof(*members));

	for (size_t i = 0; i < a->n; i++)
		members[n++] = a->v[i];
	for (size_t i = 0; b && i < b->n; i++)
		members[n++] = b->v[i];
	return ask(p, members, n, NULL);
}

/* ---- filling a group ---- */

static void bin_add(const struct packing *p, struct indices *bin, size_t u, bool *placed)
{
	for (size_t i = 0; i < p->units[u].n; i++)
		indices_add(bin, p->units[u].v[i]);
	placed[u] = true;
}

/* Adds units that fit in addition to the previous ones, with one probe. Returns false if other units may fit. */
static bool bin_fill_at_once(const struct packing *p, struct indices *bin, size_t first, bool *placed)
{
	auto_free size_t *members = xcalloc(p->plan->n_events, sizeof(*members));
	auto_free bool *refused = xcalloc(p->plan->n_events, sizeof(*refused));
	size_t n = 0, at = 0;
	bool known, parted = false;

	for (size_t u = first; u < p->n_units; u++)
		for (size_t i = 0; i < p->units[u].n && !placed[u]; i++)
			members[n++] = p->units[u].v[i];
	known = ask(p, members, n, refused);
	for (size_t u = first; u < p->n_units; u++) {
		size_t out = 0;

		if (placed[u])
			continue;
		for (size_t i = 0; i < p->units[u].n; i++)
			out += refused[at++];
		parted |= out && out < p->units[u].n; /* its other members took the place of another unit */
		if (u == first || (known && !out))
			bin_add(p, bin, u, placed);
	}
	return known && !parted;
}

/* Puts each unit into the first group that accepts it: one group after the other, from the units that are in none yet.
 */
static void bins_fill(struct packing *p)
{
	auto_free bool *placed = xcalloc(p->n_units, sizeof(*placed));

	for (size_t first = 0; first < p->n_units; first++) {
		struct indices *bin;

		if (placed[first])
			continue;
		bin = ARRAY_PUSH(p->bins, p->n_bins);
		if (bin_fill_at_once(p, bin, first, placed))
			continue;
		for (size_t u = first + 1; u < p->n_units; u++)
			if (!placed[u] && packing_fits(p, bin, &p->units[u]))
				bin_add(p, bin, u, placed);
	}
}

/* A part on one of several core PMUs belongs where the whole event does. */
static bool unit_is_of(const struct packing *p, const struct indices *unit, const struct indices *set)
{
	for (size_t i = 0; i < unit->n; i++) {
		int parent = p->plan->events[unit->v[i]].parent;

		if (indices_have(set, unit->v[i]) || (parent >= 0 && indices_have(set, (size_t)parent)))
			return true;
	}
	return false;
}

/* Makes one unit of the units with events of a set, as far as they fit together. */
static void join_units(struct packing *p, const struct indices *set)
{
	struct indices *whole = NULL;
	size_t n = 0;

	for (size_t u = 0; u < p->n_units; u++) {
		struct indices *unit = &p->units[u];

		if (!unit_is_of(p, unit, set))
			continue;
		if (!whole) {
			whole = unit;
		} else if (packing_fits(p, whole, unit)) {
			for (size_t i = 0; i < unit->n; i++)
				indices_add(whole, unit->v[i]);
			free(unit->v);
			*unit = (struct indices){.n = 0};
		}
	}
	for (size_t u = 0; u < p->n_units; u++)
		if (p->units[u].n)
			p->units[n++] = p->units[u];
	p->n_units = n;
}

static void join_like(struct packing *p, const struct indices *members,
		      bool (*alike)(const struct event *a, const struct event *b))
{
	for (size_t i = 0; i < members->n; i++) {
		struct indices like = {0};

		for (size_t k = i; k < members->n; k++)
			if (k == i || alike(&p->plan->events[members->v[i]], &p->plan->events[members->v[k]]))
				indices_add(&like, members->v[k]);
		if (like.n > 1)
			join_units(p, &like);
		free(like.v);
	}
}

/* Joins events that belong together: first the inseparable ones, then the sets, and then the remaining partners. */
static void make_units(struct packing *p, const struct indices *members)
{
	for (size_t i = 0; i < members->n; i++)
		indices_add(ARRAY_PUSH(p->units, p->n_units), members->v[i]);
	join_like(p, members, are_inseparable);
	for (size_t i = 0; i < p->plan->n_together; i++)
		join_units(p, &p->plan->together[i]);
	join_like(p, members, are_partners);
}

static int compare_indices(const void *a, const void *b)
{
	const size_t *i = a, *j = b;

	return (*i > *j) - (*i < *j);
}

/* Larger units first, otherwise the user's order. */
static int compare_units(const void *a, const void *b)
{
	const struct indices *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return compare_indices(x->v, y->v);
}

static int compare_bins(const void *a, const void *b)
{
	const struct indices *x = a, *y = b;

	return compare_indices(x->v, y->v);
}

/* Without events that belong together, filling the bins also finds that all events fit. */
static bool are_any_together(const struct packing *p, const struct indices *members)
{
	const struct event *events = p->plan->events;

	for (size_t i = 0; i < members->n; i++)
		for (size_t k = 0; k < i; k++)
			if (are_partners(&events[members->v[i]], &events[members->v[k]]))
				return true;
	return p->plan->n_together > 0;
}

void packing_make(struct packing *p, const struct indices *members)
{
	if (are_any_together(p, members) && packing_fits(p, members, NULL)) {
		for (size_t i = 0; i < members->n; i++)
			indices_add(p->n_bins ? p->bins : ARRAY_PUSH(p->bins, p->n_bins), members->v[i]);
		return;
	}
	make_units(p, members);
	if (p->units) /* there are members */
		qsort(p->units, p->n_units, sizeof(*p->units), compare_units);
	bins_fill(p);
	for (size_t i = 0; i < p->n_bins; i++)
		qsort(p->bins[i].v, p->bins[i].n, sizeof(*p->bins[i].v), compare_indices);
	qsort(p->bins, p->n_bins, sizeof(*p->bins), compare_bins);
}

void packing_free(struct packing *p)
{
	indices_free(p->units, p->n_units);
	indices_free(p->bins, p->n_bins);
}

/* ---- the largest part that fits ---- */

/* Keeps each member, from one end or the other, that fits in addition to the members already kept. */
static void keep_greedily(const struct packing *p, struct indices *kept, const struct indices *members, bool backwards)
{
	auto_free size_t *order = xcalloc(members->n, sizeof(*order));
	auto_free bool *refused = xcalloc(members->n, sizeof(*refused));
	bool at_once;

	for (size_t i = 0; i < members->n; i++)
		order[i] = members->v[backwards ? members->n - 1 - i : i];
	at_once = ask(p, order, members->n, refused);
	for (size_t i = 0; i < members->n; i++)
		if (at_once ? !refused[i] : packing_fits(p, kept, &(struct indices){&order[i], 1}))
			indices_add(kept, order[i]);
	if (kept->n)
		qsort(kept->v, kept->n, sizeof(*kept->v), compare_indices);
}

/* A member that excludes others is refused at the latest from the other end. */
void packing_find_largest(const struct packing *p, struct indices *kept, const struct indices *members)
{
	struct indices other = {0};

	keep_greedily(p, kept, members, false);
	if (kept->n + 1 < members->n)
		keep_greedily(p, &other, members, true);
	free(other.n > kept->n ? kept->v : other.v);
	if (other.n > kept->n)
		*kept = other;
}
