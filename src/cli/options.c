#include "cli/options.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/options_apply.h"
#include "cli/options_internal.h"
#include "lib/compat.h"
#include "lib/text.h"
#include "lib/util.h"

#define MESSAGE_MOST   1000 /* bytes of a message, even with a long argument */
#define DEFAULT_EVENTS "context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

/* For CPUs, task-clock would equal cpu-clock, which is the name that perf's users know. */
static const char default_events[] = "task-clock," DEFAULT_EVENTS;
static const char default_cpu_events[] = "cpu-clock," DEFAULT_EVENTS;

/* The events that each -d adds. */
static const char *const detail_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

void options_add_events(struct options *o, enum event_option_kind kind, const char *text)
{
	struct event_option *option = ARRAY_PUSH(o->events, o->n_events);

	option->kind = kind;
	option->text = text;
}

/* Splits the command at `:::` into several, each ended by NULL, in place. */
static void split_commands(struct argp_state *state, struct options *o)
{
	char **start = o->command;

	for (char **word = start;; word++) {
		bool last = !*word;

		if (!last && strcmp(*word, ":::") != 0)
			continue;
		if (word == start)
			argp_error(state, "':::' separates two commands: the %s is missing",
				   o->n_commands == 0 ? "first" : "next");
		*ARRAY_PUSH(o->commands, o->n_commands) = start;
		if (last)
			return;
		*word = NULL;
		start = word + 1;
	}
}

/* The first word that is not an option begins the command, which takes all following words. Options of --diff and
 * --merge may also come between and after their files, and after `stat`. Without -e, the words after --explain are
 * events. */
static void apply_word(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	if (o->action == ACTION_DIFF || o->action == ACTION_MERGE) {
		*ARRAY_PUSH(o->files, o->n_files) = state->argv[state->next - 1];
		return;
	}
	if (o->action == ACTION_EXPLAIN && !p->given['e']) {
		options_add_events(o, OPTION_EVENTS, state->argv[state->next - 1]);
		return;
	}
	if (options_perf_word(state))
		return;
	o->command = state->argv + state->next - 1;
	split_commands(state, o);
	state->next = state->argc;
	p->given[KEY_COMMAND]++;
	p->given[KEY_COMPARISON] += o->n_commands > 1;
}

/* Without --by, each event has one row, and --sort orders the rows of the table. */
static void finish_sort(struct argp_state *state, struct options *o)
{
	static const char *const names[] = {
		[REPORT_SORT_NONE] = "none", [REPORT_SORT_VALUE] = "value", [REPORT_SORT_NAME] = "name"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && strcmp(o->sort, names[i]) == 0)
			o->report.sort = (enum report_sort)i;
	if (o->report.sort == REPORT_SORT_DEFAULT)
		argp_error(state,
			   "--sort: '%s' must be 'value', 'name' or 'none'; sorting by an event needs --by or "
			   "--per-thread",
			   o->sort);
	o->sort = NULL;
}

static void finish_by(struct argp_state *state, struct options *o)
{
	o->report.top = o->action == ACTION_DIFF ? 0 : o->top;
	if (o->action == ACTION_DIFF)
		o->report.changes = o->top == SIZE_MAX ? 0 : o->top;
	if (o->by == AGGR_CGROUP && !target_is_cpus(&o->target))
		argp_error(state, "--by=cgroup needs -a or -C: it counts the tasks of the whole machine");
	if (o->top == SIZE_MAX)
		o->top = 0;
	if (!o->by && !o->per_thread && o->sort)
		finish_sort(state, o);
}

/* Without a command or another target, the whole system is counted; but without any word, as from a new user, help is
 * shown. `perf stat` would count. */
static void finish_target(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	if (o->action != ACTION_COUNT || o->command || p->given['C'] || o->target.kind != TARGET_COMMAND)
		return;
	if (state->argc <= 1 && strcmp(program_invocation_short_name, "perf-stat") != 0) {
		options_put_short_help(p->err);
		exit(EXIT_FAILED);
	}
	o->target.kind = TARGET_SYSTEM;
	p->given['a']++;
}

/* Adds the default events if there is no -e, or none with --null. perf's columns have a row for the time only if it is
 * an event. */
static void finish_events(struct options *o)
{
	static const char *const levels[] = {"TopdownL1", "TopdownL1", "TopdownL2", "TopdownL3", "TopdownL4",
					     "TopdownL5", "TopdownL6", "TopdownL7", "TopdownL8", "TopdownL9"};
	bool any = false;

	if (o->topdown)
		options_add_events(o, OPTION_TOPDOWN, levels[o->topdown_level]);
	for (size_t i = 0; i < o->n_events; i++)
		any |= o->events[i].kind < OPTION_CGROUPS;
	if (any)
		return;
	if (!o->null) {
		options_add_events(o, OPTION_EVENTS, target_is_cpus(&o->target) ? default_cpu_events : default_events);
		o->events[o->n_events - 1].by_default = true;
	} else if (o->report.format == REPORT_X)
		options_add_events(o, OPTION_EVENTS,
				   o->target.kind == TARGET_COMMAND ? "duration_time,user_time,system_time"
								    : "duration_time");
}

