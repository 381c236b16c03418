/* The calls that a thread is in, the innermost one last, and the counts of those that end. */
#include <stdlib.h>
#include <string.h>

#include "calls/calls_internal.h"
#include "lib/util.h"

static uint64_t *at_entry(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return t->values + 2 * frame * c->n_values;
}

static uint64_t *within(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return at_entry(c, t, frame) + c->n_values;
}

void calls_push(const struct calls *c, struct call_thread *t, size_t function, uint64_t sp)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 8;
		t->frames = xreallocarray(t->frames, t->room, sizeof(*t->frames));
		t->values = xreallocarray(t->values, t->room, 2 * c->n_values * sizeof(*t->values));
	}
	t->frames[t->n++] = (struct frame){.function = function, .sp = sp};
	memcpy(at_entry(c, t, t->n - 1), t->now, c->n_values * sizeof(*t->now));
	memset(within(c, t, t->n - 1), 0, c->n_values * sizeof(*t->now));
}

static void add_kinds(uint64_t *to, const uint64_t *from)
{
	for (size_t k = 0; k < CALL_KINDS; k++)
		to[k] += from[k];
}

/* Takes the innermost call off. */
static void pop(const struct calls *c, struct call_thread *t, bool paired)
{
	struct frame gone = t->frames[--t->n];
	enum call_kind kind = calls_kind(c, gone.function);
	struct frame *outer = t->n ? calls_top(t) : NULL;
	bool jumped = paired && outer && outer->sp == gone.sp && gone.sp && kind != CALL_PAIR;

	if (!outer)
		return;
	if (paired) {
		outer->nested[kind]++;
		outer->direct[kind]++;
		outer->jumps[kind] += jumped;
		outer->direct_jumps[kind] += jumped;
	} else {
		outer->lost[kind]++;
		outer->direct_lost[kind]++;
		for (size_t k = 0; k < CALL_KINDS; k++) /* it did not return with them */
			gone.jumps[k] -= gone.direct_jumps[k];
	}
	add_kinds(outer->nested, gone.nested);
	add_kinds(outer->jumps, gone.jumps);
	add_kinds(outer->lost, gone.lost);
}

/* ---- calls that return ---- */

/* True if the innermost call is within another one of the same function. */
static bool is_recursive(const struct call_thread *t)
{
	for (size_t i = t->n - 1; i-- > 0;)
		if (t->frames[i].function == calls_top(t)->function)
			return true;
	return false;
}

static void take_value(const struct calls *c, const struct call_thread *t, size_t i, struct call_value *value)
{
	const struct frame *frame = calls_top(t);
	uint64_t raw = t->now[i] - at_entry(c, t, t->n - 1)[i], others = within(c, t, t->n - 1)[i];
	int64_t cost = calls_whole_cost(c, frame, i), own_cost = calls_exclusive_cost(c, frame, i);
	bool bound = calls_cost_is_bound(c, frame, i), has_lost = false;

	for (size_t k = 0; k < CALL_KINDS; k++)
		has_lost |= frame->lost[k] > 0;
	if (frame->may_be_first && calls_cost(c, frame->function, i).first)
		bound = value->first_unknown = true;
	value->least |= bound;
	value->exclusive_least |= bound || has_lost;
	value->contradicts |= !bound && !has_lost && ((int64_t)raw < cost || (int64_t)(raw - others) < own_cost);
	distribution_add(&value->each, calls_sub(raw, cost));
	value->exclusive += calls_sub(raw, (int64_t)others + own_cost);
	if (is_recursive(t))
		return;
	value->total += calls_sub(raw, cost);
	value->cost += calls_sub(raw, (int64_t)calls_sub(raw, cost));
}

void calls_take(struct calls *c, struct call_thread *t)
{
	const struct frame *frame = calls_top(t);
	struct call_counts *f = &c->functions[frame->function];
	struct calibration *calibration = f->calls ? NULL : calls_calibration(c, frame->function);
	uint64_t *outer = t->n > 1 ? within(c, t, t->n - 2) : NULL;

	f->calls++;
	f->again |= frame->entries > 0;
	for (size_t k = 0; k < CALL_KINDS; k++)
		f->jumped |= frame->jumps[k] > 0;
	for (size_t i = 0; i < c->n_values; i++) {
		uint64_t raw = t->now[i] - at_entry(c, t, t->n - 1)[i];

		if (outer)
			outer[i] += raw;
		if (calibration) /* the first call takes longer */
			calibration->first[i] = raw;
		else
			take_value(c, t, i, &f->values[i]);
	}
	pop(c, t, true);
}

