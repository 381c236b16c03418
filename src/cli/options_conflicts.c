/* Options that cannot be combined or need others, and options of several runs. */
#include <argp.h>
#include <math.h>
#include <string.h>

#include "cli/options_internal.h"
#include "compare/calibration.h"
#include "lib/util.h"

#define RERUN_INTERVALS "intervals need a single run"
#define RERUN_CONTROL   "control commands need a single run"
#define NO_X_COLUMNS    "perf's columns cannot hold a comparison; use --csv or --json"
#define NO_SERIES       "OpenMetrics cannot hold a comparison; use --csv or --json"
#define CGROUPS_WHOLE   "all tasks of a cgroup are counted, for all events"
#define ONE_COMMAND     "one command is compared with itself"

/* An option, and the options that it excludes. */
static const struct conflict {
	int key;
	int others[6]; /* ends with 0 */
	const char *why;
} conflicts[] = {
	{KEY_ALL_USER, {KEY_ALL_KERNEL}, "nothing would be left to count"},
	{KEY_NO_MULTIPLEX, {'p', 't'}, "only a command can be run again"},
	{KEY_NO_MULTIPLEX, {'a', 'C'}, "counts of whole CPUs cannot be combined from several runs"},
	{KEY_NO_MULTIPLEX, {'I'}, RERUN_INTERVALS},
	{KEY_NO_MULTIPLEX, {KEY_CONTROL}, RERUN_CONTROL},
	{KEY_NO_MULTIPLEX, {KEY_SCALE}, "without multiplexing nothing is scaled"},
	{'p', {'t'}, "count either processes or threads"},
	{'p', {'a', 'C'}, "count either processes or CPUs"},
	{'t', {'a', 'C'}, "count either threads or CPUs"},
	{'G', {KEY_FOR_EACH_CGROUP}, "choose one"},
	{KEY_UNIT, {'p', 't', 'G', KEY_REGIONS}, CGROUPS_WHOLE},
	{KEY_CONTAINER, {'p', 't', 'G', KEY_REGIONS}, CGROUPS_WHOLE},
	{KEY_POD, {'p', 't', 'G', KEY_REGIONS}, CGROUPS_WHOLE},
	{'x', {KEY_CSV, 'j', KEY_JSON, KEY_OPENMETRICS}, "choose one format"},
	{'j', {KEY_CSV, KEY_JSON, KEY_OPENMETRICS}, "choose one format"},
	{KEY_CSV, {KEY_JSON, KEY_OPENMETRICS}, "choose one format"},
	{KEY_JSON, {KEY_OPENMETRICS}, "choose one format"},
	{KEY_OPENMETRICS, {KEY_APPEND}, "the file is replaced as a whole"},
	{KEY_OPENMETRICS, {KEY_COMPARISON, KEY_SCAN}, NO_SERIES},
	{'o', {KEY_LOG_FD}, "choose one place for the report"},
	{KEY_BY, {'t'}, "--by needs processes: use -p"},
	{KEY_BY, {'i'}, "without child processes there is only one row"},
	{KEY_BY, {KEY_NO_MULTIPLEX}, "the runs have different processes"},
	{KEY_BY, {KEY_CONTROL}, "processes must be followed from the command's start"},
	{KEY_TRACE, {'p', 't', 'a', 'C'}, "only a command that pfmstat starts is traced"},
	{KEY_TRACE, {'I', 'D', KEY_REGIONS, KEY_FUNCTIONS}, "a process is counted from its start, and read at its end"},
	{KEY_PER_THREAD, {'r', KEY_COMPARISON, KEY_SCAN}, "the runs have different threads"},
	{KEY_PER_THREAD, {KEY_BY}, "choose one"},
	{KEY_FOLDED, {'x', 'j', KEY_CSV, KEY_JSON, KEY_OPENMETRICS}, "choose one format"},
	{KEY_FOLDED, {'I'}, "paths are counted over the whole run"},
	{KEY_FOLDED, {'r', KEY_COMPARISON, KEY_SCAN}, "paths are counted in a single run"},
	{KEY_FOLDED, {KEY_TOP}, "paths include all processes"},
	{KEY_FOLDED, {KEY_SORT}, "paths are sorted by name"},
	{KEY_FOLDED, {KEY_METRIC_ONLY}, "choose one format"},
	{KEY_METRIC_ONLY, {KEY_COMPARISON, KEY_SCAN}, "a comparison shows metrics as rows"},
	{KEY_LIST, {KEY_COMMAND}, "--list runs nothing; write a pattern as --list=PATTERN"},
	{KEY_EXPLAIN, {KEY_COMMAND}, "--explain runs nothing; leave the command out"},
	{KEY_CHECK, {KEY_COMMAND}, "--check runs nothing; leave the command out"},
	{KEY_DIFF, {'e'}, "--diff compares what is in the files"},
	{KEY_DIFF, {'x', 'j'}, NO_X_COLUMNS},
	{KEY_DIFF, {KEY_OPENMETRICS}, NO_SERIES},
	{KEY_MERGE, {KEY_DIFF, KEY_LIST, KEY_CHECK, KEY_EXPLAIN}, "choose one"},
	{KEY_MERGE, {'x', 'j'}, "perf's columns cannot hold merged reports; use --csv or --json"},
	{KEY_MERGE, {KEY_OPENMETRICS}, "OpenMetrics cannot hold merged reports; use --csv or --json"},
	{'r', {'I'}, RERUN_INTERVALS},
	{KEY_COMPARISON, {'I'}, RERUN_INTERVALS},
	{KEY_COMPARISON, {KEY_CONTROL}, RERUN_CONTROL},
	{KEY_COMPARISON, {'x', 'j'}, NO_X_COLUMNS},
	{KEY_SCAN, {'I'}, RERUN_INTERVALS},
	{KEY_SCAN, {KEY_CONTROL}, RERUN_CONTROL},
	{KEY_SCAN, {'x', 'j'}, NO_X_COLUMNS},
	{KEY_CALIBRATE, {KEY_COMPARISON, KEY_SCAN, KEY_NAME}, ONE_COMMAND},
	{KEY_CALIBRATE, {KEY_FAIL_IF, KEY_THRESHOLD}, "it suggests the conditions of --fail-if"},
	{KEY_CALIBRATE, {KEY_UNTIL, KEY_DECIDE}, "-r gives the number of runs"},
	{KEY_GIT, {KEY_COMPARISON, KEY_SCAN, KEY_CALIBRATE, KEY_NAME}, "one command is compared in two revisions"},
	{KEY_GIT, {'I', KEY_CONTROL}, RERUN_INTERVALS},
	{KEY_GIT, {'x', 'j'}, NO_X_COLUMNS},
	{KEY_GIT, {KEY_OPENMETRICS, KEY_PER_THREAD, KEY_FOLDED, KEY_METRIC_ONLY}, "it is a comparison of several runs"},
	{KEY_GIT, {'p', 't'}, "a command is compared"},
	{KEY_DECIDE, {KEY_UNTIL}, "each ends the runs for another reason"},
	{KEY_CALIBRATE, {'I'}, RERUN_INTERVALS},
	{KEY_CALIBRATE, {KEY_CONTROL}, RERUN_CONTROL},
	{KEY_CALIBRATE, {KEY_BY, KEY_PER_THREAD, KEY_REGIONS}, "conditions of --fail-if are about the whole command"},
	{KEY_CALIBRATE, {'x', 'j'}, "perf's columns cannot hold a calibration; use --csv or --json"},
	{KEY_CALIBRATE, {KEY_OPENMETRICS}, "OpenMetrics cannot hold a calibration; use --csv or --json"},
	{KEY_CALIBRATE, {KEY_METRIC_ONLY, KEY_PLOT}, "a calibration is a table, or the rows of --csv or --json"},
	{KEY_REGIONS, {'x', 'j'}, "perf's columns cannot hold regions; use --csv or --json"},
	{KEY_REGIONS, {KEY_BY, KEY_FOLDED, KEY_PER_THREAD}, "a region is counted for the whole command"},
	{KEY_REGIONS, {'G', KEY_FOR_EACH_CGROUP}, "a region is counted over all cgroups"},
	{KEY_FUNCTIONS, {'D', KEY_CONTROL}, "each call is followed from the command's start"},
	{KEY_FUNCTIONS, {'I'}, "calls are counted over the whole run"},
	{KEY_FUNCTIONS, {'t', 'i', 'C'}, "calls are followed in all threads, on all CPUs"},
	{KEY_EXPLAIN, {KEY_REGIONS}, "regions do not change how events are opened; leave --regions out"},
	{KEY_REGIONS, {KEY_NO_MULTIPLEX}, "the counts of a region cannot be combined from several runs"},
};

