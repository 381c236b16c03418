/* The cost of the probes, from the calls of the empty functions. */
#include <stdlib.h>

#include "calls/calls_internal.h"
#include "lib/util.h"

void calls_init_calibrations(struct calls *c)
{
	for (size_t k = 0; k < CALL_KINDS; k++) {
		struct calibration *calibration = &c->calibrations[k];

		calibration->first = xcalloc(c->n_figures, sizeof(*calibration->first));
		calibration->last = xcalloc(c->n_figures, sizeof(*calibration->last));
		calibration->between = xcalloc(c->n_figures, sizeof(*calibration->between));
		calibration->costs = xcalloc(c->n_figures, sizeof(*calibration->costs));
	}
}

void calls_free_calibrations(struct calls *c)
{
	for (size_t k = 0; k < CALL_KINDS; k++) {
		for (size_t i = 0; i < c->n_figures; i++)
			distribution_free(&c->calibrations[k].between[i]);
		free(c->calibrations[k].first);
		free(c->calibrations[k].last);
		free(c->calibrations[k].between);
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
	for (size_t i = 0; i < c->n_figures; i++) {
		if (of->entries > 1) /* the first call takes longer */
			distribution_add(&of->between[i], now[i] - of->last[i]);
		of->last[i] = now[i];
	}
	of->entries++;
}

uint64_t calls_whole_cost(const struct calls *c, const struct frame *frame, size_t figure)
{
	const struct call_cost own = calls_cost(c, frame->function, figure);
	uint64_t sum = own.inside + (frame->first ? own.first : 0);

	for (size_t k = 0; k < CALL_KINDS; k++) {
		const struct call_cost *cost = &c->calibrations[k].costs[figure];

		sum += frame->nested[k] * cost->whole - frame->jumps[k] * cost->inside;
	}
	return sum;
}

uint64_t calls_exclusive_cost(const struct calls *c, const struct frame *frame, size_t figure, bool is_first)
{
	const struct call_cost own = calls_cost(c, frame->function, figure);
	uint64_t sum = own.inside + (is_first ? own.first : 0), twice = 0;

	for (size_t k = 0; k < CALL_KINDS; k++) {
		const struct call_cost *cost = &c->calibrations[k].costs[figure];

		sum += frame->direct[k] * (cost->whole - cost->inside);
		twice += frame->direct_jumps[k] * cost->inside;
	}
	return calls_sub(sum, twice);
}

/* Uses medians, since the thread may lose its CPU during a call. The additional cost of the first call is known only
 * for a figure that is equal in all other calls. */
static bool settle(struct calls *c, enum call_kind kind)
{
	const struct call_counts *f = &c->functions[CALIBRATION(c->n_functions, kind)];
	const struct calibration *from = &c->calibrations[kind];

	if (f->calls < 3)
		return false;
	for (size_t i = 0; i < c->n_figures; i++) {
		const struct distribution *each = &f->figures[i].each, *between = &from->between[i];
		struct call_cost *cost = &from->costs[i];

		cost->inside = (uint64_t)distribution_median(each);
		cost->whole = (uint64_t)distribution_median(between);
		if (cost->whole < cost->inside)
			cost->whole = cost->inside;
		cost->exact = each->min == each->max && between->min == between->max;
	}
	return true;
}

/* Only the first of all calls is the first in its process. */
bool calls_settle(struct calls *c)
{
	bool known = true;

	for (size_t k = 0; k < CALL_KINDS; k++)
		known &= settle(c, (enum call_kind)k);
	for (size_t i = 0; i < c->n_figures && known; i++) {
		const struct call_cost first = c->calibrations[0].costs[i];

		for (size_t k = 0; k < CALL_KINDS && first.exact; k++)
			c->calibrations[k].costs[i].first = calls_sub(c->calibrations[0].first[i], first.inside);
	}
	return known;
}

struct call_cost calls_cost(const struct calls *c, size_t function, size_t figure)
{
	return c->calibrations[calls_kind(c, function)].costs[figure];
}
