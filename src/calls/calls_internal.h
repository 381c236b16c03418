/* calls_internal: shared by calls.c (threads and hits), calls_stack.c (the calls that a thread is in) and calls_cost.c
 * (the cost of the probes). */
#pragma once

#include "calls/calls.h"

#define CHAINS   1024 /* of threads */
#define LEFT_MAX 64   /* the kernel follows so many calls of a thread */

struct frame {
	size_t function;
	uint64_t sp;
	bool first;        /* the first stop of the process was within it */
	bool own_first;    /* ... and not in a call within it */
	bool may_be_first; /* ... or an earlier one was, which left no record */
	/* It was entered at the place of the call below it, which is of the same function and has not returned: the
	 * function jumped to its first instruction, or that call was left. The number of returns decides. */
	bool again;
	uint64_t entries; /* so many entries were jumps to the first instruction */
	/* for each kind, numbers of calls within it at any depth, and of paired calls directly within it; jumps: those
	 * to which another call jumped at its end. Both returned through one probe, whose cost is in both */
	uint64_t nested[CALL_KINDS], direct[CALL_KINDS], jumps[CALL_KINDS], direct_jumps[CALL_KINDS];
	/* calls within it that were lost: whether their return was probed is unknown */
	uint64_t lost[CALL_KINDS], direct_lost[CALL_KINDS];
};

/* A thread that has called a function, or the first thread of such a process. */
struct call_thread {
	struct call_thread *next; /* of its chain */
	pid_t pid, tid;
	bool is_warm;   /* of a process's first thread, or after its end: the process has had its first stop */
	bool may_share; /* ... the process may share the memory of its parent, which may have had it */
	uint64_t *now;  /* each value */
	struct call_hit hit;
	uint64_t groups; /* bits of the groups that have recorded the hit; 0 if all have */
	struct frame *frames;
	size_t n, room;
	uint64_t *values; /* for each frame: `now` at its entry, then the sum of the calls directly within it */

	/* The last hit was a return at this stack pointer, of this function; 0: it was none. The kernel reports the
	 * returns of calls that jumped to each other one after the other. */
	uint64_t return_sp;
	size_t returned;
	uint64_t *at_return; /* not NULL: the innermost call, which is `again`, returned with these values */

	/* stack pointers of calls that were left without a return, and not used since; a ring */
	uint64_t left[LEFT_MAX];
	size_t next_left;
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
	bool stops_lost; /* there were stops without a record: a process may have had its first one */
};

/* Returns a - b, but at least 0. */
static inline uint64_t calls_sub(uint64_t a, int64_t b)
{
	return (int64_t)a > b ? a - (uint64_t)b : 0;
}

/* ---- calls_stack ---- */

/* n > 0 */
static inline struct frame *calls_top(const struct call_thread *t)
{
	return &t->frames[t->n - 1];
}

void calls_push(const struct calls *c, struct call_thread *t, size_t function, uint64_t sp);
/* The innermost call has returned. */
void calls_take(struct calls *c, struct call_thread *t);
/* The innermost call is lost. */
void calls_drop(struct calls *c, struct call_thread *t, enum call_loss why);
void calls_drop_all(struct calls *c, struct call_thread *t, enum call_loss why);
/* Takes off the calls that must have ended, since the hit is further out. */
void calls_drop_left(struct calls *c, struct call_thread *t, uint64_t sp);
/* Returns the depth of the innermost call of this function with this stack pointer; 0 if there is no such call. */
size_t calls_find(const struct call_thread *t, size_t function, uint64_t sp);
/* A call of which only the return is known ended within all calls of the thread. */
void calls_lose_within(const struct calls *c, struct call_thread *t, size_t function);
/* Merges the innermost call, which is `again`, into the one below it: its entry was a jump. */
void calls_merge_again(struct calls *c, struct call_thread *t);
/* Decides about an innermost call that is `again` and has returned: chained if the call below it returned at once. */
void calls_settle(struct calls *c, struct call_thread *t, bool chained);

/* ---- calls_cost ---- */

void calls_init_calibrations(struct calls *c);
void calls_free_calibrations(struct calls *c);

enum call_kind calls_kind(const struct calls *c, size_t function);
/* Returns NULL if the function is not an empty one. */
struct calibration *calls_calibration(struct calls *c, size_t function);
/* An empty function is entered, with these values of the thread. */
void calls_take_entry(const struct calls *c, struct calibration *of, const uint64_t *now);

/* Return the cost of the probes in a call with the calls within it, and in the call alone. With lost calls within it,
 * this is the most that it can be. */
int64_t calls_whole_cost(const struct calls *c, const struct frame *frame, size_t value);
int64_t calls_exclusive_cost(const struct calls *c, const struct frame *frame, size_t value);
/* True if this cost is only the most that it can be. */
bool calls_cost_is_bound(const struct calls *c, const struct frame *frame, size_t value);