/* An action other than counting, and the options that it accepts. */
static const struct action {
	int key;
	const char *why;
	int accepted[24]; /* ends with 0 */
} actions[] = {
	{KEY_LIST,
	 "--list counts nothing; it writes to standard output, as text or with --json as JSON Lines",
	 {KEY_JSON, KEY_COLOR, KEY_METRICS}},
	{KEY_CHECK,
	 "--check counts nothing; it writes to standard output, as text or with --json as JSON Lines",
	 {KEY_JSON}},
	{KEY_EXPLAIN,
	 "--explain runs nothing; it writes text to standard output",
	 {'e',           KEY_FILTER,
	  'd',           'M',
	  KEY_METRICS,   KEY_TOPDOWN,
	  KEY_TD_LEVEL,  KEY_METRIC_NO_THRESHOLD,
	  KEY_ALL_USER,  KEY_ALL_KERNEL,
	  KEY_NO_GROUP,  KEY_NO_MERGE,
	  KEY_STRICT,    'i',
	  'p',           't',
	  'a',           'C',
	  KEY_CONTROL,   KEY_COLOR,
	  KEY_BY,        KEY_ERRATA,
	  KEY_PMU_FILTER}},
	{KEY_DIFF,
	 "--diff runs nothing",
	 {KEY_JSON,           KEY_CSV,   'o',           KEY_APPEND,  KEY_LOG_FD,  'B',
	  KEY_NO_BIG_NUM,     'v',       KEY_THRESHOLD, KEY_FAIL_IF, KEY_AGAINST, KEY_FORCE,
	  KEY_IGNORE_FAILURE, KEY_COLOR, KEY_EXPORT,    KEY_PLOT,    KEY_NAME,    KEY_SORT,
	  KEY_NONZERO,        KEY_QUIET, KEY_TOP}},
	{KEY_MERGE,
	 "--merge runs nothing; it adds up what is in the files",
	 {KEY_JSON, KEY_CSV, 'o', KEY_APPEND, KEY_LOG_FD, 'B', KEY_NO_BIG_NUM, 'v', KEY_COLOR, KEY_EXPORT}},
};

