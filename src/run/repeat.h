/* repeat: the requested runs and their statistics: a single run, with or without a command; or repeated runs of one
 * command, or of several commands in turn.
 *
 * Order of calls: fill in the settings; repeat_run; read result, signal, wait_status; repeat_free. The rows of each run
 * go to the report when it ends; the rows over all runs are left in result, with the session's members and notes, for
 * the caller to complete and report.
 *
 * With several commands each round runs each of them once, in random order, so that changes of the machine (busy, warm)
 * affect all alike. Failed runs of a command are left out of its statistics, unless all failed. A run that a signal to
 * this process ended early is left out, unless it is the only one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compare/condition.h"
#include "compare/run_stats.h"
#include "lib/error.h"
#include "lib/random.h"
#include "os/progress.h"
#include "os/signals.h"
#include "report/reports.h"
#include "rows/result.h"
#include "run/measure.h"
#include "stats/looks.h"

/* Shell commands, which may be NULL. */
struct hooks {
	const char *setup;      /* once for each command, before all runs */
	const char *pre, *post; /* before and after each run */
};

/* repeat_options.runs */
enum {
	REPEAT_SINGLE = -1, /* one run, also without a command */
	REPEAT_AUTO = -2,   /* until the differences are decided, or the time for it is over */
};

struct repeat_options {
	long runs;   /* of each command; 0: until a signal arrives; or REPEAT_... */
	long warmup; /* runs before these that are not counted */
	struct hooks hooks;
	const struct hooks *command_hooks; /* for each command; NULL: the same for all */
	bool sync;                         /* sync(2) before each run */
	double until;  /* stop when the interval of the first event is below this per cent; NAN: make all runs */
	bool has_seed; /* of the order; without it, one is drawn */
	uint64_t seed;
	bool ignore_failure;        /* failed runs count like others */
	bool randomize_environment; /* a variable of random length for each run */
	const char *input, *output; /* of the command: paths; NULL: as pfmstat's (command_files.h) */
	bool hides_output;          /* the user has not chosen the output, and does not see it */
	bool decide;                /* stop when the differences are decided; REPEAT_AUTO implies it */
	bool undisturbed;           /* repeat rounds with a disturbed run */
};

/* A run that ended with a status other than 0, or was ended. */
struct failure {
	size_t command; /* from 0 */
	unsigned run;   /* 0: a warm-up run */
	int wait_status;
	const char *cut_off; /* what ended it, as requested: --timeout and so on; or NULL */
};

/* What disturbed a run (disturbance.h). */
struct disturbed_run {
	size_t command; /* from 0 */
	unsigned run;
	struct disturbance disturbance;
};

/* A run whose round has not ended, so that it may be left out. */
struct pending_run {
	struct result rows;
	struct run_stats *stats; /* to which it belongs */
	unsigned run;
};

struct repeat {
	/* settings */
	const struct repeat_options *options;
	struct measure_options measure; /* command is replaced */
	char **const *commands;
	size_t n_commands;
	char *const *directories; /* in which each command and its hooks run; NULL: in the current one */
	struct signals *signals;
	struct reports *reports;
	struct ranking ranking;              /* of the rows of tasks over all runs */
	double threshold;                    /* of the verdicts that end the runs */
	const struct conditions *conditions; /* of --fail-if, which end the runs instead; may be empty */
	struct session session;              /* for the start of the report */

	/* results */
	struct result result;
	int signal;   /* that ended it, or 0 */
	bool stopped; /* a run was ended by --timeout, --interval-count or `stop` */
	bool stopped_by_control;
	int wait_status;            /* of the first run of any command that failed, and was not ended; or 0 */
	int exec_error;             /* errno: a command could not be executed, and nothing more was run */
	const char *culprit;        /* its name */
	char *inexact;              /* --strict: the first event that was not counted exactly; or NULL */
	struct strings minor_notes; /* less important than all others */
	bool started;               /* the report has begun: something was measured, at least the time */