/* ---- calls that are lost ---- */

/* The work since the innermost call's entry belongs to it or to the call around it, which is unknown. */
static void hide_work(const struct calls *c, const struct call_thread *t)
{
	for (size_t i = 0; i < c->n_values && t->n > 1; i++)
		within(c, t, t->n - 2)[i] += t->now[i] - at_entry(c, t, t->n - 1)[i];
}

void calls_drop(struct calls *c, struct call_thread *t, enum call_loss why)
{
	const struct frame *frame = calls_top(t);
	struct call_counts *f = &c->functions[frame->function];

	f->lost[why]++;
	f->lost[LOST_LEFT] += frame->entries;
	f->lost_is_estimate |= frame->entries > 0;
	if (why == LOST_LEFT && frame->sp)
		t->left[t->next_left++ % LEFT_MAX] = frame->sp;
	hide_work(c, t);
	pop(c, t, false);
}

void calls_drop_all(struct calls *c, struct call_thread *t, enum call_loss why)
{
	if (t->at_return)
		calls_settle(c, t, false);
	while (t->n)
		calls_drop(c, t, why);
}

void calls_drop_left(struct calls *c, struct call_thread *t, uint64_t sp)
{
	while (t->n && calls_top(t)->sp && calls_top(t)->sp < sp)
		calls_drop(c, t, LOST_LEFT);
}

size_t calls_find(const struct call_thread *t, size_t function, uint64_t sp)
{
	size_t n = t->n;

	while (n && !(t->frames[n - 1].sp == sp && t->frames[n - 1].function == function) &&
	       (t->frames[n - 1].sp == sp || !t->frames[n - 1].sp))
		n--;
	return n && t->frames[n - 1].sp == sp ? n : 0;
}

void calls_lose_within(const struct calls *c, struct call_thread *t, size_t function)
{
	enum call_kind kind = calls_kind(c, function);

	if (t->n == 0)
		return;
	calls_top(t)->lost[kind]++;
	calls_top(t)->direct_lost[kind]++;
	for (size_t i = 0; i < c->n_values; i++)
		within(c, t, t->n - 1)[i] = t->now[i] - at_entry(c, t, t->n - 1)[i];
}

/* ---- calls that are entered again ---- */

void calls_merge_again(struct calls *c, struct call_thread *t)
{
	const struct frame again = *calls_top(t);
	enum call_kind kind = calls_kind(c, again.function);
	struct frame *call;

	for (size_t i = 0; i < c->n_values; i++)
		within(c, t, t->n - 2)[i] += within(c, t, t->n - 1)[i];
	t->n--;
	call = calls_top(t);
	call->entries++;
	call->nested[kind]++;
	call->direct[kind]++;
	call->jumps[kind]++;
	add_kinds(call->nested, again.nested);
	add_kinds(call->direct, again.direct);
	add_kinds(call->jumps, again.jumps);
	add_kinds(call->direct_jumps, again.direct_jumps);
	add_kinds(call->lost, again.lost);
	add_kinds(call->direct_lost, again.direct_lost);
	call->first |= again.first;
	call->own_first |= again.own_first;
	call->may_be_first |= again.may_be_first;
}

/* The call below the innermost one was left before that one began. */
static void drop_below(struct calls *c, struct call_thread *t)
{
	size_t size = 2 * c->n_values * sizeof(*t->values);
	auto_free uint64_t *values = xmalloc(size);
	uint64_t *now = t->now;
	struct frame frame = *calls_top(t);

	memcpy(values, at_entry(c, t, t->n - 1), size);
	t->n--;
	t->now = values;
	calls_drop(c, t, LOST_LEFT);
	t->now = now;
	frame.again = false;
	memcpy(at_entry(c, t, t->n), values, size);
	t->frames[t->n++] = frame;
}

void calls_settle(struct calls *c, struct call_thread *t, bool chained)
{
	uint64_t *now = t->now;

	t->now = t->at_return;
	if (chained)
		calls_merge_again(c, t);
	else
		drop_below(c, t);
	calls_take(c, t);
	free(t->at_return);
	t->at_return = NULL;
	t->now = now;
}
