/* result: what was measured, as rows, from which all output is made. Built once (by collect, metric and others), then
 * rendered by report, and not changed any more.
 *
 * Order of calls: result_init; result_add_* for counts and clocks; metrics_add (metric.h); report; result_clear before
 * the next one, or result_free.
 * Strings given to a result are copied into it (result_text) unless said otherwise.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counts.h"
#include "event/event.h"
#include "host/topology.h"
#include "lib/arena.h"
#include "lib/util.h"
#include "plan/plan.h"

struct cpuset;
struct difference;
struct formula;
struct formula_set;
struct metric;
struct tree;

enum row_kind {
	ROW_COUNT,
	ROW_METRIC,
	ROW_DIFFERENCE, /* the difference of a command's mean from that of the first, in the event's unit */
	ROW_CHANGE,     /* the same as a share of the first one's mean */
	/* of reports that were merged (merge.h), with `of` the row of the total: */
	ROW_SPREAD,    /* the mean over the reports, and how they spread around it */
	ROW_IMBALANCE, /* by how much the largest is above the mean, as a share of it; command: that report */
	ROW_OUTLIER,   /* a report far from the others; command: its number */
};

/* Of a difference from the first command. */
enum verdict {
	VERDICT_SAME,      /* the whole interval lies within the threshold */
	VERDICT_LESS,      /* the whole interval lies below it */
	VERDICT_MORE,      /* above */
	VERDICT_UNDECIDED, /* it spans both */
	VERDICT_UNKNOWN,   /* no interval: a single run */
};

/* How far a number can be trusted. Only the first four have a value. */
enum status {
	STATUS_EXACT,
	STATUS_SCALED,      /* on a counter for a part of the time, extrapolated */
	STATUS_PARTIAL,     /* a lower bound: something that belongs to it could not be counted, as the reason says */
	STATUS_IDLE,        /* never enabled in the interval: a true 0 */
	STATUS_STARVED,     /* enabled, never on a counter */
	STATUS_UNSUPPORTED, /* this machine or PMU cannot count it */
	STATUS_DENIED,      /* it could, but not for this user or in this mode */
	STATUS_LOST,        /* the task, CPU or cgroup went away, or an open or a read failed */
};

/* A value: a count (exact to 64 bits) or a real (scaled by the PMU's .scale, metrics). */
struct value {
	enum { VALUE_NONE, VALUE_COUNT, VALUE_REAL } type;
	uint64_t count;
	double real;
};

struct row {
	enum row_kind kind;
	double time;           /* s at the end of the interval; NAN: none */
	unsigned run, command; /* from 1; run 0: over all runs */
	enum aggr_mode scope;
	/* "" for the total; cpu: its number; core, die, socket, node: as perf writes them (S0-D0-C1, S0-D0, S0, N0);
	 * thread, process: its id; comm, cgroup, region: its name */
	const char *scope_id;
	const char *cgroup;   /* it is about tasks of this one only; "": all tasks */
	unsigned scope_count; /* -x's second leading column: CPUs added up in this row; 0: none */
	const char *name;     /* the event as the user wrote it, or the metric's */
	const char *unit;     /* "" for a plain count */
	enum status status;
	struct value value;
	double error;         /* half-width of the 95% interval, in the value's unit; NAN: exact or not known */
	unsigned n;           /* runs that the statistics are of; 0: none given */
	const unsigned *runs; /* not a column, as long as the run_stats: their numbers, of metrics those of its counts;
				 NULL: none */
	const double *values; /* the same: their values, which have the row's mean (run_stats.h); NULL: not known */
	double stddev;        /* NAN: none given */
	struct value min, median, max; /* the same */
	unsigned outliers;             /* among the n */
	bool has_raw;
	struct sample raw;  /* never scaled; valid with has_raw */
	double share;       /* of the time, that the value is extrapolated from; 0: it is not */
	int group;          /* from 1; 0: none */
	bool apart;         /* counting of it was switched on or off by itself */
	unsigned pass;      /* which of the runs it was counted in (multi_run.h); 0: any */
	const char *reason; /* "" or why there is no value, or what it leaves out, in one line */
	pid_t pid, ppid;    /* 0: none */
	const char *comm;   /* NULL: none */
	/* metrics: is the value beyond the threshold that its definition has for what is worth a look? */
	enum { THRESHOLD_NONE, THRESHOLD_WITHIN, THRESHOLD_BEYOND } threshold;

