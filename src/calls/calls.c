#include "calls/calls_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define DEPTH_MAX 4096 /* the kernel follows 64 calls of a thread; more are stale */

/* A thread that has called a function, or the first thread of such a process. */
struct call_thread {
	struct call_thread *next; /* of its chain */
	pid_t pid, tid;
	bool is_warm;  /* of a process's first thread: the process has had its first stop */
	uint64_t *now; /* each value */
	struct call_hit hit;
	uint64_t groups; /* bits of the groups that have recorded the hit; 0 if all have */
	struct frame *frames;
	size_t n, room;
	uint64_t *values; /* for each frame: `now` at its entry, then the sum of the calls directly within it */
};

/* ---- life cycle ---- */

struct calls *calls_new(size_t n_functions, const enum call_kind *kinds, size_t n_events)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	c->n_functions = n_functions;
	c->n_values = n_events + 1;
	c->kinds = kinds;
	c->functions = xcalloc(n_functions + CALL_KINDS, sizeof(*c->functions));
	for (size_t f = 0; f < n_functions + CALL_KINDS; f++)
		c->functions[f].values = xcalloc(c->n_values, sizeof(struct call_value));
	c->owed = xcalloc(n_functions + CALL_KINDS, sizeof(*c->owed));
	calls_init_calibrations(c);
	return c;
}

static void clear_function(const struct calls *c, struct call_counts *f)
{
	for (size_t i = 0; i < c->n_values; i++) {
		distribution_free(&f->values[i].each);
		f->values[i] = (struct call_value){.total = 0};
	}
	f->calls = 0;
	f->jumped = false;
	memset(f->lost, 0, sizeof(f->lost));
}

static void free_thread(struct call_thread *thread)
{
	free(thread->now);
	free(thread->frames);
	free(thread->values);
	free(thread);
}

void calls_free(struct calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i], *next; t; t = next) {
			next = t->next;
			free_thread(t);
		}
	for (size_t f = 0; f < c->n_functions + CALL_KINDS; f++) {
		clear_function(c, &c->functions[f]);
		free(c->functions[f].values);
	}
	calls_free_calibrations(c);
	free(c->functions);
	free(c->owed);
	free(c);
}

/* ---- threads ---- */

struct call_thread *calls_thread(const struct calls *c, pid_t tid)
{
	struct call_thread *t = c->threads[(size_t)tid % CHAINS];

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static struct call_thread *find_thread(struct calls *c, pid_t pid, pid_t tid)
{
	struct call_thread *t = calls_thread(c, tid), **chain = &c->threads[(size_t)tid % CHAINS];

	if (t)
		return t;
	t = xcalloc(1, sizeof(*t));
	*t = (struct call_thread){.next = *chain, .pid = pid, .tid = tid, .now = xcalloc(c->n_values, sizeof(*t->now))};
	return *chain = t;
}

void calls_charge(struct call_thread *thread, size_t event, uint64_t added)
{
	thread->now[event] += added;
}

/* ---- frames ---- */

static uint64_t *at_entry(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return t->values + 2 * frame * c->n_values;
}

static uint64_t *within(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return at_entry(c, t, frame) + c->n_values;
}

/* n > 0 */
static struct frame *top(const struct call_thread *t)
{
	return &t->frames[t->n - 1];
}

/* Takes the innermost call off. */
static void pop(struct calls *c, struct call_thread *t, bool paired)
{
	const struct frame gone = t->frames[--t->n];
	enum call_kind kind = calls_kind(c, gone.function);
	struct frame *outer = t->n ? top(t) : NULL;
	bool jumped = paired && outer && outer->sp == gone.sp && gone.sp;

	if (!outer)
		return;
	outer->first |= gone.first && !paired;
	outer->nested[kind]++;
	outer->direct[kind] += paired;
	outer->jumps[kind] += jumped;
	outer->direct_jumps[kind] += jumped;
	for (size_t k = 0; k < CALL_KINDS; k++) {
		outer->nested[k] += gone.nested[k];
		outer->jumps[k] += gone.jumps[k];
	}
}

static void drop(struct calls *c, struct call_thread *t, enum call_loss why)
{
	c->functions[top(t)->function].lost[why]++;
	pop(c, t, false);
}

static void drop_all(struct calls *c, struct call_thread *t, enum call_loss why)
{
	while (t->n)
		drop(c, t, why);
}

static void push(struct calls *c, struct call_thread *t, struct frame frame)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 8;
		t->frames = xreallocarray(t->frames, t->room, sizeof(*t->frames));
		t->values = xreallocarray(t->values, t->room, 2 * c->n_values * sizeof(*t->values));
	}
	t->frames[t->n++] = frame;
	memcpy(at_entry(c, t, t->n - 1), t->now, c->n_values * sizeof(*t->now));
	memset(within(c, t, t->n - 1), 0, c->n_values * sizeof(*t->now));
}

