/* The cost of the probes, from the calls of the empty functions. */
#include <stdlib.h>
#include <string.h>

#include "calls/calls_internal.h"
#include "lib/util.h"

void calls_init_calibrations(struct calls *c)
{
	for (size_t k = 0; k < CALL_KINDS; k++) {
		struct calibration *calibration = &c->calibrations[k];

		calibration->entries = 0;
		calibration->first = xcalloc(c->n_values, sizeof(*calibration->first));
		calibration->last = xcalloc(c->n_values, sizeof(*calibration->last));
		calibration->between = xcalloc(c->n_values, sizeof(*calibration->between));
		calibration->with_a_copy = xcalloc(c->n_values, sizeof(*calibration->with_a_copy));
		calibration->costs = xcalloc(c->n_values, sizeof(*calibration->costs));
	}
}

void calls_free_calibrations(struct calls *c)
{
	for (size_t k = 0; k < CALL_KINDS; k++) {
		for (size_t i = 0; i < c->n_values; i++) {
			distribution_free(&c->calibrations[k].between[i]);
			distribution_free(&c->calibrations[k].with_a_copy[i]);
		}
		free(c->calibrations[k].first);
		free(c->calibrations[k].last);
		free(c->calibrations[k].between);
		free(c->calibrations[k].with_a_copy);
		free(c->calibrations[k].costs);
	}
}

enum call_kind calls_kind(const struct calls *c, size_t function)
{
	return function < c->n_functions ? c->kinds[function] : (enum call_kind)(function - c->n_functions);
}

struct calibration *calls_calibration(struct calls *c, size_t function)
{
	return function < c->n_functions ? NULL : &c->calibrations[function - c->n_functions];
}

void calls_take_entry(const struct calls *c, struct calibration *of, const uint64_t *now)
{
	struct distribution *to = of->entries > CALIBRATION_CALLS ? of->with_a_copy : of->between;

	for (size_t i = 0; i < c->n_values; i++) {
		if (of->entries > 1) /* the first call takes longer */
			distribution_add(&to[i], now[i] - of->last[i]);
		of->last[i] = now[i];
	}
	of->entries++;
}

/* The most that a probe at an entry, with or without the probe at the return, can cost. */
static int64_t most(int64_t cost)
{
	return cost > 0 ? cost : 0;
}

int64_t calls_whole_cost(const struct calls *c, const struct frame *frame, size_t value)
{
	const struct call_cost own = calls_cost(c, frame->function, value);
	int64_t sum = own.inside + (frame->first ? own.first : 0);

	for (size_t k = 0; k < CALL_KINDS; k++) {
		const struct call_cost *cost = &c->calibrations[k].costs[value];

		sum += (int64_t)frame->nested[k] * cost->whole - (int64_t)frame->jumps[k] * cost->inside;
		sum += (int64_t)frame->lost[k] * most(cost->whole);
	}
	return sum;
}

int64_t calls_exclusive_cost(const struct calls *c, const struct frame *frame, size_t value)
{
	const struct call_cost own = calls_cost(c, frame->function, value);
	int64_t sum = own.inside + (frame->own_first ? own.first : 0);

	for (size_t k = 0; k < CALL_KINDS; k++) {
		const struct call_cost *cost = &c->calibrations[k].costs[value];

		sum += (int64_t)frame->direct[k] * (cost->whole - cost->inside) -
		       (int64_t)frame->direct_jumps[k] * cost->inside;
		sum += (int64_t)frame->direct_lost[k] * most(cost->whole - cost->inside);
	}
	return sum;
}

bool calls_cost_is_bound(const struct calls *c, const struct frame *frame, size_t value)
{
	bool bound = false;

	for (size_t k = 0; k < CALL_KINDS; k++)
		bound |= frame->lost[k] &&
			 (c->calibrations[k].costs[value].whole || c->calibrations[k].costs[value].inside);
	return bound;
}

static bool is_constant(const struct distribution *d)
{
	return d->n && d->min == d->max;
}

/* Uses medians, since the thread may lose its CPU during a call. The empty function's part of the cost is known only
 * for a value that is equal in all calls; in others it is small. */
static bool compute_costs(struct calls *c, enum call_kind kind)
{
	const struct call_counts *f = &c->functions[CALIBRATION(c->n_functions, kind)];
	const struct calibration *from = &c->calibrations[kind];

	if (f->calls < 3)
		return false;
	for (size_t i = 0; i < c->n_values; i++) {
		const struct distribution *each = &f->values[i].each, *between = &from->between[i];
		struct call_cost *cost = &from->costs[i];
		int64_t copy = 0;

		cost->inside = (int64_t)distribution_median(each);
		cost->whole = (int64_t)distribution_median(between);
		cost->exact = is_constant(each) && is_constant(between) && is_constant(&from->with_a_copy[i]);
		if (cost->exact)
			copy = (int64_t)(from->with_a_copy[i].min - between->min);
		else if (cost->whole < cost->inside)
			cost->whole = cost->inside;
		cost->inside -= kind == CALL_PAIR ? 0 : copy; /* nothing of the copy is between the two probes */
		cost->whole -= copy;
	}
	return true;
}

bool calls_have_kind(const enum call_kind *kinds, size_t n, enum call_kind kind)
{
	size_t i = 0;

	while (i < n && kinds[i] != kind)
		i++;
	return i < n;
}

/* All calls are in one process: what the first one takes in addition is the cost of a process's first stop. */
bool calls_compute_costs(struct calls *c)
{
	size_t first = 0;

	c->cost_known = true;
	while (first + 1 < CALL_KINDS && !calls_have_kind(c->kinds, c->n_functions, (enum call_kind)first))
		first++;
	for (size_t k = first; k < CALL_KINDS; k++)
		c->cost_known &= !calls_have_kind(c->kinds, c->n_functions, (enum call_kind)k) ||
				 compute_costs(c, (enum call_kind)k);
	for (size_t k = 0; k < CALL_KINDS && !c->cost_known; k++)
		memset(c->calibrations[k].costs, 0, c->n_values * sizeof(struct call_cost));
	for (size_t i = 0; i < c->n_values && c->cost_known; i++) {
		const struct distribution *each = &c->functions[CALIBRATION(c->n_functions, first)].values[i].each;
		int64_t surplus = (int64_t)(c->calibrations[first].first[i] - each->min);

		for (size_t k = 0; k < CALL_KINDS && c->calibrations[first].costs[i].exact; k++)
			c->calibrations[k].costs[i].first = surplus;
	}
	return c->cost_known;
}

bool calls_cost_is_known(const struct calls *c)
{
	return c->cost_known;
}

struct call_cost calls_cost(const struct calls *c, size_t function, size_t value)
{
	return c->calibrations[calls_kind(c, function)].costs[value];
}
