/* threads: counters on every thread of running processes, each exactly once, although threads come and go meanwhile.
 *
 * Nothing counts until all is open, so whatever turns out wrong is closed and opened again.
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
	uint64_t settled;    /* it has been done, by then, with starting whatever it was starting at the end; 0: open */
	uint64_t gone;       /* it was found to have ended; 0: not so far */
	uint64_t enabled;    /* ns that its counters, the inherited ones included, had been enabled for by then */
	bool doubtful;       /* it was not seen to have settled: what it was starting may have no counters */
	bool unconfirmed;    /* the births read since do not yet say whether it had inherited counters already */
};

struct threads {
	struct counters *counters; /* not owned; only this module opens slots in it */
	struct opened_thread *opened;
	size_t n;
	uint32_t *place;       /* by tid: 1 + the index in opened; 0: none. Only pages that are used take memory */
	struct births *births; /* NULL: not needed so far */
	bool incomplete;       /* births were lost, or came too fast: some may be missing, or counted twice */
};

/* Open one thread. 0 (also when it has ended meanwhile: it loses itself alone) or -errno. */
int threads_open(struct threads *t, struct thread thread, struct error *e);

/* Open all threads of the processes, those included that start while this goes on; of counters that are not inherited,
 * which only tell what may be counted, one thread of each process. 0 or -errno. */
int threads_open_processes(struct threads *t, const pid_t *processes, size_t n, struct error *e);

/* Take back what was opened under this id. */
void threads_close_process(struct threads *t, pid_t process);

/* Has a thread that was found under this id a slot, or with open, even an event that is open? */
bool threads_has(const struct threads *t, pid_t process, bool open);

/* How many of them hardly got a CPU, so that threads which they were starting then may be missing. */
size_t threads_doubtful(const struct threads *t);

void threads_free(struct threads *t);
