/* measure: one measurement, from the options to a matrix of counts. The command is started and held before its exec, or
 * the target's tasks are found; the back end (backend.h) is opened and runs; then the counts are taken. The back end
 * stays open until measured_close or measured_free: closing hundreds of tracepoints takes seconds, and the report comes
 * first. */
#pragma once

#include <stdbool.h>

#include "count/counts.h"
#include "host/disturbance.h"
#include "lib/error.h"
#include "lib/util.h"
#include "os/child.h"
#include "os/signals.h"
#include "rows/collect.h"
#include "rows/result.h"
#include "run/command_memory.h"
#include "run/control.h"
#include "run/pace.h"
#include "run/regions.h"
#include "run/run.h"

struct measured;

struct measure_options {
	struct backend_options backend;  /* without the members from command to intervals, which the measurement sets */
	char **command;                  /* NULL without a command */
	const struct child_files *files; /* of the command; NULL: inherited */
	unsigned number;                 /* of the command, from 1; 0: it is the only one */
	struct pace_options pace;
	const struct control_options *control; /* NULL without --control */
	bool regions;
	/* With pace.interval: called with the counts of each interval, including the last, partial one. Returns false
	 * if no reader is left; without a command, that ends the run. */
	bool (*interval)(void *arg, const struct measured *m);
	void *interval_arg;
	struct advice_machine *machine;
	bool no_scale;                   /* report multiplexed counts unscaled */
	bool trace;                      /* follow the tasks of the command with ptrace */
	bool announces;                  /* on standard error: counting has begun, and how to end it */
	bool strict;                     /* refuse to start unless every event is counted, in all its modes */
	struct disturbance_watch *watch; /* for the disturbance of the run; NULL: it is not needed */
};

/* The measured counts, of the whole run or of an interval. */
struct measured {
	double time; /* s at the end of the interval; NAN: the whole run */
	struct measurement run;
	struct counts counts;
	struct counts life; /* of a command: also what was counted while counting was off; empty: unknown */
	struct aggr_map map;
	struct tree tree;                     /* with intervals and rows of the whole: the processes */
	int wait_status;                      /* of the command, as from wait4 */
	bool has_usage;                       /* a command was counted, so that the members from user_ns to
						 max_rss_is_bound are known after it has ended */
	uint64_t user_ns, system_ns, max_rss; /* of the command and the children that it waited for; as in a session */
	uint64_t before_exec;                 /* ns of these, which no counter counts */
	uint64_t children_ns;                 /* ns of these, of the children alone */
	uint64_t faults, switches;            /* page faults and context switches, as in getrusage(2) */
	uint64_t preemptions;                 /* of these switches, the involuntary ones */
	bool max_rss_is_bound;                /* as in a session */
	char *left_out;                       /* targets that could not be counted, and why; or NULL */
	char *lost;                           /* why all rows are lower bounds; or NULL */
	const char *of_clocks;                /* what the kernel's clocks of tasks have left out; or NULL */
	struct tree_time tree_time;           /* of the command or the processes, if they were still running */
	struct regions regions;
	struct command_memory memory;
	struct disturbance disturbance; /* with a watch */
	struct strings notes;
	struct backend *backend; /* NULL if it is closed, or was never open */
};

/* Returns 0, or -errno if nothing could be measured; the caller frees m in both cases. Sets m->run.exec_error if a
 * command could not be executed. */
int measure(struct measured *m, const struct measure_options *options, struct signals *signals, struct error *e);

/* Adds the rows, the notes and the session's members to a result. */
void measured_collect(const struct measured *m, const struct measure_options *options, struct result *result);

/* True if the command died of the signal that should end it, as after --timeout: it has not failed. */
bool measured_was_killed(const struct measured *m);

/* Closes the back end, whose plan may then be freed. */
void measured_close(struct measured *m);
void measured_free(struct measured *m);
