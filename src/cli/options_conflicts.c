/* Options that cannot be combined; the modes that an option needs are in the table of options (options_table.c). And
 * options of several runs, and of files of --export. */
#include <argp.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/options_apply.h"
#include "cli/options_internal.h"
#include "compare/calibration.h"
#include "lib/util.h"

/* Modes that several options select. */
#define COMPARED      KEY_COMPARISON, KEY_SCAN, KEY_CALIBRATE, KEY_GIT
#define SEVERAL_RUNS  'r', KEY_WARMUP, KEY_UNTIL, KEY_NO_MULTIPLEX, COMPARED
#define CPUS          'a', 'C'
#define ROWS_OF_CPUS  'A', KEY_PER_CORE, KEY_PER_CLUSTER, KEY_PER_CACHE, KEY_PER_DIE, KEY_PER_SOCKET, KEY_PER_NODE
#define CGROUPS       'G', KEY_FOR_EACH_CGROUP
#define NAMED_CGROUPS KEY_UNIT, KEY_CONTAINER, KEY_POD
#define ALL_REGIONS   KEY_REGIONS, KEY_FUNCTIONS
#define FOLLOWED      KEY_BY, KEY_BY_THREAD

/* A key of the first list excludes the others of the second. */
#define ONE_OF(...)         \
	{__VA_ARGS__},      \
	{                   \
		__VA_ARGS__ \
	}
static const struct conflict {
	const char *why;
	int keys[10], others[14]; /* all lists of keys end with 0 */
} conflicts[] = {
	{"choose one", ONE_OF(KEY_LIST, KEY_CHECK, KEY_EXPLAIN, KEY_DIFF, KEY_MERGE)},
	{"choose one place for the report", ONE_OF('o', KEY_LOG_FD)},
	{"choose one kind of rows", ONE_OF(KEY_BY, KEY_PER_THREAD, ROWS_OF_CPUS)},
	{"count either processes or threads", ONE_OF('p', 't')},
	{"nothing would be left to count", ONE_OF(KEY_ALL_USER, KEY_ALL_KERNEL)},
	{"each ends the runs for a different reason", ONE_OF(KEY_DECIDE, KEY_UNTIL)},
	{"count each in a separate run", ONE_OF(ALL_REGIONS)},
	{"only the counts of a whole command can be combined from several runs",
	 {KEY_NO_MULTIPLEX},
	 {'p', 't', CPUS, ALL_REGIONS, KEY_BY}},
	{"intervals need a single run", {'I'}, {SEVERAL_RUNS}},
	{"control commands need a single run", {KEY_CONTROL}, {KEY_NO_MULTIPLEX, COMPARED}},
	{"the runs have different threads", {KEY_PER_THREAD}, {SEVERAL_RUNS}},
	{"count either tasks, or CPUs or cgroups", {'p', 't'}, {CPUS, NAMED_CGROUPS}},
	{"events are counted in a cgroup each, or all in each", {'G'}, {KEY_FOR_EACH_CGROUP, NAMED_CGROUPS}},
	{"choose one kind of rows", {KEY_BY, KEY_PER_THREAD}, {CGROUPS, NAMED_CGROUPS}},
	{"--by needs processes: use -p", {KEY_BY}, {'t'}},
	{"all processes of the command are followed", {FOLLOWED}, {'i'}},
	{"processes must be followed from the command's start", {FOLLOWED}, {KEY_CONTROL}},
	{"counting would never start", {FOLLOWED}, {KEY_START_DISABLED}},
	{"only a command that pfmstat starts is traced", {KEY_TRACE}, {'p', 't', CPUS}},
	{"calls and traced processes are counted from their start to their end",
	 {KEY_FUNCTIONS, KEY_TRACE},
	 {'I', 'D', KEY_CONTROL}},
	{"calls are followed in all threads, on all CPUs", {KEY_FUNCTIONS}, {'t', 'i', 'C', ROWS_OF_CPUS}},
	{"a region is counted for the whole command", {ALL_REGIONS}, {KEY_PER_THREAD, KEY_TRACE}},
	{"a region is counted for the whole command", {KEY_FUNCTIONS}, {KEY_BY}},
	{"regions do not change how events are opened; leave --regions out", {KEY_EXPLAIN}, {ALL_REGIONS}},
	{"a region is counted over all cgroups", {ALL_REGIONS}, {CGROUPS, NAMED_CGROUPS}},
	{"paths include all processes, sorted by name", {KEY_FOLDED}, {KEY_TOP, KEY_SORT}},
	{"choose one format", {KEY_FOLDED}, {KEY_METRIC_ONLY}},
	{"a comparison shows metrics as rows", {KEY_METRIC_ONLY}, {COMPARED}},
	{"the file is replaced as a whole", {KEY_OPENMETRICS}, {KEY_APPEND}},
	{"one command is compared with itself", {KEY_CALIBRATE}, {KEY_COMPARISON, KEY_SCAN, KEY_NAME, KEY_GIT}},
	{"one command is compared in two revisions", {KEY_GIT}, {KEY_COMPARISON, KEY_SCAN, KEY_NAME}},
	{"a command is compared", {KEY_GIT}, {'p', 't'}},
	{"it suggests the conditions of --fail-if", {KEY_CALIBRATE}, {KEY_FAIL_IF, KEY_THRESHOLD}},
	{"-r gives the number of runs", {KEY_CALIBRATE}, {KEY_UNTIL, KEY_DECIDE}},
	{"conditions of --fail-if are about the whole command", {KEY_CALIBRATE}, {KEY_BY, KEY_PER_THREAD, ALL_REGIONS}},
};