/* A file of --export may also be for Prometheus. */
static bool has_series(const struct options *o)
{
	return reports_need(REPORT_NEEDS_ALL_TASKS, &o->report, o->copies, o->n_copies);
}

/* Benchmarks need names that are the same in every run. */
static bool has_benchmarks(const struct options *o)
{
	bool found = false;

	for (size_t i = 0; i < o->n_copies; i++)
		found |= o->copies[i].format == REPORT_BENCHER || o->copies[i].format == REPORT_GITHUB_BENCHMARK;
	return found;
}

static void check_names(struct argp_state *state, const struct options *o, size_t commands)
{
	if (o->n_labels > commands)
		argp_error(state, "--name: %zu name%s for %zu command%s", o->n_labels, o->n_labels == 1 ? "" : "s",
			   commands, commands == 1 ? "" : "s");
}

static void expand_scan(struct argp_state *state, struct options *o)
{
	struct error e;

	if (o->scan.n == 0 || o->n_commands == 0)
		return;
	check_names(state, o, o->n_commands);
	if (scan_expand(&o->scan, o, &e) < 0)
		argp_error(state, "--scan: %s", e.text);
}

/* The labels, the revisions, are known later. */
static void expand_git(struct options *o)
{
	if (!o->git || !o->command)
		return;
	*ARRAY_PUSH(o->commands, o->n_commands) = o->command;
	*ARRAY_PUSH(o->labels, o->n_labels) = "old";
	*ARRAY_PUSH(o->labels, o->n_labels) = "new";
}

/* Every command has a label or NULL. Time series always have one. A file of --diff alone is a comparison with names. */
static void finish_labels(struct argp_state *state, struct options *o)
{
	const struct parsing *p = state->input;
	size_t commands = o->action == ACTION_COUNT ? o->n_commands
			  : o->against              ? 2
			  : o->n_files > 2          ? o->n_files - 1
						    : 0;

	if (o->action == ACTION_DIFF && commands == 0 && o->n_labels)
		argp_error(state, "--name: '%s' contains the names of its commands", o->files[0]);
	if (p->given[KEY_OPENMETRICS] || (p->given[KEY_BENCHMARKS] && commands == 0))
		commands = 1;
	check_names(state, o, commands);
	while (o->n_labels && o->n_labels < commands)
		ARRAY_PUSH(o->labels, o->n_labels);
}

static void finish_files(struct argp_state *state, struct options *o)
{
	if (o->n_files < 1)
		argp_error(state,
			   o->against ? "--against needs old reports: --diff OLD... --against NEW"
			   : o->action == ACTION_DIFF
				   ? "--diff needs a comparison, or two or more reports, that were saved with --json"
				   : "--merge needs reports that were saved with --json");
	if (o->against)
		*ARRAY_PUSH(o->files, o->n_files) = o->against;
	ARRAY_PUSH(o->files, o->n_files); /* the NULL at their end */
}

/* Marks the modes that options imply, before conflicts are searched. Threads of a command or on CPUs are
 * counted as with --by=thread. With -p and -t each has separate counters (attach.h). */
static void add_implied(struct parsing *p)
{
	struct options *o = p->options;

	if (o->repeat.warmup == 0)
		p->given[KEY_WARMUP] = 0;
	if (o->report.folded && !o->by)
		o->by = AGGR_PROCESS;
	p->given[KEY_BY] += p->given[KEY_FOLDED];
	p->given[KEY_START_DISABLED] = o->pace.delay == PACE_START_DISABLED;
	if (o->per_thread && (o->target.kind == TARGET_PROCESS || o->target.kind == TARGET_THREAD))
		o->scope = AGGR_THREAD;
	else if (o->per_thread)
		p->given[KEY_BY_THREAD]++;
}

/* Marks the modes that fulfil the needs of options. */
static void add_fulfilled(struct parsing *p)
{
	struct options *o = p->options;

	if (p->given[KEY_BY_THREAD])
		o->by = AGGR_THREAD;
	p->given[KEY_BY] += p->given[KEY_BY_THREAD];
	p->given[KEY_BY_PROCESS] = o->by == AGGR_PROCESS;
	p->given[KEY_COMPARISON] += o->n_commands > 1 || o->calibrate;
	p->given[KEY_OPENMETRICS] += has_series(o);
	p->given[KEY_BENCHMARKS] = has_benchmarks(o);
}

