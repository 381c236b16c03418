#include "cli/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options_internal.h"
#include "lib/util.h"

#define DEFAULT_EVENTS "context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses"

/* Of CPUs, task-clock would say the same as cpu-clock; perf's users know the latter. */
static const char default_events[] = "task-clock," DEFAULT_EVENTS;
static const char default_cpu_events[] = "cpu-clock," DEFAULT_EVENTS;

/* What each -d adds. */
static const char *const detail_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static const struct argp_option argp_options[] = {
	{NULL, 0, NULL, 0, "What is counted:", 1},
	{"event", 'e', "LIST", 0, "Events to count: a,b,{c,d}:u (may be repeated); see --list", 0},
	{"filter", KEY_FILTER, "EXPR", 0, "Count the tracepoint before it only where its fields match", 0},
	{"detailed", 'd', NULL, 0, "Add cache events; -dd and -ddd add more", 0},
	{"all-user", KEY_ALL_USER, NULL, 0, "Count in user space only", 0},
	{"all-kernel", KEY_ALL_KERNEL, NULL, 0, "Count in the kernel only", 0},
	{"no-group", KEY_NO_GROUP, NULL, 0, "Open each event alone, whatever braces say", 0},
	{"no-multiplex", KEY_NO_MULTIPLEX, NULL, 0,
	 "Run the command again for each group that would have to take turns", 0},
	{"strict", KEY_STRICT, NULL, 0, "Run nothing unless every event can be counted exactly", 0},
	{"scale", KEY_SCALE, "time|anchor", 0,
	 "Scale multiplexed counts by the time on the PMU (the default), or by the cycles counted in it", 0},
	{NULL, 0, NULL, 0, "Of whom:", 2},
	{"pid", 'p', "PID,...", 0, "Processes that run already: all their threads, and what they start", 0},
	{"tid", 't', "TID,...", 0, "Threads that run already, and what they start", 0},
	{"all-cpus", 'a', NULL, 0, "The whole system, until the command ends, or ^C", 0},
	{"cpu", 'C', "LIST", 0, "These CPUs: 0-3,8", 0},
	{"cgroup", 'G', "LIST", 0, "With -a or -C: of these cgroups, each for the event in its place; one for all", 0},
	{"for-each-cgroup", KEY_FOR_EACH_CGROUP, "LIST", 0, "With -a or -C: all events for each of these cgroups", 0},
	{"no-inherit", 'i', NULL, 0, "Count the process with its threads, but not its child processes", 0},
	{"by", KEY_BY, "WHAT", 0,
	 "Show the share of each process, comm (program name) or thread: of the command's tree, of -p's, or with -a of "
	 "all",
	 0},
	{"sort", KEY_SORT, "EVENT", 0,
	 "With --by: largest first by this event; without it, processes are a tree (not with -I)", 0},
	{"per-thread", KEY_PER_THREAD, NULL, 0,
	 "A row per thread of the command, of -a, -C, -p or -t, the largest first", 0},
	{"top", KEY_TOP, "N", 0, "With --by and --per-thread: the N largest, and the others as one", 0},
	{"cmdline", KEY_CMDLINE, NULL, 0, "With --by=process: command lines, too", 0},
	{"folded", KEY_FOLDED, "EVENT", 0, "A line for each path of program names, as flamegraph.pl reads it", 0},
	{NULL, 0, NULL, 0, "One row per (with -a or -C; with cgroups, of each of them):", 3},
	{"no-aggr", 'A', NULL, 0, "CPU", 0},
	{"per-core", KEY_PER_CORE, NULL, 0, "Physical core", 0},
	{"per-cluster", KEY_PER_CLUSTER, NULL, 0, "Cluster of cores", 0},
	{"per-cache", KEY_PER_CACHE, "LEVEL", OPTION_ARG_OPTIONAL, "Cache of this level (2, L2); else the last one", 0},
	{"per-die", KEY_PER_DIE, NULL, 0, "Die", 0},
	{"per-socket", KEY_PER_SOCKET, NULL, 0, "Socket", 0},
	{"per-node", KEY_PER_NODE, NULL, 0, "NUMA node", 0},
	{NULL, 0, NULL, 0, "When:", 4},
	{"delay", 'D', "MS", 0, "Start counting so many milliseconds later; -1: when --control says so", 0},
	{"timeout", KEY_TIMEOUT, "MS", 0, "Stop after so many milliseconds, and end the command", 0},
	{"interval-print", 'I', "MS", 0, "Report the counts every so many milliseconds", 0},
	{"interval-count", KEY_INTERVAL_COUNT, "N", 0, "Stop after N intervals, and end the command", 0},
	{"interval-clear", KEY_INTERVAL_CLEAR, NULL, 0, "Clear the terminal before each interval", 0},
	{"summary", KEY_SUMMARY, NULL, 0, "Report the total after the intervals, too", 0},
	{"no-csv-summary", KEY_NO_CSV_SUMMARY, NULL, 0, "With -x: no 'summary' before its rows", 0},
	{"control", KEY_CONTROL, "fd:N[,M]|fifo:PATH[,PATH]", 0,
	 "Obey enable, disable, evlist, ping and stop from there; answer to the second", 0},
	{NULL, 0, NULL, 0, "Repeated runs, and comparing commands with ::: between them:", 5},
	{"repeat", 'r', "N", 0, "Run N times and report means; 0: until ^C", 0},
	{"warmup", KEY_WARMUP, "N", 0, "N runs before that do not count", 0},
	{"pre", KEY_PRE, "CMD", 0, "Run CMD with the shell before each run", 0},
	{"post", KEY_POST, "CMD", 0, "Run CMD with the shell after each run", 0},
	{"sync", 'S', NULL, 0, "Call sync(2) before each run", 0},
	{"until", KEY_UNTIL, "PCT", 0, "Stop once the first event's mean is known to PCT per cent", 0},
	{"randomize-env", KEY_RANDOMIZE_ENV, NULL, 0, "Shift the stack at random in each run", 0},
	{"seed", KEY_SEED, "N", 0, "Reproduce the random order of a comparison", 0},
	{"threshold", KEY_THRESHOLD, "PCT", 0, "What is within PCT per cent is no difference (1)", 0},
	{"diff", KEY_DIFF, NULL, 0, "Compare reports saved with -j: --diff OLD NEW", 0},
	{"fail-if", KEY_FAIL_IF, "COND,...", 0, "Exit with 1 if a difference is surely so: 'instructions>2%'", 0},
	{NULL, 0, NULL, 0, "Output (to standard error unless said otherwise):", 6},
	{"field-separator", 'x', "SEP", 0, "Rows for scripts in perf stat's column order, separated by SEP", 0},
	{"csv", KEY_CSV, NULL, 0, "CSV with a header and fixed columns (RFC 4180)", 0},
	{"json", 'j', NULL, 0, "JSON Lines", 0},
	{"json-output", 'j', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"output", 'o', "FILE", 0, "Write to FILE; - is standard output", 0},
	{"append", KEY_APPEND, NULL, 0, "Append to the file of -o", 0},
	{"log-fd", KEY_LOG_FD, "N", 0, "Write to the open descriptor N", 0},
	{"big-num", 'B', NULL, OPTION_HIDDEN, NULL, 0},
	{"no-big-num", KEY_NO_BIG_NUM, NULL, 0, "Do not group digits in the table", 0},
	{"verbose", 'v', NULL, 0, "Show the raw counts and times as well", 0},
	{NULL, 0, NULL, 0, "Finding out:", 7},
	{"list", KEY_LIST, "PATTERN", OPTION_ARG_OPTIONAL,
	 "List the events that can be named here; with PMU:: in PATTERN, those of other machines' PMUs", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "Show how each event of -e is resolved and grouped; run nothing", 0},
	{"help", 'h', NULL, 0, "Show this help", -1},
	{"usage", KEY_USAGE, NULL, 0, "Show a short usage message", -1},
	{"version", 'V', NULL, 0, "Show the version", -1},
	{0},
};