/* The actions other than counting; each accepts the options that say so in the table of options. */
static const struct action {
	int key;
	unsigned bit;
	const char *why, *words; /* words: of the command line, which are neither events nor files */
} actions[] = {
	{KEY_LIST, LIST, "--list counts nothing; it writes to standard output, as text or with --json as JSON Lines",
	 "--list runs nothing; write a pattern as --list=PATTERN"},
	{KEY_CHECK, CHECK, "--check counts nothing; it writes to standard output, as text or with --json as JSON Lines",
	 "--check runs nothing; leave the command out"},
	{KEY_EXPLAIN, EXPLAIN, "--explain runs nothing; it writes how events are opened, as text",
	 "--explain runs nothing; leave the command out"},
	{KEY_DIFF, DIFF, "--diff runs nothing; it compares what is in the files", NULL},
	{KEY_MERGE, MERGE, "--merge runs nothing; it adds up what is in the files", NULL},
};

/* What a report contains beside the counts of one command, and the formats that cannot hold it. */
#define FORMAT(name) (1U << REPORT_##name)
static const struct content {
	const char *what;
	int keys[10];
	unsigned formats;
} contents[] = {
	{"a comparison",
	 {KEY_COMPARISON, KEY_SCAN, KEY_DIFF, KEY_GIT},
	 FORMAT(X) | FORMAT(PERF_JSON) | FORMAT(OPENMETRICS) | FORMAT(FOLDED)},
	{"a calibration",
	 {KEY_CALIBRATE},
	 FORMAT(X) | FORMAT(PERF_JSON) | FORMAT(OPENMETRICS) | FORMAT(FOLDED) | FORMAT(SVG) | FORMAT(BENCHER) |
		 FORMAT(GITHUB_BENCHMARK) | FORMAT(JUNIT)},
	{"merged reports",
	 {KEY_MERGE},
	 FORMAT(X) | FORMAT(PERF_JSON) | FORMAT(OPENMETRICS) | FORMAT(BENCHER) | FORMAT(GITHUB_BENCHMARK)},
	{"regions", {ALL_REGIONS}, FORMAT(X) | FORMAT(PERF_JSON) | FORMAT(FOLDED)},
	{"intervals", {'I'}, FORMAT(FOLDED)},
	{"several runs", {SEVERAL_RUNS}, FORMAT(FOLDED)},
};

/* ---- refusals ---- */

