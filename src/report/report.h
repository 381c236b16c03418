/* report: renders results in all formats (table, -x, -j, --csv, JSON Lines and others) without changing them.
 *
 * Order of calls: report_open (before the command starts, so that an unwritable file is an early error); report_start,
 * which empties a file of -o or, with --append, prepares to continue it; report_rows for each batch of rows (an
 * interval, or the whole); report_end once; report_close, which returns whether everything reached its file. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/color.h"
#include "lib/error.h"
#include "os/signals.h"
#include "rows/result.h"

/* All formats: each has a name, the functions report_NAME_ops, and the end of names of files of --export, or NULL.
 *
 * --csv ends its lines in \n only and writes its header only into an empty file (--append collects runs). An empty cell
 * is null in JSON. Both end with the rows duration_time, user_time, system_time and max_rss of the whole measurement,
 * unless rows of that name and scope have been reported; without a command the last three are unsupported. No control
 * character from outside reaches a terminal. */
#define REPORT_FORMATS(FORMAT)                                              \
	FORMAT(TABLE, table, NULL)                                          \
	FORMAT(X, x, NULL)                                                  \
	FORMAT(CSV, csv, "csv")                                             \
	FORMAT(JSON, json, "json")                                          \
	FORMAT(PERF_JSON, perf, NULL)                                       \
	FORMAT(FOLDED, folded, NULL)                                        \
	FORMAT(MARKDOWN, markdown, "md")                                    \
	FORMAT(SVG, svg, NULL) /* --plot */                                 \
	FORMAT(OPENMETRICS, openmetrics, "prom")                            \
	FORMAT(BENCHER, bencher, "bmf.json")                                \
	FORMAT(GITHUB_BENCHMARK, github_benchmark, "gab.json")              \
	FORMAT(JUNIT, junit, "junit.xml") /* the conditions of --fail-if */ \
	FORMAT(GITHUB, github, NULL)      /* the same as commands of GitHub's workflows */

#define REPORT_NUMBER(name, ops, end) REPORT_##name,
enum report_format { REPORT_FORMATS(REPORT_NUMBER) };

/* A glob with more matches is long. */
#define REPORT_LONG_GLOB 30

/* The order of the table's rows. REPORT_SORT_DEFAULT: the order of the events in -e, but the matches of a long glob are
 * sorted by value, with one line for all zeros. */
enum report_sort { REPORT_SORT_DEFAULT, REPORT_SORT_NONE, REPORT_SORT_VALUE, REPORT_SORT_NAME };

#define REPORT_TASKS_MOST 25 /* rows of tasks in a table, without top */

struct report_options {
	enum report_format format;
	const char *separator; /* -x */
	const char *folded;    /* --folded: the event */
	const char *path;      /* -o; "-": standard output; NULL: log_fd */
	bool quiet;            /* nothing is written */
	bool append;           /* --append */
	size_t changes;        /* of a comparison, the number of events; 0: all */
	size_t top;            /* rows of tasks in a table, or with --openmetrics; 0: the default; SIZE_MAX: all */
	int log_fd;            /* --log-fd; standard error if not given */
	bool big_num;          /* group digits in the table */
	bool hybrid_merge;     /* perf's formats: the sum of an event on several core PMUs, not its parts */
	bool plain_summary;    /* -x: rows of the whole after intervals are not marked */
	bool verbose;
	bool metric_only;      /* no counts */
	bool each_run;         /* -r 0: -x and -j have the rows of each run, not their means */
	enum color_when color; /* of the table */
	bool run_table;        /* the elapsed time of each run */
	enum report_sort sort;
	bool nonzero; /* one line of the table for all zeros */
	bool summary; /* of intervals: the table ends with pictures of the rates */
};

struct report;

/* What a format needs beside the usual rows: the tree of processes (session.tree); or the rows of all tasks, although
 * --top is given: it selects them itself. */
enum report_need { REPORT_NEEDS_NOTHING, REPORT_NEEDS_PROCESSES, REPORT_NEEDS_ALL_TASKS };
enum report_need report_need(enum report_format format);

/* True if both write to one file. */
bool report_is_same_file(const struct report *report, const struct report *other);
/* True if it writes to this regular file. */
bool report_writes_to(const struct report *report, const char *path);

/* signals: these end any waiting for a slow reader; they must be blocked before the first row. */
int report_open(struct report **out, const struct report_options *options, const struct signals *signals,
		struct error *e);
/* Writes the text above the first rows, which must follow immediately; later calls do nothing. */
void report_start(struct report *report, const struct result *result);
void report_rows(struct report *report, const struct result *result);
/* Clears the screen if the report goes to a terminal. */
void report_clear(struct report *report);
/* rows: also writes the rows of the result. */
void report_end(struct report *report, const struct result *result, bool rows);

/* Returns -errno, once, if a file could not be replaced as a whole; this is repeated with the next rows. The caller
 * then exits as after a failure of report_close. */
int report_tell_failure(struct report *report, struct error *e);
/* Waits until everything is written or a signal arrives; closes the file; frees. Returns -errno if anything was not
 * written: -EPIPE, -ENOSPC, -EINTR …, -ENODATA if the only event of --folded was not counted. */
int report_close(struct report *report, struct error *e);