/* Writes the option's long name, or the text for a key that is not an option. */
static void name_key(char *buf, size_t size, const struct argp_state *state, int key)
{
	snprintf(buf, size, "%s",
		 key == KEY_COMPARISON  ? "':::'"
		 : key == KEY_FUNCTIONS ? "--regions=LIST"
					: "a command");
	for (const struct argp_option *o = state->root_argp->options; o->name || o->doc; o++)
		if (o->key == key && o->name) {
			snprintf(buf, size, "--%s", o->name);
			return;
		}
}

static void refuse_pair(struct argp_state *state, int a, int b, const char *why)
{
	char first[32], second[32];

	name_key(first, sizeof(first), state, a);
	name_key(second, sizeof(second), state, b);
	argp_error(state, "%s and %s cannot be combined: %s", first, second, why);
}

static bool action_accepts(const struct action *action, int key)
{
	const int *k = action->accepted;

	while (*k && *k != key)
		k++;
	return *k != 0;
}

void options_check_conflicts(struct argp_state *state)
{
	const struct parsing *p = state->input;

	for (const struct conflict *c = conflicts; c < conflicts + ARRAY_SIZE(conflicts); c++)
		for (const int *other = c->others; *other; other++)
			if (p->given[c->key] && p->given[*other])
				refuse_pair(state, c->key, *other, c->why);
	for (const struct action *a = actions; a < actions + ARRAY_SIZE(actions); a++)
		/* backwards, so that a command or --folded is reported instead of the options that they imply */
		for (int key = KEY_END - 1; key > 0 && p->given[a->key]; key--)
			if (p->given[key] && key != a->key && !action_accepts(a, key))
				refuse_pair(state, a->key, key, a->why);
}