static void finish_parsing(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	finish_target(state);
	add_implied(p);
	options_check_conflicts(state);
	if (p->given['C'])
		o->target.kind = TARGET_CPU; /* with or without -a */
	finish_events(o);
	for (unsigned i = 0; i < p->given['d'] && i < ARRAY_SIZE(detail_events); i++)
		options_add_events(o, OPTION_EVENTS, detail_events[i]);
	expand_scan(state, o);
	expand_git(o);
	add_fulfilled(p);
	options_check_needs(state);
	finish_by(state, o);
	if (o->action == ACTION_DIFF || o->action == ACTION_MERGE)
		finish_files(state, o);
	else
		options_finish_repeat(state);
	finish_labels(state, o);
	options_finish_exports(state, o);
}

static error_t apply_key(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;

	if (key > 0 && key < KEY_END && options_rule(key)) /* perf's options without effect have none */
		p->given[key]++;
	if (key == ARGP_KEY_ARG)
		apply_word(state);
	else if (key == ARGP_KEY_END)
		finish_parsing(state);
	else if (key == ARGP_KEY_ERROR)
		options_refuse_unknown(state);
	else
		return options_apply(key, arg, state);
	return 0;
}

/* Suppresses only getopt's messages, not argp's. */
static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;
	error_t error;

	state->flags &= ~(unsigned)ARGP_NO_ERRS;
	error = apply_key(key, arg, state);
	state->flags |= ARGP_NO_ERRS;
	p->next = state->next;
	return error;
}

/* Writes a message of argp or getopt, for which it replaces standard error. The message, which may contain any bytes of
 * the command line, is escaped and cut; the last line, "Try `pfmstat --help'…", is not. Both are written at once: if
 * the program has a long name, argp has already wrapped the last line. */
static ssize_t put_message(void *cookie, const char *text, size_t size)
{
	static const char last[] = "\nTry `";
	size_t n = size, length = strlen(last);
	auto_free char *cut = NULL;
	FILE *out = cookie;

	while (n > 0 && (size - n < length || memcmp(text + n, last, length) != 0))
		n--;
	if (n == 0)
		n = size - (size && text[size - 1] == '\n');
	cut = text_cut(text, n, MESSAGE_MOST);
	text_put_safe(out, cut, strlen(cut));
	fwrite(text + n, 1, size - n, out);
	return (ssize_t)size;
}

static bool has_word(char *const *argv, const char *start)
{
	while (*argv && strncmp(*argv, start, strlen(start)) != 0)
		argv++;
	return *argv != NULL;
}

void options_parse(struct options *options, int argc, char **argv)
{
	bool as_perf =
		strcmp(program_invocation_short_name, "perf-stat") == 0 || (argc > 1 && strcmp(argv[1], "stat") == 0);
	auto_free struct argp_option *table = options_argp_table(as_perf, has_word(argv, "--n"));
	const struct argp argp = {
		.options = table,
		.parser = parse_key,
		.args_doc = "[--] COMMAND [ARG...] [::: COMMAND [ARG...]]...\n-p PID[,PID...] [COMMAND...]\n-a "
			    "[COMMAND...]\n--explain -e EVENTS\n--list[=PATTERN]\n--check\n--diff OLD NEW...\n--merge "
			    "FILES",
		.doc = "Count performance events around a command or on running processes, and say how far each number "
		       "can be trusted.\v"
		       "The default events are task-clock, context-switches, cpu-migrations, page-faults, cycles, "
		       "instructions, branches and branch-misses. The exit status is that of the command, or 125 if "
		       "pfmstat itself failed. The manual, pfmstat(1), contains examples.",
	};
	FILE *out = stderr;
	struct parsing parsing = {.options = options, .err = out};
	FILE *safe = fopencookie(out, "w", (cookie_io_functions_t){.write = put_message});

	*options = (struct options){
		.inherit = true,
		.repeat = {.runs = REPEAT_SINGLE, .until = NAN},
		.judging = {.threshold = 0.01},
		.report = {.log_fd = STDERR_FILENO, .big_num = true},
	};
	argp_err_exit_status = EXIT_FAILED;
	if (!safe)
		end_out_of_memory();
	stderr_set(safe);
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP | ARGP_NO_ERRS, NULL, &parsing) != 0)
		end_out_of_memory(); /* every other path has ended the program */
	fclose(safe);
	stderr_set(out);
}

bool options_output_is_shared(const struct options *options)
{
	return options->action == ACTION_COUNT && options->n_commands && !options->repeat.output;
}

void options_free(struct options *options)
{
	free(options->events);
	if (options->control)
		control_options_free(options->control);
	free(options->control);
	free(options->commands);
	free(options->copies);
	strings_free(&options->functions);
	strings_free(&options->patterns);
	free(options->labels);
	free(options->files);
	scan_free(&options->scan);
	target_free(&options->target);
	vendor_files_free(&options->vendor_files);
}