	/* internal to repeat */
	struct measured single;       /* a single run: the result points to its tree */
	struct measured before;       /* the previous run, whose counters are open */
	struct run_stats *good, *bad; /* for each command: its runs that ended with 0, and the others */
	struct run_stats *partial;    /* for each command: the run that ended early */
	struct failure *failures;
	size_t n_failures;
	struct disturbed_run *disturbed; /* of all runs that are not left out */
	size_t n_disturbed;
	struct pending_run *pending; /* with `undisturbed` */
	size_t n_pending;
	unsigned rounds_again, rounds_given_up; /* rounds that were repeated; that stayed disturbed */
	struct disturbance_watch watch;
	struct random random;
	size_t *order; /* of the groups in the current run */
	struct counters_memory memory;
	struct progress progress;
	struct child_files files;
	struct looks looks;        /* budget 0: not yet known, or there are none */
	long runs;                 /* of each command; 0: endless */
	bool out_of_time;          /* --timeout ended a comparison before all its runs were made */
	uint64_t budget_end;       /* CLOCK_MONOTONIC, ns: --timeout of a comparison; or 0 */
	uint64_t longest_round;    /* ns; without warm-up rounds */
	unsigned long done, total; /* runs, including warmups; total 0: endless or not yet known */
	unsigned rounds;
	unsigned uncounted; /* runs that ended before --delay was over */
	bool paused;        /* counting was off for a part of a run */
};

/* Returns 0, or -errno if it had to stop; result then contains the earlier measurements, if started. */
int repeat_run(struct repeat *c, struct error *e);
void repeat_free(struct repeat *c);

/* Internal to repeat (repeat_session.c). True for a single run: its rows are the result. */
bool repeat_is_single(const struct repeat *c);
/* Returns the statistics of the good runs of a command; if there are none, of the failed runs or, unless commands are
 * compared, of the run that ended early. */
struct run_stats *repeat_stats_of(const struct repeat *c, size_t command);
/* Records the end of a run of a command (number 0: a warm-up run), and its rows, for the report and for the
 * statistics. */
void repeat_take_run(struct repeat *c, size_t command, unsigned number, const struct measured *m);
/* Adds the rows of a run to the report and to the statistics, and frees them. */
void repeat_add_run(struct repeat *c, struct pending_run *run);
/* After the last run: makes the rows over all runs, the session's members and the notes. */
void repeat_finish(struct repeat *c);

/* Internal to repeat (repeat_disturbed.c): records what disturbed a run, and adds it to the rows of the run. */
void repeat_take_disturbance(struct repeat *c, size_t command, unsigned number, const struct disturbance *d,
			     struct result *run);
/* Ends a round: leaves its runs out and returns true if one of them was disturbed and the round is to be repeated;
 * again: it may be. */
bool repeat_leave_out_round(struct repeat *c, unsigned number, bool again);
/* Returns what disturbed a run, or NULL. */
const struct disturbance *repeat_disturbance_of(const struct repeat *c, size_t command, unsigned run);
void repeat_note_disturbances(struct repeat *c);

/* Internal to repeat (repeat_looks.c): --until, and the differences that are decided before all runs are made. */
/* Called when the largest number of rounds is known. If no difference is near its decision after the usual number, no
 * more are made. */
void repeat_start_looks(struct repeat *c, unsigned usual, unsigned most);
/* Called before each round. Returns true if the rounds so far suffice. */
bool repeat_knows_enough(struct repeat *c);
/* Called after the last round, for the session's members. */
void repeat_end_looks(struct repeat *c);

/* Writes the mean elapsed time of each command so far, for people: "3.21 ms : 1.64 ms". */
void repeat_estimate(const struct repeat *c, char *buf, size_t size);

/* Internal to repeat (repeat_notes.c): adds the failures of all commands to the session; and notes on failed runs,
 * outliers, an unusual first run and an interruption to the result. */
void repeat_add_failures(struct repeat *c);
void repeat_add_notes(struct repeat *c);
/* Returns true if counting was off during a part of the run worth a note. */
bool repeat_was_paused(const struct measurement *run);
/* Adds a note if counting was off during a part of a single run, by --delay or --control: people see the time of the
 * whole run, as in perf. */
void repeat_note_wall_time(struct result *result, const struct measurement *run);