/* Returns the option's long name, or the text for a key that is not an option. */
static const char *long_name(char *buf, size_t size, int key)
{
	static const char *const names[KEY_END] = {
		[KEY_COMMAND] = "a command",
		[KEY_COMPARISON] = "':::'",
		[KEY_FUNCTIONS] = "--regions=LIST",
		[KEY_BY_PROCESS] = "--by=process",
		[KEY_BY_THREAD] = "--per-thread (without -p or -t)",
		[KEY_START_DISABLED] = "--delay=-1",
		[KEY_BENCHMARKS] = "--export=FILE.bmf.json",
	};
	const struct option_rule *rule = options_rule(key);

	snprintf(buf, size, "%s%s", rule ? "--" : "", rule ? rule->name : names[key]);
	return buf;
}

/* The same, but its letter if it has one. */
static const char *short_name(char *buf, size_t size, int key)
{
	if (key == KEY_COMPARISON)
		return "A ::: B";
	if (key >= KEY_FILTER)
		return long_name(buf, size, key);
	snprintf(buf, size, "-%c", key);
	return buf;
}

static void refuse_pair(struct argp_state *state, int a, int b, const char *why)
{
	char first[40], second[40];

	argp_error(state, "%s and %s cannot be combined: %s", long_name(first, sizeof(first), a),
		   long_name(second, sizeof(second), b), why);
}

/* Returns the first of the keys that was given, or 0. */
static int find_given(const struct parsing *p, const int *keys)
{
	while (*keys && !p->given[*keys])
		keys++;
	return *keys;
}

/* Returns the first option from this key on that was given and that selects a format, or KEY_END. */
static int find_format(const struct parsing *p, int key)
{
	for (; key < KEY_END; key++) {
		const struct option_rule *rule = p->given[key] ? options_rule(key) : NULL;

		if (rule && rule->set.size && rule->set.offset == offsetof(struct options, report.format))
			break;
	}
	return key;
}

/* Formats of --export have no key. */
static void check_contents(struct argp_state *state)
{
	const struct parsing *p = state->input;
	const struct options *o = p->options;
	char why[80];

	for (const struct content *c = contents; c < contents + ARRAY_SIZE(contents); c++) {
		int key = find_given(p, c->keys);

		snprintf(why, sizeof(why), "the format cannot hold %s; use --csv or --json", c->what);
		if (key && c->formats >> o->report.format & 1)
			refuse_pair(state, key, find_format(p, 1), why);
		for (size_t i = 0; i < o->n_copies && key; i++)
			if (c->formats >> o->copies[i].format & 1)
				argp_error(state, "'%s' cannot hold %s; .csv and .json can", o->copies[i].path,
					   c->what);
	}
}

static void check_actions(struct argp_state *state)
{
	const struct parsing *p = state->input;

	for (const struct action *a = actions; a < actions + ARRAY_SIZE(actions); a++)
		/* backwards, so that a command or --folded is reported instead of the options that they imply */
		for (int key = KEY_END - 1; key > 0 && p->given[a->key]; key--)
			if (p->given[key] && key != a->key && !(options_rule(key) && options_rule(key)->in & a->bit))
				refuse_pair(state, a->key, key, key == KEY_COMMAND ? a->words : a->why);
}

void options_check_conflicts(struct argp_state *state)
{
	const struct parsing *p = state->input;
	int format = find_format(p, 1), other = find_format(p, format + 1);

	if (other < KEY_END)
		refuse_pair(state, format, other, "choose one format");
	for (const struct conflict *c = conflicts; c < conflicts + ARRAY_SIZE(conflicts); c++)
		for (const int *key = c->keys; *key; key++)
			for (const int *with = c->others; *with && p->given[*key]; with++)
				if (p->given[*with] && *with != *key)
					refuse_pair(state, *key, *with, c->why);
	check_contents(state);
	check_actions(state);
}