	/* Of use to what makes rows and renders them; not columns. */
	const struct event *event; /* NULL: metrics, and the clocks that are always there */
	/* which of the events of the report, from 1; metrics: of that of the count it is shown beside; 0: none */
	size_t number;
	const struct event *beside; /* metrics of saved reports: that event; NULL: not known */
	/* of this count over the i-th event of the plan, where both were scaled and counted together: half-width of
	 * the 95% interval, relative to the ratio; NAN: not known, or not together; NULL: none is */
	const double *ratio_errors;
	bool user_only;       /* opened without the kernel, as that is not permitted, although event includes it */
	bool counted_event;   /* a row of an event the user asked for (or a default one): -x prints only these */
	bool reason_of_error; /* reason says why the error is not known, */
	bool biased;  /* ... which may be the same in every run; without a value: others would be too large a mean */
	bool removed; /* idle, in a cgroup that is no more: perf's formats say that it was not counted */
	bool lacks;   /* a part of it may be missing, of a task or of a CPU, as the reason says */
	size_t of;    /* metrics: index of the count row it is shown beside */
	size_t like;  /* comparisons: index of the first row that it goes with, which may be its own */
	bool part;    /* comparisons: of a task, beside the row of all tasks, whose difference it explains */
	bool absent;  /* comparisons: a task that none of the command's runs had, which counts 0 */
	bool approximate;                    /* a ratio of counts from different times: marked ~ */
	const struct metric *metric;         /* metrics: its definition, if it is one of the usual ratios; */
	const struct formula *formula;       /* or if it is one by expression */
	const struct difference *difference; /* differences and changes: all of it (differences.h); */
	enum verdict verdict;                /* in words it is the reason */
	double runs_needed; /* VERDICT_UNDECIDED: about so many would decide; INFINITY: more would not soon */
};

/* What was varied between the commands of a comparison. */
struct parameters {
	size_t n;
	const char *const *names;
	const char *const *values; /* n of the first command, n of the second, …; NULL: that one does not have it */
	const size_t *origins;     /* of each command the place, from 0, of the one it was made of */
};

/* What is said of the whole measurement. */
struct session {
	const char *version;
	char **command;            /* argv, NULL-terminated; NULL: none */
	const char *target;        /* for the table's header: "'sleep 1'", "process id '42'", "'system wide'" */
	const char *target_kind;   /* machine name of it: "command", "process", "thread", "system", "cpu" */
	const struct cpuset *cpus; /* the target's, if these CPUs are what is counted; empty or NULL: they are not */
	const struct plan *plan;
	const struct formula_set *formulas; /* metrics by expression; NULL: none */
	double start_time;                  /* CLOCK_REALTIME, s */
	uint64_t elapsed_ns;                /* in which counting was on */
	uint64_t wall_ns;                   /* with what passed before and between; 0: the same */
	bool has_usage;                     /* a command is what was counted: the next four are known */
	uint64_t user_ns, system_ns;
	uint64_t max_rss;        /* bytes, as the kernel reports it: at least the peak that pfmstat itself had */
	bool max_rss_is_bound;   /* the command's peak is no larger, and may be less */
	int wait_status;         /* of the command, as from wait4 */
	unsigned runs;           /* of each command */
	bool until;              /* they ended when an interval was narrow enough, see summary_until_factor */
	const struct tree *tree; /* --by in a single run: the processes; NULL: not asked for */
	uint64_t begin;          /* with tree: CLOCK_MONOTONIC, ns, at the command's start */
	bool ranked;             /* with tree: its rows are not in order of their start */
	bool by_task;            /* --by: there are rows of tasks beside those of the whole */
	const double *run_times; /* s, the elapsed time of each of n_run_times; allocated with the result */
	size_t n_run_times;
	size_t n_merged;                   /* reports that were merged, which have command_names and labels; 0: none */
	const struct strings *merged_runs; /* with n_merged: what they were made of, saved.h */
	struct event *const *events;       /* with n_merged: what is counted in any of them */
	size_t n_events;
	/* a comparison; 0: none */
	size_t n_commands;
	char **const *commands; /* their argv, the first included; NULL: the next are given instead */
	const char *const *command_names;
	const char *const *labels; /* what the user calls them, n_commands, some of them NULL; NULL: none */
	/* saved reports: of each that is of another target than the first, in words which they are; NULL: the same,
	 * or not known; NULL: none is */
	const char *const *other_targets;
	const struct parameters *parameters; /* --scan; NULL: none */
	bool has_order;                      /* the order of the runs was random */
	uint64_t seed;
};

/* What a condition of --fail-if says of a later command. */
struct judgement {
	const char *text; /* the condition */
	unsigned command;
	bool failed;
	const char *why; /* why it was not judged; NULL: it was */
	size_t row;      /* index of the difference; SIZE_MAX: none */
};

