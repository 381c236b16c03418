/* calls_internal: shared by calls.c (stacks and counts) and calls_cost.c (the cost of the probes). */
#pragma once

#include "calls/calls.h"

#define CHAINS 1024 /* of threads */

struct frame {
	size_t function;
	uint64_t sp;
	bool first;     /* the first stop of the process was within it */
	bool own_first; /* ... and not in a call within it */
	/* for each kind, numbers of calls within it at any depth, and of paired calls directly within it; jumps: those
	 * to which another call jumped at its end. Both returned through one probe, whose cost is in both */
	uint64_t nested[CALL_KINDS], direct[CALL_KINDS], jumps[CALL_KINDS], direct_jumps[CALL_KINDS];
};

/* The calls of an empty function. */
struct calibration {
	size_t entries;
	uint64_t *first;                  /* values of the first call */
	uint64_t *last;                   /* values at the last entry */
	struct distribution *between;     /* ... and from one entry to the next */
	struct distribution *with_a_copy; /* ... with a call of a copy without probes */
	struct call_cost *costs;          /* for each value */
};

struct calls {
	size_t n_functions, n_values;
	const enum call_kind *kinds;
	struct call_thread *threads[CHAINS];
	struct call_counts *functions; /* including the empty ones */
	uint64_t *owed;                /* of each function: returns from lost calls, which may still come */
	struct calibration calibrations[CALL_KINDS];
	bool cost_known;
};

/* Returns a - b, but at least 0. */
static inline uint64_t calls_sub(uint64_t a, int64_t b)
{
	return (int64_t)a > b ? a - (uint64_t)b : 0;
}

void calls_init_calibrations(struct calls *c);
void calls_free_calibrations(struct calls *c);

enum call_kind calls_kind(const struct calls *c, size_t function);
/* Returns NULL if the function is not an empty one. */
struct calibration *calls_calibration(struct calls *c, size_t function);
/* An empty function is entered, with these values of the thread. */
void calls_take_entry(const struct calls *c, struct calibration *of, const uint64_t *now);

/* Return the cost of the probes in a call with the calls within it, and in the call alone. */
int64_t calls_whole_cost(const struct calls *c, const struct frame *frame, size_t value);
int64_t calls_exclusive_cost(const struct calls *c, const struct frame *frame, size_t value);
