/* A bed for calls: entries and returns made by hand, with one event. A thread's work is charged before each hit. */
#pragma once

#include "calls/calls.h"
#include "tap.h"

enum { A, B, FUNCTIONS };
enum { EVENT, TIME };

static const enum call_kind kinds[FUNCTIONS] = {CALL_EMULATED, CALL_STEPPED};

/* The process, and threads of it. */
#define PID   100
#define OTHER 101

struct bed {
	struct calls *c;
	uint64_t time;
};

static struct bed bed_new(void)
{
	return (struct bed){.c = calls_new(FUNCTIONS, kinds, 1)};
}

static void work(struct bed *b, pid_t tid, uint64_t n)
{
	struct call_thread *thread = calls_thread(b->c, tid);

	b->time += n;
	if (thread)
		calls_charge(thread, EVENT, n);
}

static void enter(struct bed *b, pid_t tid, size_t function, uint64_t sp)
{
	calls_enter(b->c, PID, tid, function, b->time, sp);
}

static void leave(struct bed *b, pid_t tid, size_t function, uint64_t sp)
{
	calls_return(b->c, tid == 1 ? 1 : PID, tid, function, b->time, sp);
}

static const struct call_counts *of(const struct bed *b, size_t function)
{
	return calls_function(b->c, function);
}

static uint64_t total(const struct bed *b, size_t function)
{
	return of(b, function)->values[EVENT].total;
}

static uint64_t exclusive(const struct bed *b, size_t function)
{
	return of(b, function)->values[EVENT].exclusive;
}

static uint64_t lost(const struct bed *b)
{
	uint64_t n = 0;

	for (size_t f = 0; f < FUNCTIONS; f++)
		for (size_t why = 0; why < CALL_LOSSES; why++)
			n += of(b, f)->lost[why];
	return n;
}
