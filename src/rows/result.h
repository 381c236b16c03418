/* result: the measurement as rows, from which all output is made. Built once (by collect, metric and others), then
 * rendered by report without changes.
 *
 * Order of calls: zero-initialize; result_add_* for counts and clocks; metrics_add (usual_ratios.h); report;
 * result_clear before the next one, or result_free. Strings given to a result are copied into it (result_text) unless
 * stated otherwise. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/event.h"
#include "lib/arena.h"
#include "lib/util.h"
#include "rows/item.h"
#include "rows/subject.h"
#include "rows/why.h"
#include "stats/sample.h"
#include "stats/summary.h"

struct cpuset;
struct difference;
struct metric_set;
struct plan;
struct usual_expressions;
struct tree;

/* The quality of a number. Only the first four have a value. */
enum status {
	STATUS_EXACT,
	STATUS_SCALED,      /* on a counter for part of the time, extrapolated */
	STATUS_PARTIAL,     /* a lower bound: a part could not be counted (see reason) */
	STATUS_IDLE,        /* never enabled in the interval: a true 0 */
	STATUS_STARVED,     /* enabled, but never on a counter */
	STATUS_UNSUPPORTED, /* this machine or PMU cannot count it */
	STATUS_DENIED,      /* possible, but not for this user or in this mode */
	STATUS_LOST,        /* the task, CPU or cgroup went away, or an open or a read failed */
};

/* A value: a count (exact to 64 bits) or a real (scaled by the PMU's .scale, metrics). */
struct value {
	enum { VALUE_NONE, VALUE_COUNT, VALUE_REAL } type;
	union {
		uint64_t count;
		double real;
	};
};

/* The values of a row in several runs, reports or calls. */
struct spread {
	unsigned n;        /* number of the values, or 0: none are known */
	unsigned outliers; /* among them */
	/* Not columns; in the memory of run_stats, NULL if unknown: the numbers of the n runs (of a metric that is
	 * computed from means: of their runs), and the values in these runs, of which the row's value is the mean. */
	const unsigned *runs;
	const double *values;
	double stddev;                 /* NAN if unknown */
	struct value min, median, max; /* VALUE_NONE if unknown */
	/* the mean per call of a function: the number of calls in each octave of a distribution; or NULL */
	const uint64_t *octaves;
};

/* The spread of a single value. */
extern const struct spread spread_none;

/* A further figure about a row: a record of its own. */
struct variant {
	enum item_kind kind; /* from ITEM_SPREAD on; ITEM_COUNT: the end of a list */
	unsigned command;
	enum status status;
	enum why why;
	const char *reason;
	struct value value;
	double error;
	struct spread spread;
};

/* A cell of a result. */
struct row {
	/* its place */
	double time;           /* s at the end of the interval, or NAN */
	unsigned run, command; /* from 1; run 0: over all runs */
	const struct item *item;
	const struct subject *subject;
	unsigned scope_count; /* -x's second leading column: number of CPUs in this row; 0 without it */

	/* its value */
	enum status status;
	enum why why; /* the reason as a code, for code that looks for it */
	/* metrics: whether the value is beyond the threshold of its definition */
	enum { THRESHOLD_NONE, THRESHOLD_WITHIN, THRESHOLD_BEYOND } threshold;
	const char *reason; /* why there is no value, or the work that the value leaves out, in one line; or "" */
	struct value value;
	double error; /* half-width of the 95% interval, in the value's unit; NAN: exact or unknown */
	/* the ends of the interval, which need not be symmetric; NAN: as row_interval computes them from the error.
	 * INFINITY: it has no upper end */
	double low, high;
	struct sample raw; /* never scaled; valid with has_raw */
	bool has_raw;
	bool user_only;   /* opened without the kernel for lack of permission, although event includes it */
	bool approximate; /* a ratio of counts from different times: marked ~ */
	int group;        /* from 1; 0 outside groups */

	const struct spread *spread;    /* of the value; never NULL; it lives as long as the result */
	const struct variant *variants; /* a list, or NULL */

	/* comparisons */
	const struct difference *difference; /* from the first command (differences.h), or NULL */
	size_t like;                         /* index of the first row with which it is compared, possibly itself */
	bool of_task;                        /* a task's row; the row of all tasks also exists */