struct parsing {
	struct options *options;
	bool given[KEY_END];
	unsigned details;
};

static void add_events(struct options *o, enum event_option_kind kind, const char *text)
{
	struct event_option *option = ARRAY_PUSH(o->events, o->n_events);

	option->kind = kind;
	option->text = text;
}

static enum scaling scaling(struct argp_state *state, const char *arg)
{
	if (strcmp(arg, "time") != 0 && strcmp(arg, "anchor") != 0)
		argp_error(state, "--scale: '%s' is neither time nor anchor", arg);
	return *arg == 't' ? SCALING_TIME : SCALING_ANCHOR;
}

/* The first word that is no option begins the command: all that follows belongs to it. The files of --diff may have
 * options between and behind them. */
static void take_command(struct argp_state *state)
{
	struct parsing *p = state->input;

	if (p->options->action == ACTION_DIFF) {
		*ARRAY_PUSH(p->options->files, p->options->n_files) = state->argv[state->next - 1];
		return;
	}
	p->options->command = state->argv + state->next - 1;
	p->options->commands = options_repeat_split(state, p->options->command, &p->options->n_commands);
	state->next = state->argc;
	p->given[KEY_COMMAND] = true;
	p->given[KEY_COMPARISON] = p->options->n_commands > 1;
}

