#include "calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util.h"

#define CHAINS    1024 /* of threads; a power of two */
#define DEPTH_MAX 4096 /* the kernel follows 64 calls of a thread; more are stale */

struct frame {
	size_t function;
	uint64_t sp;
	uint64_t nested; /* calls within it, at any depth */
	uint64_t direct; /* paired calls directly within it */
	bool first;      /* the first return in the process was within it */
};

/* A thread that has been in a function, or the first thread of a process that has. */
struct call_thread {
	struct call_thread *next; /* of its chain */
	pid_t pid, tid;
	bool is_warm;  /* of a process's first thread: the process has returned from a call */
	uint64_t *now; /* each figure */
	struct frame *frames;
	size_t n, room;
	uint64_t *figures; /* for each frame: what `now` was at its entry, then what calls directly within it counted */
};

struct calls {
	size_t n_functions, n_figures;
	struct call_thread *threads[CHAINS];
	struct call_counts *functions; /* and the calibration */
	struct call_cost *costs;       /* for each figure */
	uint64_t *first;               /* figures of the first call of the calibration, */
	uint64_t *last;                /* ... figures at its last entry */
	struct distribution *between;  /* ... and from one entry to the next */
	size_t entries;
};

static uint64_t sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* ---- life cycle ---- */

struct calls *calls_new(size_t n_functions, size_t n_events)
{
	struct calls *c = xcalloc(1, sizeof(*c));

	c->n_functions = n_functions;
	c->n_figures = n_events + 1;
	c->functions = xcalloc(n_functions + 1, sizeof(*c->functions));
	for (size_t f = 0; f <= n_functions; f++)
		c->functions[f].figures = xcalloc(c->n_figures, sizeof(struct call_figure));
	c->costs = xcalloc(c->n_figures, sizeof(*c->costs));
	c->first = xcalloc(c->n_figures, sizeof(*c->first));
	c->last = xcalloc(c->n_figures, sizeof(*c->last));
	c->between = xcalloc(c->n_figures, sizeof(*c->between));
	return c;
}

static void clear_function(const struct calls *c, struct call_counts *f)
{
	for (size_t i = 0; i < c->n_figures; i++) {
		distribution_free(&f->figures[i].each);
		f->figures[i] = (struct call_figure){.total = 0};
	}
	f->calls = 0;
	memset(f->lost, 0, sizeof(f->lost));
}

static void free_thread(struct call_thread *thread)
{
	free(thread->now);
	free(thread->frames);
	free(thread->figures);
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
	for (size_t f = 0; f <= c->n_functions; f++) {
		clear_function(c, &c->functions[f]);
		free(c->functions[f].figures);
	}
	for (size_t i = 0; i < c->n_figures; i++)
		distribution_free(&c->between[i]);
	free(c->functions);
	free(c->costs);
	free(c->first);
	free(c->last);
	free(c->between);
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
	*t = (struct call_thread){
		.next = *chain, .pid = pid, .tid = tid, .now = xcalloc(c->n_figures, sizeof(*t->now))};
	return *chain = t;
}

void calls_charge(struct call_thread *thread, size_t event, uint64_t added)
{
	thread->now[event] += added;
}

/* ---- frames ---- */

static uint64_t *at_entry(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return t->figures + 2 * frame * c->n_figures;
}

static uint64_t *within(const struct calls *c, const struct call_thread *t, size_t frame)
{
	return at_entry(c, t, frame) + c->n_figures;
}

static struct frame *top(const struct call_thread *t)
{
	return t->n ? &t->frames[t->n - 1] : NULL;
}

/* Takes the innermost call off, whose counts are unknown. */
static void drop(struct calls *c, struct call_thread *t, enum call_loss why)
{
	struct frame gone = *top(t);

	c->functions[gone.function].lost[why]++;
	if (--t->n) {
		top(t)->nested += gone.nested + 1;
		top(t)->first |= gone.first;
	}
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
		t->figures = xreallocarray(t->figures, t->room, 2 * c->n_figures * sizeof(*t->figures));
	}
	t->frames[t->n++] = frame;
	memcpy(at_entry(c, t, t->n - 1), t->now, c->n_figures * sizeof(*t->now));
	memset(within(c, t, t->n - 1), 0, c->n_figures * sizeof(*t->now));
}

static void take_entry_of_calibration(struct calls *c, const struct call_thread *t)
{
	for (size_t i = 0; i < c->n_figures; i++) {
		if (c->entries > 1) /* the first call takes longer */
			distribution_add(&c->between[i], t->now[i] - c->last[i]);
		c->last[i] = t->now[i];
	}
	c->entries++;
}

void calls_enter(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = find_thread(c, pid, tid);

	while (t->n && top(t)->sp < sp)
		drop(c, t, LOST_LEFT);
	if (t->n == DEPTH_MAX)
		drop_all(c, t, LOST_LEFT);
	t->now[c->n_figures - 1] = time;
	push(c, t, (struct frame){.function = function, .sp = sp});
	if (function == CALIBRATION(c->n_functions))
		take_entry_of_calibration(c, t);
}

