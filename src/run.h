/* run: one measurement: counting is switched on, something ends it, the counters are read.
 */
#pragma once

#include <stdint.h>

#include "child.h"
#include "counters.h"
#include "error.h"
#include "loop.h"
#include "signals.h"

struct measurement {
	double start_time;   /* CLOCK_REALTIME, s */
	uint64_t begin;      /* CLOCK_MONOTONIC, ns: the command's release, or the enabling */
	uint64_t elapsed_ns; /* from there to the end */
	int exec_error;      /* errno when the command could not be executed; then nothing was measured */
	int signal;          /* that came to this process and ended it; 0: none */
};

struct run {
	struct loop *loop; /* what else is to be looked after meanwhile is in it already */
	struct counters *counters;
	struct signals *signals;
	struct child *child; /* held; pid 0: no command */
	bool enable;         /* switch counting on here, rather than at the command's exec */
	const int *watch;    /* readable when a target has ended; the last one ends a run without a command */
	size_t n_watch;

	struct measurement measurement; /* filled */
	size_t watching;                /* how many have not ended */
	unsigned asked;                 /* how often a signal told us to end */
};

/* 0, or -errno when the measurement could not be made. The child, if any, has ended then; its status and usage are in
 * the child. */
int run_measure(struct run *run, struct error *e);
