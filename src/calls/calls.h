/* calls: the counts of function calls, computed from the entries and returns, and from the work of each thread between
 * them. Pure.
 *
 * An entry pushes a thread's counts on the thread's stack, and the return pops them; the difference is the count of the
 * call. An entry and a return belong together if the function and the stack pointer are equal. An entry or a return
 * with a higher stack pointer shows which calls were left without a return. Entries of one function with equal stack
 * pointers are one call that jumps to its first instruction if as many returns follow at once, and otherwise calls that
 * were left. Calls that cannot be paired are counted as lost; they have no counts.
 *
 * Calls of empty functions (CALIBRATION) determine the cost of the probes, in each event and in time. The cost of the
 * probes of a call, and of all calls in it, is subtracted from the call. If the cost is the same for each call, the
 * rest is the program's work from the call instruction to the return, or between the two probes.
 *
 * Order of calls: calls_new; calls_thread and calls_charge for the work of each thread up to a hit, then calls_gather,
 * and calls_enter or calls_return; calls_compute_costs after the calibration, calls_forget_calibration before another
 * one; calls_finish at the end; calls_function; calls_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stats/distribution.h"

/* Why a call is lost. */
enum call_loss {
	LOST_LEFT,    /* it was left without a return: longjmp, or nested too deep for the kernel */
	LOST_ENDED,   /* the thread or the process ended in it, or executed a program */
	LOST_OPEN,    /* it had not returned when counting ended */
	LOST_ENTRY,   /* it began before counting, or before the fork of the process */
	LOST_RECORDS, /* kernel records of it, or of the thread's work, are missing */
	LOST_OFF,     /* a group of events was not on its PMU */
	CALL_LOSSES,
};

/* The value of a function for an event or, after those of all events, for the time in ns. */
struct call_value {
	struct distribution each; /* over calls, including the calls in them */
	uint64_t total;           /* of these; a call within a call of the same function is counted once */
	uint64_t exclusive;       /* without the calls of all functions within them */
	uint64_t cost;            /* the probes' part of the total, which was subtracted */
	/* Calls within some calls were lost: the counts of the calls are at least these, since the cost of the lost
	 * calls' probes is not known exactly; and the exclusive counts, since their work belongs to either. */
	bool least, exclusive_least;
	bool first_unknown; /* at least these: the first stop of a process may have been in a call or before it */
	bool contradicts;   /* a call had less than the cost of its probes: this was not the same for each call */
};

struct call_counts {
	uint64_t calls; /* paired calls */
	uint64_t lost[CALL_LOSSES];
	bool lost_is_estimate; /* lost calls may have been jumps to the first instruction of one call */
	bool again;  /* paired calls had jumps to the first instruction, which may have been calls through others */
	bool jumped; /* a function in them ended in a jump to another one, which has less of the cost */
	bool misled; /* the kernel sent a call's return to the place of another call: the stack had been switched */
	struct call_value *values;
};

/* The cost that probes add to a value. It may be negative: an instruction that the kernel emulates is not counted in
 * user space. */
struct call_cost {
	int64_t inside; /* part of the call's value, which begins at the entry, after the call instruction */
	int64_t whole;  /* part of the value of the call around it */
	int64_t first;  /* additional part of the first call in a process */
	bool exact;     /* it is the same for each call */
};

/* After the probe at an entry, the kernel emulates the first instruction or single-steps it, which takes several times
 * as long. Each kind has an empty function, whose calls determine the cost. */
enum call_kind {
	CALL_EMULATED,
	CALL_STEPPED,
	CALL_LANDING, /* endbr64 or, on arm64, nop: which of the two depends on the kernel's version */
	CALL_PAIR,    /* from one probe to another one, without a return */
	CALL_KINDS
};
/* True if one of the n functions is of this kind. */
bool calls_have_kind(const enum call_kind *kinds, size_t n, enum call_kind kind);

#define CALIBRATION(n_functions, kind) ((n_functions) + (size_t)(kind))

/* The number of calls of an empty function; then again, each followed by a call of a copy without probes. */
#define CALIBRATION_CALLS 64

struct calls;
struct call_thread;

/* kinds: for each function; they must outlive the calls. */
struct calls *calls_new(size_t n_functions, const enum call_kind *kinds, size_t n_events);

/* Returns NULL if the thread is in no function: its work need not be charged. */
struct call_thread *calls_thread(const struct calls *c, pid_t tid);
void calls_charge(struct call_thread *thread, size_t event, uint64_t added);

/* A hit of a probe, which each group of events records. sp: the stack pointer at the entry of the call; 0 if unknown.
 */
struct call_hit {
	size_t function;
	bool returns;
	uint64_t sp;
};

#define CALL_GROUPS_MOST 64

/* Adds the record of one of 1 to CALL_GROUPS_MOST groups, in any order; group 0 is always on. Returns true if all
 * groups have recorded the hit; if they have not when the thread has the next one, the work up to it is unknown, and
 * all open calls are lost. */
bool calls_gather(struct calls *c, pid_t pid, pid_t tid, const struct call_hit *hit, size_t group, size_t n_groups);

/* The hit is complete. */
void calls_enter(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp);
void calls_return(struct calls *c, pid_t pid, pid_t tid, size_t function, uint64_t time, uint64_t sp);

/* Adds n hits without records: entries are lost calls, whose returns are expected. */
void calls_lose(struct calls *c, size_t function, bool returns, uint64_t n, enum call_loss why);
/* The work of all threads up to now is unknown: all open calls are lost. */
void calls_lose_open(struct calls *c, enum call_loss why);
/* The process has had its first stop at a probe before counting. */
void calls_warm(struct calls *c, pid_t pid);
/* A new process has this id. It may share the memory of its parent (vfork). */
void calls_fork(struct calls *c, pid_t pid);
/* The thread has ended. */
void calls_end_thread(struct calls *c, pid_t tid);
/* The process has executed a program. */
void calls_exec(struct calls *c, pid_t pid);

/* Takes the cost from the calls of the calibration, for each kind of the functions. Returns false if there were too
 * few. */
bool calls_compute_costs(struct calls *c);
/* Forgets the calls of the calibration, which is then repeated. */
void calls_forget_calibration(struct calls *c);
/* Forgets the calls so far: counting begins now. */
void calls_restart(struct calls *c);
void calls_finish(struct calls *c);

const struct call_counts *calls_function(const struct calls *c, size_t function);
/* Returns the number of lost calls, for all reasons. */
uint64_t calls_count_lost(const struct call_counts *counts);
bool calls_cost_is_known(const struct calls *c);
struct call_cost calls_cost(const struct calls *c, size_t function, size_t value);
void calls_free(struct calls *c);