	/* only while the row is made: for the statistics of runs, for metrics and for --strict */
	bool apart;           /* counting it was switched on or off separately, or its parts were in different runs */
	bool reason_of_error; /* reason says why the error is unknown */
	/* The value is wrong in every run in the same way; or it is missing, and the mean of the other runs would be
	 * too large. */
	bool biased;
	bool may_miss; /* a part of a task's or CPU's count may be missing (see reason) */
	/* For the i-th event of the plan: the half-width of the 95% interval of the ratio of this count to its count,
	 * as a share of the ratio. NAN if it is unknown, or if the two were not counted together. NULL: all are
	 * unknown. */
	const double *ratio_errors;
};

/* How the user wrote the values of a parameter: as a list, with from..to, or with from..to*factor. */
enum axis { AXIS_UNKNOWN, AXIS_LINEAR, AXIS_LOGARITHMIC };

/* The parameters that vary between the commands of a comparison. */
struct parameters {
	size_t n;
	const char *const *names;
	const char *const *values; /* for each of n commands; NULL if the command does not contain it */
	const enum axis *axes;     /* of each parameter */
	const size_t *origins;     /* for each command the index, from 0, of the command from which it was made */
};

/* Facts about the whole measurement. */
struct session {
	const char *version;
	char **command;     /* argv, NULL-terminated; NULL without a command */
	const char *target; /* for headings: "'sleep 1'", "process id '42'", "'system wide'"; NULL: saved reports */
	const char *target_kind;   /* its machine-readable name: "command", "process", "thread", "system", "cpu" */
	const struct cpuset *cpus; /* the target's CPUs, if these are counted; otherwise empty or NULL */
	const struct plan *plan;
	const struct metric_set *metrics; /* metrics by expression, or NULL */
	double start_time;                /* CLOCK_REALTIME, s */
	uint64_t elapsed_ns;              /* for which counting was on */
	uint64_t wall_ns;                 /* including the time before and between; 0: the same */
	bool has_usage;                   /* a command was counted: the next four are known */
	uint64_t user_ns, system_ns;
	uint64_t max_rss;      /* bytes, as the kernel reports it: at least the peak of pfmstat itself */
	uint64_t tree_rss;     /* bytes, the value of CLOCK_TREE_RSS; 0 without it */
	bool no_scale;         /* values are never extrapolated */
	bool max_rss_is_bound; /* the command's peak is at most this, and may be less */
	int wait_status;       /* of the command, as from wait4 */
	/* for each command (the only one also) how runs of it failed or were cut off, as "failed (status 1)", or NULL;
	 * NULL: none did */
	const char *const *failures;
	bool ignore_failure;               /* such runs count like others */
	unsigned runs;                     /* for each command */
	bool until;                        /* runs ended when an interval was narrow enough, see summary_until_factor */
	unsigned looks;                    /* number of looks that might have ended the runs (looks.h); or 0 */
	double look_share;                 /* with looks: the part of the probability of error that the last one has */
	const struct tree *tree;           /* --by in a single run: the processes; otherwise NULL */
	uint64_t begin;                    /* with tree: CLOCK_MONOTONIC, ns, at the command's start */
	const struct event *ranked_by;     /* with tree: its rows are sorted by this; NULL: in order of their start */
	bool by_task;                      /* --by: there are rows of tasks in addition to the rows of the whole */
	size_t n_merged;                   /* number of merged reports, which have command_names and labels; or 0 */
	const struct strings *merged_runs; /* with n_merged: their runs, saved.h */
	struct event *const *events;       /* with n_merged: the events of all reports */
	size_t n_events;
	/* a comparison; otherwise 0 */
	size_t n_commands;
	char **const *commands; /* argv of each command, including the first; NULL: the names below are given instead */
	const char *const *command_names;
	const char *const *labels; /* the user's names, n_commands, some of them NULL; or NULL */
	unsigned pooled;           /* saved reports: number of reports of which the first one is the mean; or 0 */
	/* saved reports: for each report NULL, or a text with its target and the first report's target if these
	 * differ; NULL without saved reports */
	const char *const *other_targets;
	/* saved reports: the components of the machine that differ from the first report's (machine.h); or NULL */
	const unsigned *other_machines;
	const struct parameters *parameters; /* --scan; otherwise NULL */
	bool medians;                        /* --statistic=median: of the runs, instead of means */
	bool calibrates;                     /* --calibrate: both commands are the same */
	bool has_order;                      /* the order of the runs was random */
	bool has_seed;                       /* the order, or the lengths of --randomize-env, were random */
	uint64_t seed;
};

