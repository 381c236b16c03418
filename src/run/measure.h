/* measure: one measurement, from the options to a matrix of counts. The command is started and held before its exec, or
 * the target's tasks are found; what counts (source.h) is opened and runs; then the counts are taken. What counted
 * stays open until measured_close or measured_free: closing hundreds of tracepoints takes seconds, and the report comes
 * first.
 */
#pragma once

#include <stdbool.h>

#include "count/counts.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/child.h"
#include "os/signals.h"
#include "rows/collect.h"
#include "rows/result.h"
#include "run/control.h"
#include "run/pace.h"
#include "run/regions.h"
#include "run/run.h"

struct measured;

struct measure_options {
	struct source_options source;    /* what the measurement knows itself is not set: command to intervals */
	char **command;                  /* NULL: none */
	const struct child_files *files; /* of the command; NULL: inherited */
	unsigned number;                 /* of the command, from 1; 0: it is the only one */
	struct pace_options pace;
	const struct control_options *control; /* NULL: no --control */
	bool regions;
	/* With pace.interval: called with the counts of each interval, including the last, partial one. False: it has
	 * no reader any more; without a command, that ends the run. */
	bool (*interval)(void *arg, const struct measured *m);
	bool (*is_behind)(void *arg); /* is its reader so far behind that an interval should rather be longer? */
	void *interval_arg;
	bool no_scale; /* multiplexed counts as they were read */
	bool strict;   /* refuse to start unless every event is counted, in all its modes */
};

/* What was measured, as a whole or in an interval. */
struct measured {
	double time; /* s at the end of the interval; NAN: the whole */
	struct measurement run;
	struct counts counts;
	enum aggr_mode parts; /* rows of tasks beside those of the whole; AGGR_TOTAL: none */
	struct aggr_map map;
	struct tree tree;                     /* with parts and rows of the whole: the processes */
	int wait_status;                      /* of the command, as from wait4 */
	bool has_usage;                       /* a command was counted: the next five are known once it has ended */
	uint64_t user_ns, system_ns, max_rss; /* of it and the children that it waited for; as in a session */
	uint64_t before_exec;                 /* ns of these, which no counter counts */
	bool max_rss_is_bound;                /* as in a session */
	char *left_out;                       /* targets that could not be counted, and why; NULL: none */
	char *lost; /* why the kernel stopped counting the command when it was executed; NULL: it did not */
	struct regions regions;
	struct strings notes;
	struct source *source; /* what has counted; NULL: it is closed, or was never open */
};

/* 0, or -errno when nothing could be measured; m is to be freed in either case. A command that could not be executed is
 * m->run.exec_error. */
int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e);

/* Add its rows, its notes and the session's figures to an initialized result. */
void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result);

/* Did the command die of the signal by which it was to end, as after --timeout? Then it has not failed. */
bool measured_was_ended(const struct measured *m);

/* Close what has counted; its plan may go then. */
void measured_close(struct measured *m);
void measured_free(struct measured *m);
