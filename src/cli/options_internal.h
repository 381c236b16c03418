/* options_internal: shared by the files of options: the keys, the table of options and the short help
 * (options_table.c), options that exclude each other (options_conflicts.c), and foreign and unknown options
 * (options_foreign.c). For these files only. */
#pragma once

#include <argp.h>

#include "cli/options.h"

/* Keys of options without a letter. */
enum {
	KEY_FILTER = 128,
	KEY_ALL_USER,
	KEY_ALL_KERNEL,
	KEY_ERRATA,
	KEY_SIM_CPU,
	KEY_NO_GROUP,
	KEY_NO_MULTIPLEX,
	KEY_STRICT,
	KEY_SCALE,
	KEY_CSV,
	KEY_JSON,
	KEY_APPEND,
	KEY_LOG_FD,
	KEY_NO_BIG_NUM,
	KEY_TABLE,
	KEY_EXPLAIN,
	KEY_LIST,
	KEY_CHECK,
	KEY_NAMES,
	KEY_SCHEMA,
	KEY_TIMEOUT,
	KEY_INTERVAL_COUNT,
	KEY_INTERVAL_CLEAR,
	KEY_SUMMARY,
	KEY_NO_CSV_SUMMARY,
	KEY_CONTROL,
	KEY_REGIONS,
	KEY_PER_CORE,
	KEY_PER_CLUSTER,
	KEY_PER_CACHE,
	KEY_PER_DIE,
	KEY_PER_SOCKET,
	KEY_PER_NODE,
	KEY_FOR_EACH_CGROUP,
	KEY_PER_THREAD,
	KEY_HELP,
	KEY_USAGE,
	KEY_BY,
	KEY_CMDLINE,
	KEY_TRACE,
	KEY_TOP,
	KEY_SORT,
	KEY_FOLDED,
	KEY_WARMUP,
	KEY_PRE,
	KEY_POST,
	KEY_UNTIL,
	KEY_DECIDE,
	KEY_UNDISTURBED,
	KEY_SEED,
	KEY_THRESHOLD,
	KEY_STATISTIC,
	KEY_RANDOMIZE_ENV,
	KEY_FAIL_IF,
	KEY_FORCE,
	KEY_IGNORE_FAILURE,
	KEY_DIFF,
	KEY_AGAINST,
	KEY_MERGE,
	KEY_NO_SCALE,
	KEY_QUIET,
	KEY_COLOR,
	KEY_NONZERO,
	KEY_EXPORT,
	KEY_PLOT,
	KEY_NAME,
	KEY_METRICS,
	KEY_TOPDOWN,
	KEY_TD_LEVEL,
	KEY_METRIC_ONLY,
	KEY_UNIT,
	KEY_CONTAINER,
	KEY_POD,
	KEY_NO_MERGE,
	KEY_PMU_FILTER,
	KEY_HYBRID_MERGE,
	KEY_METRIC_NO_THRESHOLD,
	KEY_OPENMETRICS,
	KEY_SCAN,
	KEY_SETUP,
	KEY_COMMAND_OUTPUT,
	KEY_SHOW_OUTPUT,
	KEY_INPUT,
	KEY_CALIBRATE,
	KEY_GIT,
	KEY_BUILD,
	KEY_BISECT,

	/* modes without an option of their own: other options, or words of the command line, select them */
	KEY_COMMAND,
	KEY_COMPARISON, /* several commands */
	KEY_FUNCTIONS,  /* --regions with functions; KEY_REGIONS is --regions without */
	KEY_BY_PROCESS,
	KEY_BY_THREAD, /* --per-thread of a command or CPUs */
	KEY_START_DISABLED,
	KEY_BENCHMARKS, /* a file of --export that needs names which are the same in every run */
	KEY_END,
};

/* argp's input. */
struct parsing {
	struct options *options;
	unsigned given[KEY_END]; /* number of times */
	int next;                /* index of the word in which getopt reads the next option */
	FILE *err;               /* standard error, unreplaced */
};

/* Returns the table in argp's form, with a zeroed element at its end; the caller frees it. as_perf: --json and
 * other abbreviations are perf's. undo: with perf's --no- of switches; argp compares all names with each other, which
 * is a part of the time to start. */
struct argp_option *options_argp_table(bool as_perf, bool undo);
/* Prints the help of -h. */
void options_put_short_help(FILE *out);
/* Applies the option. Returns 0, or ARGP_ERR_UNKNOWN for other keys; ends the program if its argument is wrong. */
error_t options_apply(int key, char *arg, struct argp_state *state);

/* The same for options of perf stat without an effect. */
#define OPTIONS_PERF_MAX 12
void options_perf_table(struct argp_option *table);
/* Appends abbreviations that mean something in perf stat, but are ambiguous in pfmstat. */
#define OPTIONS_ABBREVIATED_MAX 20
void options_perf_abbreviate(struct argp_option *table);
error_t options_perf_apply(int key);
/* Checks whether the first word is a subcommand of perf. Returns true if it is skipped; ends the program if pfmstat
 * does not have it. */
bool options_perf_word(const struct argp_state *state);

/* Ends the program: the next word of argv is not an option, or is a wrong option. */
void options_refuse_unknown(const struct argp_state *state);

void options_add_events(struct options *o, enum event_option_kind kind, const char *text);

/* Sets the number of runs of each command. */
void options_finish_repeat(struct argp_state *state);

/* Ends the program if such files need other options; adds the report for GitHub. */
void options_finish_exports(struct argp_state *state, struct options *o);

/* Ends the program if two of the given options exclude each other. */
void options_check_conflicts(struct argp_state *state);
/* Ends the program if an option has no meaning without others, none of which is given. */
void options_check_needs(struct argp_state *state);
