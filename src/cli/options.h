/* options: the command line as one struct. No side effects: nothing is opened or resolved.
 *
 * options_parse ends the program for --help, --usage, --version and for bad usage (EXIT_FAILED). The strings point into
 * argv, except expanded names of files (file_pattern.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "by/accounting.h"
#include "cli/scan.h"
#include "event/simulated.h"
#include "host/target.h"
#include "pmu/vendor_files.h"
#include "report/reports.h"
#include "rows/collect.h"
#include "run/control.h"
#include "run/pace.h"
#include "run/repeat.h"

/* The exit status of failures of pfmstat. */
#define EXIT_FAILED 125

/* -e, --filter, -d, -M and cgroups in their order: a filter belongs to the event before it. */
struct event_option {
	enum event_option_kind {
		OPTION_EVENTS,
		OPTION_FILTER,
		OPTION_METRICS,
		OPTION_TOPDOWN,
		OPTION_CGROUPS, /* ... with the kinds of cgroup_names.h in their order */
		OPTION_UNIT,
		OPTION_CONTAINER,
		OPTION_POD,
	} kind;
	const char *text;
	bool by_default; /* no option named any event */
};

struct options {
	struct vendor_files vendor_files; /* --metrics */
	enum { ACTION_COUNT, ACTION_EXPLAIN, ACTION_LIST, ACTION_CHECK, ACTION_DIFF, ACTION_MERGE } action;
	const char *list_pattern; /* --list=PATTERN; NULL: all */
	bool check_names;         /* --check --names */

	struct event_option *events; /* the default events if the user named none */
	size_t n_events;
	bool all_user, all_kernel;
	bool no_group;
	enum errata errata;
	enum sim_cpu sim_cpu;
	const char *pmu_filter; /* of an event's PMUs, only this one counts it; NULL: all do */
	bool no_merge;          /* show each of an event's PMUs */
	bool no_multiplex;      /* run the command once for each group that would be multiplexed */
	bool strict;            /* count everything exactly, or nothing */
	bool no_scale;
	bool topdown;           /* the metrics of a group TopdownL1 … */
	unsigned topdown_level; /* 0 if not given */
	bool no_threshold;      /* count no event that only metrics' thresholds need */
	bool null;              /* count only the time, unless -e names events */

	char **command;    /* the first one, NULL-terminated; NULL without a command */
	char ***commands;  /* all commands, as separated by ::: */
	size_t n_commands; /* may be 0 */
	char **files;      /* of ACTION_DIFF and ACTION_MERGE, NULL-terminated */
	size_t n_files;
	char *against; /* --against: the last of the files, which is compared with all others together */
	struct target target;
	bool inherit;
	bool per_thread;      /* sets `by` for a command or CPUs, otherwise `scope` */
	enum aggr_mode by;    /* --by */
	bool trace;           /* --trace */
	bool by_reads;        /* ... or --strict: by the kernel's records of the ends of tasks (prepare_events) */
	bool cmdline;         /* --cmdline */
	const char *sort;     /* --sort: the event; NULL if not given */
	size_t top;           /* --top; 0: not given, or all (see report.top) */
	enum aggr_mode scope; /* of the rows */
	unsigned cache_level; /* AGGR_CACHE; 0: the last level */
	bool cgroups, for_each_cgroup; /* named among the events; all events for each */

	struct pace_options pace;
	bool interval_clear;             /* clear the screen before each interval */
	struct control_options *control; /* NULL without --control */
	bool regions;                    /* marked by the program */
	struct strings functions;        /* --regions=LIST */
	struct repeat_options repeat;
	struct scan scan; /* --scan */
	bool calibrate;   /* the command is compared with itself */
	const char *git;  /* --git=OLD[..NEW]: the command is compared with itself in two revisions; NULL without */
	const char *build;
	bool bisect;
	struct {
		double threshold; /* a fraction */
		enum statistic { STATISTIC_UNSET, STATISTIC_MEAN, STATISTIC_MEDIAN } statistic;
		const char *fail_if; /* NULL without --fail-if */
		bool force;          /* also judge counts of other machines */
	} judging;

	struct report_options report;
	struct report_copy *copies; /* --export, --plot */
	size_t n_copies;
	struct strings patterns; /* names of files, expanded from patterns */
	const char **labels;     /* --name, of the commands or files, in their order; NULL if a command has no name */
	size_t n_labels;
};

void options_parse(struct options *options, int argc, char **argv);
/* True if a command writes to standard output. */
bool options_output_is_shared(const struct options *options);
void options_free(struct options *options);