/* Is the innermost call within another one of the same function? */
static bool is_recursive(const struct call_thread *t)
{
	for (size_t i = t->n - 1; i-- > 0;)
		if (t->frames[i].function == top(t)->function)
			return true;
	return false;
}

/* The innermost call has returned. first: no other call in the process before. */
static void take_call(struct calls *c, struct call_thread *t, bool is_first)
{
	const struct frame frame = *top(t);
	struct call_counts *f = &c->functions[frame.function];
	const uint64_t *before = at_entry(c, t, t->n - 1), *others = within(c, t, t->n - 1);
	uint64_t *outer = t->n > 1 ? within(c, t, t->n - 2) : NULL;
	bool recursive = is_recursive(t), calibrates = frame.function == CALIBRATION(c->n_functions) && !f->calls;

	f->calls++;
	for (size_t i = 0; i < c->n_figures; i++) {
		const struct call_cost *cost = &c->costs[i];
		struct call_figure *figure = &f->figures[i];
		uint64_t raw = t->now[i] - before[i];
		uint64_t probes = cost->inside + frame.nested * cost->whole + (frame.first ? cost->first : 0);
		uint64_t direct =
			cost->inside + frame.direct * (cost->whole - cost->inside) + (is_first ? cost->first : 0);

		if (outer)
			outer[i] += raw;
		if (calibrates) { /* it takes longer */
			c->first[i] = raw;
			continue;
		}
		distribution_add(&figure->each, sub(raw, probes));
		figure->exclusive += sub(raw, others[i] + direct);
		if (recursive)
			continue;
		figure->total += sub(raw, probes);
		figure->cost += probes < raw ? probes : raw;
	}
	if (--t->n) {
		top(t)->nested += frame.nested + 1;
		top(t)->direct++;
	}
}

/* In each process, the first return takes a page fault more: the kernel's code that it goes through. */
static bool mark_first(struct calls *c, struct call_thread *t)
{
	struct call_thread *process = find_thread(c, t->pid, t->pid);

	if (process->is_warm)
		return false;
	for (size_t i = 0; i < t->n; i++)
		t->frames[i].first = true;
	return process->is_warm = true;
}

void calls_return(struct calls *c, pid_t tid, size_t function, uint64_t time, uint64_t sp)
{
	struct call_thread *t = calls_thread(c, tid);
	size_t at;

	while (t && t->n && top(t)->sp < sp)
		drop(c, t, LOST_LEFT);
	at = t ? t->n : 0;
	while (at > 0 && t->frames[at - 1].sp == sp && t->frames[at - 1].function != function)
		at--;
	if (at == 0 || t->frames[at - 1].sp != sp) {
		c->functions[function].lost[LOST_ENTRY]++;
		return;
	}
	while (t->n > at)
		drop(c, t, LOST_LEFT);
	t->now[c->n_figures - 1] = time;
	take_call(c, t, mark_first(c, t));
}

/* ---- losses and ends ---- */

void calls_lose(struct calls *c, size_t function, uint64_t n, enum call_loss why)
{
	c->functions[function].lost[why] += n;
}

void calls_lose_open(struct calls *c, enum call_loss why)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (struct call_thread *t = c->threads[i]; t; t = t->next)
			drop_all(c, t, why);
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
	for (size_t f = 0; f < c->n_functions; f++)
		clear_function(c, &c->functions[f]);
}

void calls_finish(struct calls *c)
{
	calls_lose_open(c, LOST_OPEN);
}

/* ---- results ---- */

/* Medians: the thread may lose its CPU during a call. The surplus of the first call is known only of a figure that is
 * the same in all others. */
bool calls_settle(struct calls *c)
{
	const struct call_counts *f = &c->functions[CALIBRATION(c->n_functions)];

	if (f->calls < 3)
		return false;
	for (size_t i = 0; i < c->n_figures; i++) {
		const struct distribution *each = &f->figures[i].each;
		struct call_cost *cost = &c->costs[i];

		cost->inside = (uint64_t)distribution_median(each);
		cost->whole = (uint64_t)distribution_median(&c->between[i]);
		if (cost->whole < cost->inside)
			cost->whole = cost->inside;
		cost->exact = each->min == each->max && c->between[i].min == c->between[i].max;
		cost->first = each->min == each->max ? sub(c->first[i], cost->inside) : 0;
	}
	return true;
}

const struct call_counts *calls_function(const struct calls *c, size_t function)
{
	return &c->functions[function];
}

size_t calls_functions(const struct calls *c)
{
	return c->n_functions;
}

struct call_cost calls_cost(const struct calls *c, size_t figure)
{
	return c->costs[figure];
}
