/* repeat: the runs that were asked for, and what they come to: a single one, with or without a command; or repeated
 * runs of one command, or of several in turn.
 *
 * Order of calls: fill in the settings; repeat_run; look at result, signal, wait_status; repeat_free. The rows of
 * each run go to the report as soon as it is over; those over all runs are left in result, with the session's figures
 * and notes, for the caller to add to and to report.
 *
 * With several commands each round runs each of them once, in random order, so that what changes meanwhile (a busy
 * machine, a warm one) meets all alike. Of the runs of a command those that failed are left out of its statistics,
 * unless all did. A run that a signal to this process cut short is left out, unless it is the only one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "compare/run_stats.h"
#include "lib/error.h"
#include "lib/random.h"
#include "os/progress.h"
#include "os/signals.h"
#include "report/reports.h"
#include "rows/result.h"
#include "run/measure.h"

/* Commands of the shell; NULL: none. */
struct hooks {
	const char *setup;      /* once for each command, before all runs */
	const char *pre, *post; /* before and after each run */
};

/* repeat_options.runs */
enum {
	REPEAT_SINGLE = -1, /* one run, without anything that repeat_options asks for besides */
	REPEAT_AUTO = -2,   /* decided by the length of the first round */
};

struct repeat_options {
	long runs;   /* of each command; 0: until a signal comes; or REPEAT_... */
	long warmup; /* runs of each before, that do not count */
	struct hooks hooks;
	const struct hooks *command_hooks; /* those of each command; NULL: the same for all */
	bool sync;                         /* sync(2) before each run */
	double until;  /* stop when the interval of the first event is under this per cent; NAN: do all runs */
	bool has_seed; /* of the order; else one is drawn */
	uint64_t seed;
	bool randomize_environment; /* a variable of random length for each run */
	const char *input, *output; /* of the command: paths; NULL: those of pfmstat (command_files.h) */
};

/* A run that ended otherwise than with status 0, or was ended. */
struct failure {
	size_t command; /* from 0 */
	unsigned run;   /* 0: a warmup */
	int wait_status;
	bool ended; /* by --timeout, as was asked for */
};

struct repeat {
	/* settings */
	const struct repeat_options *options;
	struct measure_options measure; /* command is replaced */
	char **const *commands;
	size_t n_commands;
	struct signals *signals;
	struct reports *reports;
	struct ranking ranking; /* of the rows of tasks over all runs */
	struct session session; /* of the report's first words */

	/* what came of it */
	struct result result;
	int signal;          /* that ended it; 0: none */
	bool stopped;        /* a run was ended by --timeout or the like */
	bool told;           /* by a client of --control, who wants no more of them */
	int wait_status;     /* of the first run of any command that failed, and was not ended; 0: none did */
	int exec_error;      /* errno: a command could not be executed, and nothing more was run */
	const char *culprit; /* its name */
	char *inexact;       /* --strict: the first event that was not counted exactly; NULL: none */
	bool started;        /* the report: something was measured, if only the time */

	/* repeat's own */
	struct measured single;       /* a single run, or the only one: the result points to its tree */
	struct run_stats *good, *bad; /* of each command: its runs that ended with 0, and the others */
	struct run_stats *partial;    /* of each: what was cut short */
	struct failure *failures;
	size_t n_failures;
	struct random random;
	size_t *order; /* of the groups in the present run */
	struct counters_memory memory;
	struct progress progress;
	struct child_files files;
	long runs;                 /* of each command; 0: endless */
	bool out_of_time;          /* --timeout ended a comparison before all its runs were made */
	uint64_t budget_end;       /* CLOCK_MONOTONIC, ns: --timeout of a comparison; 0: none */
	unsigned long done, total; /* runs, warmups included; total 0: endless or not yet known */
	unsigned rounds;
	unsigned uncounted; /* runs that ended before --delay was over */
};

/* 0, or -errno when it had to stop; what was measured before is in result even then, if started. */
int repeat_run(struct repeat *c, struct error *e);
void repeat_free(struct repeat *c);

/* repeat's own (repeat_session.c). It is one to be repeated, as by --pre or -r 1, but only once: */
bool repeat_is_single(const struct repeat *c);
/* A run that was cut short is better than nothing, but not in a comparison. */
struct run_stats *repeat_stats_of(const struct repeat *c, size_t command);
/* How a run ended. False: the command could not be executed, and nothing was measured. */
bool repeat_take_end(struct repeat *c, size_t command, const struct measured *m);
/* --strict: remember the first row that is not exact. */
void repeat_take_strictly(struct repeat *c, const struct result *run);
/* Once: the first words of the report. */
void repeat_start_report(struct repeat *c, double start_time);
/* How run number (0: a warmup) of a command ended, and its rows, for the report and for the statistics. */
void repeat_take_run(struct repeat *c, size_t command, unsigned number, const struct measured *m);
/* After the last run: the rows over all runs, the session's figures and the notes. */
void repeat_finish(struct repeat *c);
/* The mean elapsed time of each command so far, for people: "3.21 ms : 1.64 ms". */
void repeat_estimate(const struct repeat *c, char *buf, size_t size);

/* repeat's own (repeat_notes.c): notes on failed runs, outliers, a first run unlike the others and an interruption,
 * added to the result's. */
void repeat_add_notes(struct repeat *c);
/* The same of a single run where counting was off before a delay was over, or when --control said so: people see the
 * time of the whole run, as with perf. */
void repeat_note_wall_time(struct result *result, const struct measurement *run);
