/* threads: counters on every thread of running processes, each exactly once, although threads start and end meanwhile.
 *
 * Nothing counts until all is open, so a mistake is corrected by closing and opening again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/births.h"
#include "count/counters.h"
#include "host/census.h"
#include "lib/error.h"
#include "lib/util.h"

/* A thread whose counters are open: the i-th has the i-th slot. */
struct opened_thread {
	struct thread thread;
	/* All times: CLOCK_MONOTONIC, ns */
	uint64_t begin, end; /* when its counters were being opened */
	uint64_t settled;    /* by then, it had finished starting what it was starting at `end`; 0: not known */
	uint64_t gone;       /* when it was found to have ended; 0: not so far */
	uint64_t enabled;    /* ns that its counters, the inherited ones included, had been enabled for by then */
	bool doubtful;       /* it was not seen to settle: a thread that it was starting may have no counters */
	bool unconfirmed;    /* it is not known yet whether it had inherited counters: births must be read first */
};

struct threads {
	struct counters *counters; /* not owned; only this module opens slots in it */
	struct opened_thread *opened;
	size_t n;
	uint32_t *place;       /* by tid: 1 + the index in opened; 0: none. Only the pages used take memory */
	struct births *births; /* NULL: not needed yet */
	bool incomplete;       /* births were lost, or too fast: threads may be missing, or counted twice */
};

/* Open one thread. 0, also if it has ended meanwhile, or -errno. */
int threads_open(struct threads *t, struct thread thread, struct error *e);

/* Open all threads of the processes, including those that start meanwhile. If counters are not inherited, they only
 * show what may be counted: one thread of each process is opened. 0 or -errno. */
int threads_open_processes(struct threads *t, const pid_t *processes, size_t n, struct error *e);

/* Close what was opened under this id. */
void threads_close_process(struct threads *t, pid_t process);

/* Has a thread that was found under this id a slot, and with `open` also an open event? */
bool threads_has(const struct threads *t, pid_t process, bool open);

/* How many hardly got a CPU, so that threads which they were starting may be missing. */
size_t threads_doubtful(const struct threads *t);

void threads_free(struct threads *t);