/* Returns the i-th event of the records: of the run, or of all merged reports; NULL after the last one. group: of the
 * run's, from 1, or 0. */
const struct event *session_event(const struct session *session, size_t i, unsigned *group);
/* Returns the notes on the groups of the run's events; NULL without a run. */
const struct strings *session_group_notes(const struct session *session);
/* True for a run without events: only its times are known. */
bool session_is_of_times_only(const struct session *session);

/* The judgement of a condition of --fail-if on a later command. */
struct judgement {
	const char *text; /* the condition */
	unsigned command;
	bool failed;
	bool uncertain;  /* it has not failed, but the interval crosses its number */
	const char *why; /* why it was not judged, or NULL */
	bool run_failed; /* ... because runs failed */
	size_t row;      /* index of the row whose difference it judges; SIZE_MAX without one */
};

/* Returns how runs of a command (from 1) failed, so that its counts may be of a part of its work; NULL if none did, or
 * if the user ignores it. */
const char *session_failure(const struct session *session, unsigned command);

/* Notes with this prefix are shown before others. */
#define NOTE_WARNING "warning: "

/* The place of a difference among the records: before those of a row. */
struct difference_place {
	size_t of; /* the row that has the difference */
	size_t before;
};

struct result {
	struct session session;
	struct row *rows;
	size_t n, room;
	struct difference_place *differences;
	size_t n_differences;
	bool has_tasks;               /* rows of tasks are compared */
	struct judgement *judgements; /* of --fail-if, in its order */
	size_t n_judgements;
	const char *fail_if;   /* of a calibration: the conditions for --fail-if; NULL if there are none */
	unsigned fail_if_runs; /* ... and their number of runs */
	struct strings notes;  /* one line each: a missing count, the reason, and a remedy */
	struct arena text;     /* all strings of the rows */
	struct items items;
	struct subjects subjects;
	struct usual_expressions *expressions; /* usual_ratios.h; kept by result_clear; NULL before they are needed */
};

/* Removes everything except the session, to reuse memory for the next result. */
void result_clear(struct result *result);

/* Return a copy, a formatted text, and memory that live as long as the result; less than 2 GiB. */
const char *result_text(struct result *result, const char *s);
const char *result_format(struct result *result, const char *format, ...) PRINTF_LIKE(2, 3);
void *result_allocate(struct result *result, size_t size);
/* Return the item and the subject of the result with these members (items_intern, subjects_intern). */
const struct item *result_item(struct result *result, const struct item *item) NEVER_NULL;
const struct subject *result_subject(struct result *result, const struct subject *subject) NEVER_NULL;

/* The items and subjects of one result in another, each looked up when it is first needed. */
struct translation {
	struct result *to;
	const struct item **items;
	const struct subject **subjects;
};
void translation_init(struct translation *t, struct result *to, const struct result *from);
const struct item *translate_item(struct translation *t, const struct item *item);
const struct subject *translate_subject(struct translation *t, const struct subject *subject);
void translation_free(struct translation *t);

/* Appends a row with defaults (NAN, "", of everything). The pointer is valid until the next row. */
struct row *result_add(struct result *result, const struct item *item);

/* Appends a copy of a row of any result. The pointer is valid until the next row. */
struct row *result_add_copy(struct result *result, const struct row *row);

/* Gives a row of the result a spread of its own, a copy of the one that it has. */
struct spread *result_spread(struct result *result, struct row *row);

/* A list of variants while it grows: zero-initialize; variants_add for each, with defaults; variants_give, which makes
 * it the row's and frees it. */
struct variants {
	struct variant *v;
	size_t n;
};
struct variant *variants_add(struct variants *variants, enum item_kind kind);
void variants_give(struct variants *variants, struct result *result, struct row *row);