/* True if one of the keys was given; -r 1 is not several runs. */
static bool has_one(const struct parsing *p, const int *keys)
{
	bool found = !*keys;

	for (; *keys; keys++)
		found |= p->given[*keys] && !(*keys == 'r' && p->options->repeat.runs == 1);
	return found;
}

static void refuse_without(struct argp_state *state, const struct option_rule *rule)
{
	auto_strings struct strings words = {0};
	auto_free char *needed = NULL;
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(rule->needs); i++)
		for (const int *first = rule->needs[i], *key = first; *key; key++)
			strings_add(&words, "%s%s",
				    key > first ? key[1] ? ", " : " or "
				    : i > 0     ? " and "
						: "",
				    short_name(name, sizeof(name), *key));
	needed = strings_join(&words, "");
	argp_error(state, "%s needs %s", long_name(name, sizeof(name), rule->key), needed);
}

void options_check_needs(struct argp_state *state)
{
	const struct parsing *p = state->input;

	for (int key = 1; key < KEY_END; key++) {
		const struct option_rule *rule = p->given[key] ? options_rule(key) : NULL;

		for (size_t i = 0; rule && i < ARRAY_SIZE(rule->needs); i++)
			if (!has_one(p, rule->needs[i]))
				refuse_without(state, rule);
	}
}

/* ---- the number of runs ---- */

/* The maximal number of runs of each command with --until and without -r. */
#define UNTIL_RUNS_MAX 1000

/* True if an option requests more than a single run. */
static bool is_repeated(const struct parsing *p)
{
	static const int keys[] = {KEY_WARMUP,        KEY_SETUP,          KEY_PRE, KEY_POST, 'S', KEY_UNTIL,
				   KEY_RANDOMIZE_ENV, KEY_IGNORE_FAILURE, 0};

	return find_given(p, keys) || p->options->n_commands > 1;
}

/* The output of a comparison's runs is usually unwanted; the output of a single command may be wanted, but not many
 * times on a terminal, which binary output may even disable. */
static void finish_output(struct repeat_options *repeat, size_t n_commands)
{
	bool several = repeat->runs != REPEAT_SINGLE && repeat->runs != 1;
	const char *output = repeat->output ? repeat->output : n_commands > 1 ? "null" : "inherit";

	repeat->hides_output = !repeat->output && n_commands == 1 && several && isatty(STDOUT_FILENO);
	if (repeat->hides_output)
		output = "null";
	repeat->output = strcmp(output, "null") == 0 ? "/dev/null" : strcmp(output, "inherit") == 0 ? NULL : output;
}

static void finish_calibration(struct argp_state *state, struct options *o)
{
	if (o->repeat.runs == REPEAT_SINGLE)
		o->repeat.runs = CALIBRATION_RUNS;
	if (o->repeat.runs < CALIBRATION_LEAST)
		argp_error(state, "--calibrate: -r %ld: the spread needs %d runs or more", o->repeat.runs,
			   CALIBRATION_LEAST);
	*ARRAY_PUSH(o->commands, o->n_commands) = o->command;
}

void options_finish_repeat(struct argp_state *state)
{
	const struct parsing *p = state->input;
	struct options *o = p->options;
	struct repeat_options *repeat = &o->repeat;

	if (o->calibrate)
		finish_calibration(state, o);
	if (repeat->runs == REPEAT_SINGLE && is_repeated(p))
		repeat->runs = !isnan(repeat->until) ? UNTIL_RUNS_MAX : o->n_commands > 1 ? REPEAT_AUTO : 1;
	o->report.each_run = repeat->runs == 0;
	finish_output(repeat, o->n_commands);
}

/* ---- files of --export that need other options, and the automatic report for GitHub ---- */

static void check_exports(struct argp_state *state, const struct options *o)
{
	const struct parsing *p = state->input;

	if (p->given[KEY_BENCHMARKS] && o->pace.interval && !o->report.summary)
		argp_error(state, "--export: benchmarks are of the whole run; add --summary to the intervals");
	for (size_t i = 0; i < o->n_copies; i++)
		if (o->copies[i].format == REPORT_JUNIT && !o->judging.fail_if)
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