/* ---- runs: requirements of several runs, and their number ---- */

/* The maximal number of runs of each command with --until and without -r. */
#define UNTIL_RUNS_MAX 1000

/* Returns the option that requests more than a single run, or NULL. */
static const char *repeated_by(const struct repeat_options *o, size_t n_commands)
{
	return o->runs != REPEAT_SINGLE   ? "-r"
	       : o->warmup                ? "--warmup"
	       : o->hooks.setup           ? "--setup"
	       : o->hooks.pre             ? "--pre"
	       : o->hooks.post            ? "--post"
	       : o->sync                  ? "--sync"
	       : !isnan(o->until)         ? "--until"
	       : o->randomize_environment ? "--randomize-env"
	       : o->ignore_failure        ? "--ignore-failure"
	       : n_commands > 1           ? ":::"
					  : NULL;
}

/* The output of a comparison's runs is usually unwanted; the output of a single command may be wanted. */
static void finish_output(struct repeat_options *repeat, size_t n_commands)
{
	const char *output = repeat->output ? repeat->output : n_commands > 1 ? "null" : "inherit";

	repeat->output = strcmp(output, "null") == 0 ? "/dev/null" : strcmp(output, "inherit") == 0 ? NULL : output;
}

static void finish_calibration(struct argp_state *state, struct options *o)
{
	if (o->n_commands == 0)
		argp_error(state, "--calibrate needs a command to run");
	if (o->repeat.runs == REPEAT_SINGLE)
		o->repeat.runs = CALIBRATION_RUNS;
	if (o->repeat.runs < CALIBRATION_LEAST)
		argp_error(state, "--calibrate: -r %ld: the spread needs %d runs or more", o->repeat.runs,
			   CALIBRATION_LEAST);
	*ARRAY_PUSH(o->commands, o->n_commands) = o->command;
}

/* The labels, the revisions, are known later. */
void options_expand_git(struct argp_state *state, struct options *o)
{
	if (!o->git && (o->build || o->bisect))
		argp_error(state, "%s needs --git=OLD[..NEW]", o->build ? "--build" : "--bisect");
	if (!o->git || o->action != ACTION_COUNT)
		return;
	if (!o->command)
		argp_error(state, "--git needs a command to run");
	if (o->bisect && !o->judging.fail_if)
		argp_error(state, "--bisect needs a condition to judge each commit: --fail-if='EVENT>1%%'");
	*ARRAY_PUSH(o->commands, o->n_commands) = o->command;
	*ARRAY_PUSH(o->labels, o->n_labels) = "old";
	*ARRAY_PUSH(o->labels, o->n_labels) = "new";
}

