/* run: one measurement: counting is switched on and ends, and the counters are read.
 *
 * Order of calls: fill in the settings; run_measure; callbacks of the loop may call run_enable, run_disable,
 * run_note_enabled, run_stop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/tree_time.h"
#include "lib/error.h"
#include "os/child.h"
#include "os/loop.h"
#include "os/signals.h"
#include "run/backend.h"

struct measurement {
	double start_time;   /* CLOCK_REALTIME, s */
	uint64_t begin;      /* CLOCK_MONOTONIC, ns: the command's release; without a command, the corresponding time */
	uint64_t elapsed_ns; /* the time that counting was on, without a delay or disabled time */
	uint64_t elapsed_error_ns; /* of an interval: its ends may be earlier or later by this in all */
	uint64_t wall_ns;          /* from begin until counting stopped for good, or the command ended */
	int exec_error;            /* errno if the command could not be executed; then nothing was measured */
	int signal;                /* to this process, that ended it; or 0 */
	bool stopped;              /* run_stop ended it, as after --timeout */
	bool stopped_by_control;   /* by the command `stop` */
	int killed_by;             /* the last signal that run_stop sent to the command; or 0 */
};

/* All counters were switched or read, one after another: at this time, or at most the error before or after it. */
struct edge {
	uint64_t at, error; /* ns; at: CLOCK_MONOTONIC */
};
/* Returns the edge that began at this time and is over now. */
struct edge edge_since(uint64_t begin);

struct run {
	struct loop *loop; /* may already have other descriptors */
	struct backend *backend;
	struct signals *signals;
	struct child *child; /* held; pid 0 without a command */
	bool enable_on_exec; /* the command's exec switches counting on */
	bool start_disabled; /* --control switches it on */
	const int *watch;    /* each readable when a target has ended; when all have, a run without a command ends */
	size_t n_watch;
	bool endless;                /* without a command, only a signal ends it: nothing is watched */
	struct tree_time *tree_time; /* read before the command gets a signal, and while processes are attached */
	bool ends_at_once;           /* a signal ends the run before the command that it was passed on to has ended */
	int (*started)(void *arg, struct error *e); /* called after begin is known; may be NULL. Returns 0 or -errno */
	void *started_arg;

	/* internal to run */
	struct measurement measurement;
	uint64_t on_since; /* CLOCK_MONOTONIC, ns, while counting is on */
	struct edge edge;  /* the last one */
	uint64_t shortest; /* the smallest error of a run_read, before correction, ns */
	bool on, stopped;
	bool all_on;          /* by run_enable or the exec, not single events by others */
	uint64_t stopped_at;  /* CLOCK_MONOTONIC, ns; the command may end much later */
	size_t watching;      /* the number of those that have not ended */
	int timer;            /* when the command gets a stronger signal; -1 if unset */
	uint64_t next_sample; /* clock_now, at the earliest, of the next reading of tree_time */
};

/* Returns 0, or -errno if the measurement could not be made. A child has then ended, unless a signal ended the run at
 * once; its status and usage are in the child. The counters have been read. */
int run_measure(struct run *run, struct error *e);

/* Switches counting on or off; the time between counts as elapsed. */
void run_enable(struct run *run);
void run_disable(struct run *run);
/* Called when single events were switched on by other means: from now on the time counts as elapsed. */
void run_note_enabled(struct run *run);

/* Reads the counters. */
void run_read(struct run *run);

/* Return how long counting had been on at this time, or has been on so far, ns. */
uint64_t run_counted_until(const struct run *run, uint64_t time);
uint64_t run_counted_ns(const struct run *run);

/* Ends the measurement now: counting stops, and the command is asked to end (SIGTERM, after a grace time SIGKILL). */
void run_stop(struct run *run);
