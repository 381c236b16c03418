/* run: one measurement: counting is switched on, something ends it, the counters are read.
 *
 * The loop is one poll over the signals' descriptor and the watched ones; nothing polls by time and nothing sleeps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "child.h"
#include "counters.h"
#include "error.h"
#include "signals.h"

struct run {
	struct counters *counters;
	struct signals *signals;
	struct child *child; /* held; pid 0: no command */
	bool enable;         /* switch counting on here, rather than at the command's exec */
	const int *watch;    /* readable when a target has ended; not the command's */
	size_t n_watch;
};

struct measurement {
	double start_time;   /* CLOCK_REALTIME, s */
	uint64_t elapsed_ns; /* from the command's release, or from enabling, to the end */
	int exec_error;      /* errno when the command could not be executed; then nothing was measured */
	int signal;          /* that came to this process and ended it; 0: none */
};

/* 0, or -errno when the measurement could not be made. The child, if any, has ended then; its status and usage are in
 * the child. */
int run_measure(struct run *run, struct measurement *m, struct error *e);