/* Notes that begin so are shown before others. */
#define NOTE_WARNING "warning: "

struct result {
	struct session session;
	struct row *rows;
	size_t n, room;
	struct judgement *judgements; /* of --fail-if, in its order; allocated with the result */
	size_t n_judgements;
	struct strings notes; /* one line each: what was not counted and why, what would fix it */
	struct arena text;    /* all strings of the rows */
};

void result_init(struct result *result);

/* Remove all but the session, to use its room for the next result. */
void result_clear(struct result *result);

/* A copy, a text, and room that live as long as the result; less than 2 GiB. */
const char *result_text(struct result *result, const char *s);
const char *result_format(struct result *result, const char *format, ...) PRINTF_LIKE(2, 3);
void *result_allocate(struct result *result, size_t size);

/* Append a row with nothing set (NAN, "", AGGR_TOTAL) of this kind and name. The pointer is good until the next. */
struct row *result_add(struct result *result, enum row_kind kind, const char *name);

/* Append a copy of a row of any result. `of` is the caller's to set. The pointer is good until the next. */
struct row *result_add_copy(struct result *result, const struct row *row);

/* The four rows that every machine-readable report ends with, whatever was counted: duration_time, user_time,
 * system_time (ns) and max_rss (B), of the whole measurement. Unless a command is what was counted, the last three have
 * no value. The rows' strings are constants. */
enum { CLOCK_DURATION, CLOCK_USER, CLOCK_SYSTEM, CLOCK_MAX_RSS, RESULT_CLOCKS };
void result_clocks(const struct result *result, struct row rows[RESULT_CLOCKS]);
bool result_is_clock(const char *name);

/* So many ns of user or system time are nearly all chance: less than 0.1 s. Most kernels know what a task used in all,
 * and divide it between the two by what they see at each tick (kernel/sched/cputime.c, cputime_adjust). */
bool clock_is_chance(int clock, double ns);
/* Of max_rss: what the kernel reports includes the peak of the memory that pfmstat had at the exec. */
#define REASON_PEAK "pfmstat itself had as much until the command was executed, which may need less"
#define REASON_CHANCE                                                                                                \
	"it is below 0.1 s: most kernels divide the CPU time between user and system mode by samples, so that part " \
	"of it may belong to the other"

/* Of sums, and of what is extrapolated, which then are UINT64_MAX. */
#define REASON_TOO_LARGE "it is a lower bound: 64 bits do not hold the sum"

/* Which of them it is, of whatever time, run and command, from 0; -1: none. An event may have the name of one. */
int row_clock(const struct row *row);

/* Is it a clock, not an event's, that says hardly anything: such a time, or memory with REASON_PEAK? */
bool row_is_chance(const struct row *row);

/* Which of two rows is about what comes first; 0: both are about the same. */
int row_compare_subjects(const struct row *a, const struct row *b);
/* Are both of the same kind and name, and about the same? */
bool row_is_same(const struct row *a, const struct row *b);
/* Are two such rows known to be of events that count different things, or of different metrics? */
bool row_differs(const struct row *a, const struct row *b);
/* Is it about a process, a program or a thread, of those that a measurement tells apart? */
bool row_is_task(const struct row *row);
/* Are both of the same run, command and time? */
bool rows_are_of_same_time(const struct row *a, const struct row *b);
/* Have both a value in the same runs? Those that are not of several runs, and NULL, go with any. */
bool rows_are_of_same_runs(const struct row *a, const struct row *b);
/* Make a row about the same as another of its result (whose strings it shares). */
void row_copy_subject(struct row *row, const struct row *from);

/* The value of a row as a real, whichever type it has; NAN when it has none. */
double value_real(struct value value);
/* Which of two is less, to the last digit of counts. */
int value_compare(struct value a, struct value b);
/* The mean of n, which is `mean` as far as a double holds it: the nearest count, of large counts. */
struct value values_mean(const struct value *values, size_t n, double mean);
/* Set the row's min, median and max, of n > 0. */
void row_set_range(struct row *row, const struct value *values, size_t n);

const char *status_name(enum status status);
bool status_has_value(enum status status);
bool row_has_value(const struct row *row); /* a finite one */
/* The value is no lower bound: differences and metrics can be computed from it. */
bool row_is_known(const struct row *row);
/* Was it off its PMU for a part of the time? Not so of NULL. */
bool row_is_multiplexed(const struct row *row);

void result_free(struct result *result);