static void finish_campaign(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	if (o->action == ACTION_DIFF && o->n_files < 2)
		argp_error(state, "--diff: name two reports or more, saved with -j");
	if (o->action == ACTION_DIFF)
		ARRAY_PUSH(o->files, o->n_files); /* the NULL at their end */
	else
		options_repeat_finish(state, &o->repeat, &o->judging, o->n_commands, options_of_one_run(o));
}

static void finish_parsing(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	p->given[KEY_BY] |= p->given[KEY_FOLDED];
	options_check_conflicts(state, p->given);
	if (o->n_events == 0)
		add_events(o, OPTION_EVENTS, target_is_cpus(&o->target) ? default_cpu_events : default_events);
	for (unsigned i = 0; i < p->details && i < ARRAY_SIZE(detail_events); i++)
		add_events(o, OPTION_EVENTS, detail_events[i]);
	if (!p->given['I'] && (p->given[KEY_INTERVAL_COUNT] || p->given[KEY_INTERVAL_CLEAR] || p->given[KEY_SUMMARY]))
		argp_error(state, "--interval-count, --interval-clear and --summary need intervals: -I MS");
	if ((o->cgroups.lists.n || (o->scope != AGGR_TOTAL && o->scope != AGGR_THREAD)) && !target_is_cpus(&o->target))
		argp_error(state, "cgroups, and rows per CPU, core, socket and so on, need -a or -C");
	if (o->report.append && !o->report.path)
		argp_error(state, "--append: needs a file, -o FILE");
	if (o->action == ACTION_COUNT && !o->command && o->target.kind == TARGET_COMMAND)
		argp_error(state, "nothing to count: give a command, -p PID, or -a");
	options_finish_by(state, o);
	finish_campaign(state);
}

/* What is counted. */
static error_t parse_what(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	switch (key) {
	case 'e':
		add_events(o, OPTION_EVENTS, arg);
		break;
	case KEY_FILTER:
		add_events(o, OPTION_FILTER, arg);
		break;
	case 'd':
		p->details++;
		break;
	case KEY_ALL_USER:
		o->all_user = true;
		break;
	case KEY_ALL_KERNEL:
		o->all_kernel = true;
		break;
	case KEY_NO_GROUP:
		o->no_group = true;
		break;
	case KEY_NO_MULTIPLEX:
		o->no_multiplex = true;
		break;
	case KEY_STRICT:
		o->strict = true;
		break;
	case KEY_SCALE:
		o->scaling = scaling(state, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What is done, if not counting. */
static error_t parse_action(int key, char *arg, struct options *o)
{
	switch (key) {
	case KEY_LIST:
		o->action = ACTION_LIST;
		o->list_pattern = arg;
		break;
	case KEY_EXPLAIN:
		o->action = ACTION_EXPLAIN;
		break;
	case KEY_DIFF:
		o->action = ACTION_DIFF;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	if (key > 0 && key < KEY_END)
		p->given[key] = true;
	if (key == ARGP_KEY_ARG) {
		take_command(state);
		return 0;
	}
	if (key == ARGP_KEY_END) {
		finish_parsing(state);
		return 0;
	}
	if (parse_what(key, arg, state) == 0 || parse_action(key, arg, o) == 0 ||
	    options_parse_target(key, arg, state, o) == 0 || options_parse_pace(key, arg, state, o) == 0 ||
	    options_parse_by(key, arg, state, o) == 0 ||
	    options_repeat_parse(key, arg, state, &o->repeat, &o->judging) == 0)
		return 0;
	return options_parse_output(key, arg, state, &o->report);
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.args_doc = "[--] COMMAND [ARG...] [::: COMMAND [ARG...]]...\n-p PID[,PID...] [COMMAND...]\n-a "
			    "[COMMAND...]\n--explain -e EVENTS\n--list[=PATTERN]\n--diff OLD NEW...",
		.doc = "Count performance events around a command or on running processes, and say how far each number "
		       "can be trusted.\v"
		       "With no -e: task-clock, context-switches, cpu-migrations, page-faults, cycles, instructions, "
		       "branches, branch-misses. The exit status is the command's own; 125 if pfmstat itself failed. "
		       "The manual, pfmstat(1), has examples.",
	};
	struct parsing parsing = {.options = options};

	*options = (struct options){.inherit = true};
	options_repeat_init(&options->repeat, &options->judging);
	options->report = (struct report_options){.log_fd = STDERR_FILENO, .big_num = true};
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &parsing) != 0)
		exit(EXIT_USAGE);
}

void options_free(struct options *options)
{
	free(options->events);
	if (options->control)
		control_options_free(options->control);
	free(options->control);
	free(options->commands);
	free(options->files);
	target_free(&options->target);
	strings_free(&options->cgroups.lists);
}
