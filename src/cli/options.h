/* options: the command line as one struct; no side effects, nothing opened, nothing resolved.
 *
 * options_parse ends the program itself for --help, --usage, --version and for bad usage (status 125).
 * The strings point into argv.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "by/accounting.h"
#include "cli/options_repeat.h"
#include "host/cgroup.h"
#include "host/target.h"
#include "report/report.h"
#include "result/estimate.h"
#include "run/control.h"
#include "run/pace.h"

/* -e, --filter and -d in the order they were given: a filter belongs to the event before it. */
struct event_option {
	enum event_option_kind { OPTION_EVENTS, OPTION_FILTER } kind;
	const char *text;
};

struct options {
	enum { ACTION_COUNT, ACTION_EXPLAIN, ACTION_LIST, ACTION_DIFF } action;
	const char *list_pattern; /* --list=PATTERN; NULL: all */

	struct event_option *events; /* never empty: the default events if the user named none */
	size_t n_events;
	bool all_user, all_kernel;
	bool no_group;
	bool no_multiplex; /* a run of the command for each group that would have to take turns */
	bool strict;       /* all exactly, or nothing */
	enum scaling scaling;

	char **command;    /* the first, NULL-terminated; NULL: none */
	char ***commands;  /* all, as separated by ::: */
	size_t n_commands; /* 0: none */
	char **files;      /* of ACTION_DIFF, NULL-terminated */
	size_t n_files;
	struct target target;
	bool inherit;
	bool per_thread;               /* of a command it is by, otherwise scope */
	enum aggr_mode by;             /* --by */
	bool cmdline;                  /* --cmdline */
	const char *sort;              /* --sort: the event; NULL: not given */
	size_t top;                    /* --top; 0: all */
	enum aggr_mode scope;          /* of the rows */
	unsigned cache_level;          /* AGGR_CACHE; 0: the last one */
	struct cgroup_options cgroups; /* no lists: all tasks */

	struct pace_options pace;
	bool interval_clear;             /* the screen, before each interval */
	bool summary;                    /* the total after the intervals, too */
	struct control_options *control; /* NULL: none */
	struct repeat_options repeat;
	struct judging_options judging;

	struct report_options report;
};

void options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);