/* Appends the rows of another result, which must live as long: they share its strings. */
void result_append(struct result *result, const struct result *from);

/* The four rows at the end of every machine-readable report, CLOCK_DURATION to CLOCK_MAX_RSS, for the whole
 * measurement. Unless a command was counted, the last three have no value. */
#define RESULT_CLOCKS CLOCK_MAX_RSS
void result_clocks(const struct result *result, struct row rows[RESULT_CLOCKS]);

/* True for user and system time: most kernels know the total time of a task, and divide it by their observations at
 * each tick (kernel/sched/cputime.c, cputime_adjust). */
bool clock_is_sampled(enum clock clock);
/* Sets status, error, ends and reason of a clock's row with a value. cpu_ns: user and system time. peak_is_bound: as
 * in a session. */
void row_set_clock_accuracy(struct row *row, uint64_t cpu_ns, bool peak_is_bound);

/* True for a clock of the simulation. */
bool row_is_of_simulation(const struct row *row);

/* Returns the clock of a row of the whole, at any time and of any run and command; CLOCK_NONE (0) if it is none. */
enum clock row_clock(const struct row *row);

/* True for a peak of memory that may be pfmstat's own, in one run or in some: the command's is at most this. */
bool row_is_upper_bound(const struct row *row);
/* Sets the ends of such a row from its value and error; other rows are unchanged. */
void row_set_bound_ends(struct row *row);

/* True for a clock (not of an event) with hardly any meaning: user or system time below 0.1 s, or memory with a reason,
 * whatever its words in a saved report. */
bool row_is_chance(const struct row *row);

/* True if both are of the same item and subject, in any results. */
bool row_is_same(const struct row *a, const struct row *b);
/* For two rows that are the same by row_is_same: true if they are known to be of different events or metrics. */
bool row_differs(const struct row *a, const struct row *b);
/* True for the 0 of a task that none of a command's runs had. */
bool row_is_absent(const struct row *row);
/* True for the count of one of several core PMUs: the sum also has a row. */
bool row_is_part(const struct row *row);
/* True if both have the same run, command and time. */
bool rows_are_of_same_time(const struct row *a, const struct row *b);
/* True if both have values in the same runs. NULL, and rows of a single run, match any row. */
bool rows_are_of_same_runs(const struct row *a, const struct row *b);
/* True for a count, and for a metric by expression: the usual ratios would add little to their counts. */
bool row_is_comparable(const struct row *row);
/* Gives a row the subject of another row of its result, and the number of its CPUs. */
void row_copy_subject(struct row *row, const struct row *from);

/* Set the reason to the text of a code; to a text, "" for none, that lives as long as the row; or to that of a row of
 * any result. */
void row_explain(struct row *row, enum why why);
void row_explain_text(struct row *row, const char *text);
void result_explain_like(struct result *result, struct row *row, const struct row *from);

/* True if the value is a time, in ns. */
bool row_is_time(const struct row *row);

struct value count_value(uint64_t count);
struct value real_value(double real);
/* Returns count * scale; a count if scale is a whole number and the product has 64 bits. */
struct value scaled_count(uint64_t count, double scale);
/* Returns the value of a row as a real, for both types; NAN without a value. */
double value_real(struct value value);
/* Compares two values, to the last digit of counts. */
int value_compare(struct value a, struct value b);
/* Sets n, stddev, min, median and max from n > 0 values, of which it returns the summary. */
struct summary spread_make(struct spread *spread, const double *values, size_t n);

const char *status_name(enum status status);
bool status_has_value(enum status status);
bool row_has_value(const struct row *row); /* a finite one */
/* True if the value is not a lower bound: differences and metrics can be computed from it. */
bool row_is_known(const struct row *row);
/* True for an estimate whose error is unknown although there are several runs: it may be wrong in each. */
bool row_lacks_error(const struct row *row);
struct interval {
	double low, high;
};

/* Returns the interval of the row's value; NAN if it is exact or unknown. A count is not below 0. */
struct interval row_interval(const struct row *row);
/* True if it was off its PMU for part of the time; false for NULL. */
bool row_is_multiplexed(const struct row *row);

void result_free(struct result *result);