/* Takes off the calls that must have ended, since the hit is further out. */
static void drop_left(struct calls *c, struct call_thread *t, uint64_t sp)
{
	while (t->n && top(t)->sp && top(t)->sp < sp)
		drop(c, t, LOST_LEFT);
}

/* Returns the depth of the innermost call of this function with this stack pointer; 0 if there is no such call. */
static size_t find_frame(const struct call_thread *t, size_t function, uint64_t sp)
{
	size_t n = t->n;

	while (n && !(t->frames[n - 1].sp == sp && t->frames[n - 1].function == function) &&
	       (t->frames[n - 1].sp == sp || !t->frames[n - 1].sp))
		n--;
	return n && t->frames[n - 1].sp == sp ? n : 0;
}

/* The first stop of each process in the kernel's code for probes (a return, or an instruction that is not emulated)
 * takes an additional page fault. */
static void mark_first(struct calls *c, struct call_thread *t)
{
	struct call_thread *process = find_thread(c, t->pid, t->pid);

	if (process->is_warm)
		return;
	for (size_t i = 0; i < t->n; i++)
		t->frames[i].first = true;
	top(t)->own_first = process->is_warm = true;
}

/* An open call of the same function with the same stack pointer has ended: functions do not end in jumps to themselves.
 */
void calls_enter(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = find_thread(c, pid, tid);
	size_t stale;

	drop_left(c, t, sp);
	stale = sp ? find_frame(t, function, sp) : 0;
	while (stale && t->n >= stale)
		drop(c, t, LOST_LEFT);
	if (t->n == DEPTH_MAX)
		drop_all(c, t, LOST_LEFT);
	t->now[c->n_values - 1] = time;
	push(c, t, (struct frame){.function = function, .sp = sp});
	if (calls_kind(c, function) == CALL_STEPPED || calls_kind(c, function) == CALL_LANDING)
		mark_first(c, t);
	if (calls_calibration(c, function))
		calls_take_entry(c, calls_calibration(c, function), t->now);
}

/* True if the innermost call is within another one of the same function. */
static bool is_recursive(const struct call_thread *t)
{
	for (size_t i = t->n - 1; i-- > 0;)
		if (t->frames[i].function == top(t)->function)
			return true;
	return false;
}

/* The innermost call has returned. */
static void take_call(struct calls *c, struct call_thread *t)
{
	const struct frame *frame = top(t);
	struct call_counts *f = &c->functions[frame->function];
	struct calibration *calibration = f->calls ? NULL : calls_calibration(c, frame->function);
	const uint64_t *before = at_entry(c, t, t->n - 1), *others = within(c, t, t->n - 1);
	uint64_t *outer = t->n > 1 ? within(c, t, t->n - 2) : NULL;
	bool recursive = is_recursive(t);

	f->calls++;
	for (size_t k = 0; k < CALL_KINDS; k++)
		f->jumped |= frame->jumps[k] > 0;
	for (size_t i = 0; i < c->n_values; i++) {
		uint64_t raw = t->now[i] - before[i];
		int64_t cost = calls_whole_cost(c, frame, i);
		struct call_value *value = &f->values[i];

		if (outer)
			outer[i] += raw;
		if (calibration) { /* the first call takes longer */
			calibration->first[i] = raw;
			continue;
		}
		distribution_add(&value->each, calls_sub(raw, cost));
		value->exclusive += calls_sub(raw, (int64_t)others[i] + calls_exclusive_cost(c, frame, i));
		if (recursive)
			continue;
		value->total += calls_sub(raw, cost);
		value->cost += calls_sub(raw, (int64_t)calls_sub(raw, cost));
	}
	pop(c, t, true);
}

