/* threads: counters on every thread of running processes, each exactly once, although threads come and go meanwhile.
 *
 * Nothing counts until all is open, so whatever turns out wrong is closed and opened again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counters.h"
#include "count/fork_tracker.h"
#include "host/procfs.h"
#include "host/target.h"
#include "lib/error.h"
#include "lib/util.h"

/* A thread whose counters are open: the i-th has the i-th slot. Times: CLOCK_MONOTONIC, ns. */
struct opened_thread {
	struct thread thread;
	uint64_t begin, end; /* when its counters were being opened */
	uint64_t settled;    /* by then it had started whatever it was starting at the end; 0: not known so far */
	uint64_t gone;       /* it was found to have ended; 0: not so far */
	uint64_t enabled;    /* ns that its counters, including inherited ones, had been enabled for by then */
	bool doubtful;       /* it was not seen to settle: what it was starting may have no counters */
};

struct threads {
	struct counters *counters; /* not owned; only this module opens slots in it */
	struct opened_thread *opened;
	size_t n;
	uint32_t *place;              /* by tid: 1 + the index in opened; 0: none. Only used pages take memory */
	struct fork_tracker *tracker; /* NULL: not needed so far */
	bool incomplete;              /* too fast to follow: some may be missing, or counted twice */
};

/* Open the target's threads, or all threads of its processes, including those that start while this goes on. 0 or
 * -errno. */
int threads_open(struct threads *t, const struct target *target, struct error *e);

/* Has a thread that was found under this id a slot? */
bool threads_has(const struct threads *t, pid_t process);

void threads_free(struct threads *t);
