#include "calls/calls_internal.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define DEPTH_MAX 4096 /* the kernel follows 64 calls of a thread; more are stale */

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
	f->again = f->jumped = f->misled = f->lost_is_estimate = false;
	memset(f->lost, 0, sizeof(f->lost));
}

static void free_thread(struct call_thread *thread)
{
	free(thread->now);
	free(thread->at_return);
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

void calls_warm(struct calls *c, pid_t pid)
{
	find_thread(c, pid, pid)->is_warm = true;
}

/* The first stop of each process in the kernel's code for probes (a return, or an instruction that is not emulated)
 * takes an additional page fault. */
static void mark_first(struct calls *c, struct call_thread *t)
{
	struct call_thread *process = find_thread(c, t->pid, t->pid);

	if (process->is_warm)
		return;
	for (size_t i = 0; i < t->n; i++) {
		t->frames[i].first = true;
		t->frames[i].may_be_first = c->stops_lost || process->may_share;
	}
	if (t->n)
		calls_top(t)->own_first = true;
	process->is_warm = true;
}

/* ---- hits ---- */

/* Decides about the calls at the place of the last return: if they have not returned with it, they had been left. */
static void begin_hit(struct calls *c, struct call_thread *t, bool chained, size_t function)
{
	if (t->at_return)
		calls_settle(c, t, chained && function == t->returned);
	while (!chained && t->return_sp && t->n && calls_top(t)->sp == t->return_sp &&
	       calls_kind(c, calls_top(t)->function) != CALL_PAIR)
		calls_drop(c, t, LOST_LEFT);
	if (!chained)
		t->return_sp = 0;
}

/* An entry at the place of an open call of the same function is a jump to its first instruction, as compilers make of a
 * loop, or shows that the call was left; the returns decide. With calls of other functions between the two, they have
 * been left. Pairs of probes may be nested in one call. */
static bool is_again(struct calls *c, struct call_thread *t, size_t function, uint64_t sp)
{
	size_t open = sp && calls_kind(c, function) != CALL_PAIR ? calls_find(t, function, sp) : 0;

	if (open == 0)
		return false;
	if (open == t->n) {
		if (calls_top(t)->again)
			calls_merge_again(c, t);
		return true;
	}
	while (t->n >= open)
		calls_drop(c, t, LOST_LEFT);
	return false;
}

void calls_enter(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = find_thread(c, pid, tid);
	bool again;

	t->now[c->n_values - 1] = time;
	begin_hit(c, t, false, function);
	calls_drop_left(c, t, sp);
	again = is_again(c, t, function, sp);
	if (t->n == DEPTH_MAX)
		calls_drop_all(c, t, LOST_LEFT);
	for (size_t i = 0; i < LEFT_MAX; i++)
		t->left[i] = t->left[i] == sp ? 0 : t->left[i];
	calls_push(c, t, function, sp);
	calls_top(t)->again = again && t->n > 1;
	if (calls_kind(c, function) == CALL_STEPPED || calls_kind(c, function) == CALL_LANDING)
		mark_first(c, t);
	if (calls_calibration(c, function))
		calls_take_entry(c, calls_calibration(c, function), t->now);
}

/* Expects returns from calls that are already lost; they are not counted again. */
static void lose_returns(struct calls *c, size_t function, uint64_t n)
{
	uint64_t known = n < c->owed[function] ? n : c->owed[function];

	c->owed[function] -= known;
	c->functions[function].lost[LOST_ENTRY] += n - known;
}

/* A return without a call. A return at the place of a call that was left, without an entry there since, is that call's:
 * it had not been left, but the stack had been switched. The kernel, which had forgotten the call, has sent it to the
 * place where another one was called. */
static void lose_return(struct calls *c, struct call_thread *t, size_t function, uint64_t sp)
{
	mark_first(c, t);
	calls_lose_within(c, t, function);
	for (size_t i = 0; i < LEFT_MAX && sp && calls_kind(c, function) != CALL_PAIR; i++)
		c->functions[function].misled |= t->left[i] == sp;
	lose_returns(c, function, 1);
}

/* Takes the call now, or when the next hit shows whether the call below it has returned as well. */
static void end_call(struct calls *c, struct call_thread *t)
{
	mark_first(c, t);
	if (!calls_top(t)->again) {
		calls_take(c, t);
		return;
	}
	t->at_return = xcalloc(c->n_values, sizeof(*t->at_return));
	memcpy(t->at_return, t->now, c->n_values * sizeof(*t->at_return));
}

void calls_return(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = find_thread(c, pid, tid);
	bool chained = sp && sp == t->return_sp;
	size_t n;

	t->now[c->n_values - 1] = time;
	begin_hit(c, t, chained, function);
	calls_drop_left(c, t, sp);
	n = calls_find(t, function, sp);
	if (n == 0 && chained && function == t->returned)
		return; /* of the same call, one for each jump to its first instruction */
	while (n && t->n > n)
		calls_drop(c, t, LOST_LEFT);
	if (n)
		end_call(c, t);
	else
		lose_return(c, t, function, sp);
	t->return_sp = sp;
	t->returned = function;
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
	uint64_t bit = (uint64_t)1 << group, all = UINT64_MAX >> (CALL_GROUPS_MOST - n_groups);

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
	c->stops_lost |= n > 0;
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
		for (struct call_thread *t = c->threads[i]; t; t = t->next) {
			if (t->at_return)
				calls_settle(c, t, false);
			for (size_t frame = 0; frame < t->n; frame++)
				c->owed[t->frames[frame].function]++;
			calls_drop_all(c, t, why);
			memset(t->left, 0, sizeof(t->left));
		}
}

static void remove_thread(struct calls *c, pid_t tid)
{
	struct call_thread **at = &c->threads[(size_t)tid % CHAINS], *t;

	while ((*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	*at = t->next;
	free_thread(t);
}

static bool has_other_threads(const struct calls *c, const struct call_thread *of)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (const struct call_thread *t = c->threads[i]; t; t = t->next)
			if (t != of && t->pid == of->pid)
				return true;
	return false;
}

void calls_end_thread(struct calls *c, pid_t tid)
{
	struct call_thread *t = calls_thread(c, tid);

	if (!t)
		return;
	lose_incomplete(c, t);
	calls_drop_all(c, t, LOST_ENDED);
	if (t->pid != t->tid || !has_other_threads(c, t))
		remove_thread(c, tid);
}

void calls_fork(struct calls *c, pid_t pid)
{
	if (calls_thread(c, pid))
		remove_thread(c, pid);
	find_thread(c, pid, pid)->may_share = true;
}

void calls_exec(struct calls *c, pid_t pid)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i]; t; t = t->next)
			if (t->pid == pid) {
				calls_drop_all(c, t, LOST_ENDED);
				t->is_warm = t->may_share = false;
			}
}

void calls_restart(struct calls *c)
{
	calls_lose_open(c, LOST_ENTRY);
	memset(c->owed, 0, c->n_functions * sizeof(*c->owed));
	for (size_t f = 0; f < c->n_functions; f++)
		clear_function(c, &c->functions[f]);
}

void calls_forget_calibration(struct calls *c)
{
	calls_lose_open(c, LOST_ENTRY);
	calls_free_calibrations(c);
	calls_init_calibrations(c);
	for (size_t f = c->n_functions; f < c->n_functions + CALL_KINDS; f++)
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

uint64_t calls_count_lost(const struct call_counts *counts)
{
	uint64_t n = 0;

	for (enum call_loss why = 0; why < CALL_LOSSES; why++)
		n += counts->lost[why];
	return n;
}