void options_finish_repeat(struct argp_state *state, struct options *o)
{
	struct repeat_options *repeat = &o->repeat;
	const char *of_one_run = o->pace.interval   ? "--interval-print"
				 : o->per_thread    ? "--per-thread"
				 : o->report.folded ? "--folded"
						    : NULL;
	const char *repeated = repeated_by(repeat, o->n_commands);

	if (o->calibrate)
		finish_calibration(state, o);
	if (of_one_run && (repeat->warmup || !isnan(repeat->until)))
		argp_error(state, "%s and %s cannot be combined: %s needs a single run", of_one_run,
			   repeat->warmup ? "--warmup" : "--until", of_one_run);
	if (o->n_commands == 0 && repeated)
		argp_error(state, "%s needs a command to run", repeated);
	if (o->regions && o->n_commands == 0 && !o->control)
		argp_error(state, "--regions needs a command that names regions, or --control");
	if (o->regions && o->functions.n)
		argp_error(state, "--regions and --regions=LIST cannot be combined: count each in a separate run");
	if (o->functions.n && o->scope != AGGR_TOTAL)
		argp_error(state, "--regions=LIST and rows per %s cannot be combined: threads move between CPUs",
			   aggr_mode_name(o->scope));
	if (o->n_commands < 2 && o->judging.fail_if)
		argp_error(state, "--fail-if needs a comparison: A ::: B, or --diff");
	if (o->n_commands < 2 && repeat->decide)
		argp_error(state, "--decide needs a comparison: A ::: B");
	if (o->n_commands < 2 && repeat->has_seed && !repeat->randomize_environment)
		argp_error(state, "--seed needs a comparison, A ::: B, or --randomize-env");
	if (o->n_commands == 0 && (repeat->input || repeat->output))
		argp_error(state, "%s needs a command to run", repeat->input ? "--input" : "--command-output");
	if (repeat->undisturbed && o->n_commands < 2 && (repeat->runs == 1 || repeat->runs == REPEAT_SINGLE) &&
	    isnan(repeat->until))
		argp_error(state, "--undisturbed needs several runs: -r, --until or A ::: B");
	if (repeat->runs == REPEAT_SINGLE && repeated)
		repeat->runs = !isnan(repeat->until) ? UNTIL_RUNS_MAX : o->n_commands > 1 ? REPEAT_AUTO : 1;
	o->report.each_run = repeat->runs == 0;
	finish_output(repeat, o->n_commands);
}

/* ---- files of --export that need other options, and the automatic report for GitHub ---- */

bool options_have_benchmarks(const struct options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->n_copies; i++)
		found |= o->copies[i].format == REPORT_BENCHER || o->copies[i].format == REPORT_GITHUB_BENCHMARK;
	return found;
}

static void check_exports(struct argp_state *state, const struct options *o)
{
	if (options_have_benchmarks(o) && o->action == ACTION_MERGE)
		argp_error(state, "--export: benchmarks cannot hold merged reports; use .csv or .json");
	if (options_have_benchmarks(o) && o->pace.interval && !o->report.summary)
		argp_error(state, "--export: benchmarks are of the whole run; add --summary to the intervals");
	for (size_t i = 0; i < o->n_copies; i++)
		if (o->calibrate && o->copies[i].format != REPORT_CSV && o->copies[i].format != REPORT_JSON)
			argp_error(state, "--export: '%s' cannot hold a calibration; use .csv or .json",
				   o->copies[i].path);
		else if (o->copies[i].format == REPORT_JUNIT && !o->judging.fail_if)
			argp_error(state,
				   "--export: '%s' has a test case for each condition of --fail-if; add "
				   "--fail-if",
				   o->copies[i].path);
}

static bool is_report_to_stdout(const struct options *o)
{
	const struct report_options *report = &o->report;

	return !report->quiet && (report->path ? strcmp(report->path, "-") == 0 : report->log_fd == STDOUT_FILENO);
}

static size_t count_copies_to_stdout(const struct options *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_copies; i++)
		n += strcmp(o->copies[i].path, "-") == 0;
	return n;
}

/* Standard output takes one report, and only without a command's output. */
static void check_standard_output(struct argp_state *state, const struct options *o)
{
	size_t n = count_copies_to_stdout(o);

	if (n && options_output_is_shared(o))
		argp_error(state,
			   "--export: standard output is the command's; --command-output=null leaves it to the report");
	if (n && n + is_report_to_stdout(o) > 1)
		argp_error(state, "--export: standard output takes one report; write the others to files");
}

/* GitHub reads both; the lines must not be among rows that a program reads. */
static void add_annotations(struct options *o)
{
	const char *github = getenv("GITHUB_ACTIONS"), *path = "-";

	if (is_report_to_stdout(o) || count_copies_to_stdout(o))
		path = NULL; /* standard error */
	if (o->judging.fail_if && github && strcmp(github, "true") == 0)
		*ARRAY_PUSH(o->copies, o->n_copies) = (struct report_copy){REPORT_GITHUB, path};
}

void options_finish_exports(struct argp_state *state, struct options *o)
{
	check_exports(state, o);
	check_standard_output(state, o);
	add_annotations(o);
}