/* Expects returns from calls that are already lost; they are not counted again. */
static void lose_returns(struct calls *c, size_t function, uint64_t n)
{
	uint64_t known = n < c->owed[function] ? n : c->owed[function];

	c->owed[function] -= known;
	c->functions[function].lost[LOST_ENTRY] += n - known;
}

void calls_return(struct calls *c, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = calls_thread(c, tid);
	size_t n = 0;

	if (t) {
		drop_left(c, t, sp);
		n = find_frame(t, function, sp);
	}
	if (n == 0) {
		lose_returns(c, function, 1);
		return;
	}
	while (t->n > n)
		drop(c, t, LOST_LEFT);
	t->now[c->n_values - 1] = time;
	mark_first(c, t);
	take_call(c, t);
}

/* ---- losses and ends ---- */

/* Without group 0, it is the rest of a hit whose other records were lost. */
static void lose_incomplete(struct calls *c, struct call_thread *t)
{
	if (t->groups & 1) {
		calls_lose_open(c, LOST_OFF);
		calls_lose(c, t->hit.function, t->hit.returns, 1, LOST_OFF);
	}
	t->groups = 0;
}

bool calls_gather(struct calls *c, pid_t pid, pid_t tid, const struct call_hit *hit, size_t group, size_t n_groups)
{
	struct call_thread *t = find_thread(c, pid, tid);
	uint64_t bit = (uint64_t)1 << group, all = n_groups < 64 ? ((uint64_t)1 << n_groups) - 1 : UINT64_MAX;

	if (t->groups & bit || t->hit.function != hit->function || t->hit.returns != hit->returns ||
	    t->hit.sp != hit->sp)
		lose_incomplete(c, t);
	t->hit = *hit;
	t->groups |= bit;
	if (t->groups != all)
		return false;
	t->groups = 0;
	return true;
}

void calls_lose(struct calls *c, size_t function, bool returns, uint64_t n, enum call_loss why)
{
	if (returns) {
		lose_returns(c, function, n);
		return;
	}
	c->functions[function].lost[why] += n;
	c->owed[function] += n;
}

void calls_lose_open(struct calls *c, enum call_loss why)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i]; t; t = t->next)
			while (t->n) {
				c->owed[top(t)->function]++;
				drop(c, t, why);
			}
}

void calls_end_thread(struct calls *c, pid_t tid)
{
	struct call_thread **at = &c->threads[(size_t)tid % CHAINS], *t;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	if (!*at)
		return;
	t = *at;
	*at = t->next;
	lose_incomplete(c, t);
	drop_all(c, t, LOST_ENDED);
	free_thread(t);
}

void calls_exec(struct calls *c, pid_t pid)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i]; t; t = t->next)
			if (t->pid == pid) {
				drop_all(c, t, LOST_ENDED);
				t->is_warm = false;
			}
}

void calls_restart(struct calls *c)
{
	calls_lose_open(c, LOST_ENTRY);
	memset(c->owed, 0, c->n_functions * sizeof(*c->owed));
	for (size_t f = 0; f < c->n_functions; f++)
		clear_function(c, &c->functions[f]);
}

void calls_finish(struct calls *c)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i]; t; t = t->next)
			lose_incomplete(c, t);
	calls_lose_open(c, LOST_OPEN);
}

/* ---- results ---- */

const struct call_counts *calls_function(const struct calls *c, size_t function)
{
	return &c->functions[function];
}
