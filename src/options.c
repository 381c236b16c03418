#include "options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

#define EXIT_USAGE 125

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

/* Keys of options without a letter; all keys are below KEY_END, so that a bit says which were given. */
enum {
	KEY_FILTER = 128,
	KEY_ALL_USER,
	KEY_ALL_KERNEL,
	KEY_NO_GROUP,
	KEY_SCALE,
	KEY_CSV,
	KEY_APPEND,
	KEY_LOG_FD,
	KEY_NO_BIG_NUM,
	KEY_EXPLAIN,
	KEY_LIST,
	KEY_TIMEOUT,
	KEY_INTERVAL_COUNT,
	KEY_INTERVAL_CLEAR,
	KEY_SUMMARY,
	KEY_CONTROL,
	KEY_PER_CORE,
	KEY_PER_CLUSTER,
	KEY_PER_CACHE,
	KEY_PER_DIE,
	KEY_PER_SOCKET,
	KEY_PER_NODE,
	KEY_USAGE,
	KEY_COMMAND, /* no option: the command was given */
	KEY_END,
};

static const struct argp_option argp_options[] = {
	{NULL, 0, NULL, 0, "What is counted:", 1},
	{"event", 'e', "LIST", 0, "Events to count: a,b,{c,d}:u (may be repeated); see --list", 0},
	{"filter", KEY_FILTER, "EXPR", 0, "Count the tracepoint before it only where its fields match", 0},
	{"detailed", 'd', NULL, 0, "Add cache events; -dd and -ddd add more", 0},
	{"all-user", KEY_ALL_USER, NULL, 0, "Count in user space only", 0},
	{"all-kernel", KEY_ALL_KERNEL, NULL, 0, "Count in the kernel only", 0},
	{"no-group", KEY_NO_GROUP, NULL, 0, "Open each event alone, whatever braces say", 0},
	{"scale", KEY_SCALE, "time|anchor", 0,
	 "Scale multiplexed counts by the time on the PMU (the default), or by the cycles counted in it", 0},
	{NULL, 0, NULL, 0, "Of whom:", 2},
	{"pid", 'p', "PID,...", 0, "Processes that run already: all their threads, and what they start", 0},
	{"tid", 't', "TID,...", 0, "Threads that run already, and what they start", 0},
	{"all-cpus", 'a', NULL, 0, "The whole system, until the command ends, or ^C", 0},
	{"cpu", 'C', "LIST", 0, "These CPUs: 0-3,8", 0},
	{"no-inherit", 'i', NULL, 0, "Count the process with its threads, but not its child processes", 0},
	{NULL, 0, NULL, 0, "One row per (with -a or -C):", 3},
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
	{"interval-print", 'I', "MS", 0, "Report what was counted every so many milliseconds", 0},
	{"interval-count", KEY_INTERVAL_COUNT, "N", 0, "Stop after N intervals, and end the command", 0},
	{"interval-clear", KEY_INTERVAL_CLEAR, NULL, 0, "Clear the terminal before each interval", 0},
	{"summary", KEY_SUMMARY, NULL, 0, "Report the total after the intervals, too", 0},
	{"control", KEY_CONTROL, "fd:N[,M]|fifo:PATH[,PATH]", 0,
	 "Obey enable, disable, evlist, ping and stop from there; answer to the second", 0},
	{NULL, 0, NULL, 0, "Output (to standard error unless said otherwise):", 5},
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
	{NULL, 0, NULL, 0, "Finding out:", 6},
	{"list", KEY_LIST, "PATTERN", OPTION_ARG_OPTIONAL,
	 "List the events that can be named here; with PMU:: in PATTERN, those of other machines' PMUs", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "Show how each event of -e is resolved and grouped; run nothing", 0},
	{"help", 'h', NULL, 0, "Show this help", -1},
	{"usage", KEY_USAGE, NULL, 0, "Show a short usage message", -1},
	{"version", 'V', NULL, 0, "Show the version", -1},
	{0},
};

/* Pairs that exclude each other. */
static const struct conflict {
	int a, b;
	const char *why;
} conflicts[] = {
	{KEY_ALL_USER, KEY_ALL_KERNEL, "nothing would be left to count"},
	{'p', 't', "count either processes or threads"},
	{'p', 'a', "count either processes or CPUs"},
	{'p', 'C', "count either processes or CPUs"},
	{'t', 'a', "count either threads or CPUs"},
	{'t', 'C', "count either threads or CPUs"},
	{'x', KEY_CSV, "choose one format"},
	{'x', 'j', "choose one format"},
	{KEY_CSV, 'j', "choose one format"},
	{'o', KEY_LOG_FD, "choose one place for the report"},
	{KEY_EXPLAIN, KEY_LIST, "ask one thing at a time"},
	{KEY_LIST, KEY_COMMAND, "--list runs nothing; with a pattern it is --list=PATTERN"},
	{KEY_EXPLAIN, KEY_COMMAND, "--explain runs nothing"},
	{KEY_LIST, 'o', "--list goes to standard output"},
	{KEY_LIST, 'x', "--list has no such format; -j gives JSON Lines"},
	{KEY_LIST, KEY_CSV, "--list has no such format; -j gives JSON Lines"},
	{KEY_EXPLAIN, 'o', "--explain goes to standard output"},
	{KEY_EXPLAIN, 'x', "--explain is for people"},
	{KEY_EXPLAIN, KEY_CSV, "--explain is for people"},
	{KEY_EXPLAIN, 'j', "--explain is for people"},
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

static void add_ids(struct argp_state *state, enum target_kind kind, const char *list)
{
	struct parsing *p = state->input;
	struct error e;

	p->options->target.kind = kind;
	if (target_add_ids(&p->options->target, list, &e) < 0)
		argp_error(state, "%s", e.text);
}

static void add_cpus(struct argp_state *state, const char *list)
{
	struct parsing *p = state->input;
	struct error e;

	p->options->target.kind = TARGET_CPU;
	if (cpuset_parse(&p->options->target.cpus, list, &e) < 0)
		argp_error(state, "-C: %s", e.text);
}

static void set_scope(struct argp_state *state, enum scope scope)
{
	struct options *o = ((struct parsing *)state->input)->options;

	if (o->scope != SCOPE_TOTAL && o->scope != scope)
		argp_error(state, "rows per %s and per %s do not go together: choose one", scope_name(o->scope),
			   scope_name(scope));
	o->scope = scope;
}

/* "2", "L2"; NULL: the last level. */
static void set_cache_level(struct argp_state *state, const char *arg)
{
	long level = 0;

	if (arg && parse_long(arg + (*arg == 'L' || *arg == 'l'), 1, 9, &level) < 0)
		argp_error(state, "--per-cache: '%s' is no cache level, as in 2 or L2", arg);
	((struct parsing *)state->input)->options->cache_level = (unsigned)level;
}

static error_t parse_cpus(int key, char *arg, struct argp_state *state)
{
	static const struct {
		int key;
		enum scope scope;
	} scopes[] = {
		{'A', SCOPE_CPU},
		{KEY_PER_CORE, SCOPE_CORE},
		{KEY_PER_CLUSTER, SCOPE_CLUSTER},
		{KEY_PER_CACHE, SCOPE_CACHE},
		{KEY_PER_DIE, SCOPE_DIE},
		{KEY_PER_SOCKET, SCOPE_SOCKET},
		{KEY_PER_NODE, SCOPE_NODE},
	};
	struct options *o = ((struct parsing *)state->input)->options;

	if (key == 'a' && o->target.kind != TARGET_CPU)
		o->target.kind = TARGET_SYSTEM;
	if (key == 'C')
		add_cpus(state, arg);
	if (key == KEY_PER_CACHE)
		set_cache_level(state, arg);
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		if (scopes[i].key == key)
			set_scope(state, scopes[i].scope);
	return 0;
}

static enum scaling scaling(struct argp_state *state, const char *arg)
{
	if (strcmp(arg, "time") != 0 && strcmp(arg, "anchor") != 0)
		argp_error(state, "--scale: '%s' is neither time nor anchor", arg);
	return *arg == 't' ? SCALING_TIME : SCALING_ANCHOR;
}

static const char *separator(const char *arg)
{
	return strcmp(arg, "\\t") == 0 ? "\t" : arg;
}

static void finish_stdout(void)
{
	if (fclose(stdout) == EOF) {
		fprintf(stderr, "pfmstat: standard output: %s\n", strerror(errno));
		exit(EXIT_USAGE);
	}
	exit(0);
}

static error_t parse_information(int key, struct argp_state *state)
{
	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK);
		finish_stdout();
		break;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		finish_stdout();
		break;
	case 'V':
		puts("pfmstat " PFMSTAT_VERSION);
		finish_stdout();
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static uint64_t milliseconds(struct argp_state *state, const char *name, const char *arg)
{
	long ms;

	if (parse_long(arg, 1, LONG_MAX / 1000000, &ms) < 0)
		argp_error(state, "%s: '%s' is not a number of milliseconds from 1", name, arg);
	return (uint64_t)ms * 1000000u;
}

static void parse_delay(struct argp_state *state, const char *arg, struct pace_options *pace)
{
	if (strcmp(arg, "-1") == 0)
		pace->delay = PACE_START_DISABLED;
	else if (strcmp(arg, "0") != 0)
		pace->delay = milliseconds(state, "--delay", arg);
}

static error_t parse_pace(int key, char *arg, struct argp_state *state, struct options *o)
{
	struct error e;
	long n;

	switch (key) {
	case 'D':
		parse_delay(state, arg, &o->pace);
		break;
	case KEY_TIMEOUT:
		o->pace.timeout = milliseconds(state, "--timeout", arg);
		break;
	case 'I':
		o->pace.interval = milliseconds(state, "--interval-print", arg);
		break;
	case KEY_INTERVAL_COUNT:
		if (parse_long(arg, 1, LONG_MAX, &n) < 0)
			argp_error(state, "--interval-count: '%s' is not a number from 1", arg);
		o->pace.interval_count = (uint64_t)n;
		break;
	case KEY_INTERVAL_CLEAR:
		o->interval_clear = true;
		break;
	case KEY_SUMMARY:
		o->summary = true;
		break;
	case KEY_CONTROL:
		o->control = xcalloc(1, sizeof(*o->control));
		if (control_parse(o->control, arg, &e) < 0)
			argp_error(state, "%s", e.text);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_output(int key, char *arg, struct argp_state *state, struct report_options *r)
{
	long fd;

	switch (key) {
	case 'x':
		if (!*arg)
			argp_error(state, "-x: the separator is empty");
		r->format = REPORT_X;
		r->separator = separator(arg);
		break;
	case KEY_CSV:
		r->format = REPORT_CSV;
		break;
	case 'j':
		r->format = REPORT_JSON;
		break;
	case 'o':
		r->path = arg;
		break;
	case KEY_APPEND:
		r->append = true;
		break;
	case KEY_LOG_FD:
		if (parse_long(arg, 0, INT_MAX, &fd) < 0)
			argp_error(state, "--log-fd: '%s' is not a descriptor's number", arg);
		r->log_fd = (int)fd;
		break;
	case 'B':
		r->big_num = true;
		break;
	case KEY_NO_BIG_NUM:
		r->big_num = false;
		break;
	case 'v':
		r->verbose = true;
		break;
	default:
		return parse_information(key, state);
	}
	return 0;
}

/* The first word that is no option begins the command: all that follows belongs to it. */
static void take_command(struct argp_state *state)
{
	struct parsing *p = state->input;

	p->options->command = state->argv + state->next - 1;
	state->next = state->argc;
	p->given[KEY_COMMAND] = true;
}

static void check_conflicts(struct argp_state *state);

static void finish_parsing(struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	check_conflicts(state);
	if (o->n_events == 0)
		add_events(o, OPTION_EVENTS, target_is_cpus(&o->target) ? default_cpu_events : default_events);
	for (unsigned i = 0; i < p->details && i < ARRAY_SIZE(detail_events); i++)
		add_events(o, OPTION_EVENTS, detail_events[i]);
	if (!p->given['I'] && (p->given[KEY_INTERVAL_COUNT] || p->given[KEY_INTERVAL_CLEAR] || p->given[KEY_SUMMARY]))
		argp_error(state, "--interval-count, --interval-clear and --summary need intervals: -I MS");
	if (o->scope != SCOPE_TOTAL && !target_is_cpus(&o->target))
		argp_error(state, "rows per CPU, core, socket and so on need -a or -C");
	if (o->report.append && !o->report.path)
		argp_error(state, "--append: needs a file, -o FILE");
	if (o->action == ACTION_COUNT && !o->command && o->target.kind == TARGET_COMMAND)
		argp_error(state, "nothing to count: give a command, -p PID, or -a");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;
	struct options *o = p->options;

	if (key > 0 && key < KEY_END)
		p->given[key] = true;
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
	case KEY_SCALE:
		o->scaling = scaling(state, arg);
		break;
	case 'p':
		add_ids(state, TARGET_PROCESS, arg);
		break;
	case 't':
		add_ids(state, TARGET_THREAD, arg);
		break;
	case 'i':
		o->inherit = false;
		break;
	case 'a':
	case 'C':
	case 'A':
	case KEY_PER_CORE:
	case KEY_PER_CLUSTER:
	case KEY_PER_CACHE:
	case KEY_PER_DIE:
	case KEY_PER_SOCKET:
	case KEY_PER_NODE:
		return parse_cpus(key, arg, state);
	case KEY_LIST:
		o->action = ACTION_LIST;
		o->list_pattern = arg;
		break;
	case KEY_EXPLAIN:
		o->action = ACTION_EXPLAIN;
		break;
	case ARGP_KEY_ARG:
		take_command(state);
		break;
	case ARGP_KEY_END:
		finish_parsing(state);
		break;
	default:
		if (parse_pace(key, arg, state, o) == 0)
			return 0;
		return parse_output(key, arg, state, &o->report);
	}
	return 0;
}

static void print_key(FILE *out, int key)
{
	for (const struct argp_option *o = argp_options; o->name || o->doc; o++) {
		if (o->key != key || !o->name)
			continue;
		fprintf(out, "--%s", o->name);
		return;
	}
	fputs("a command", out);
}

static void check_conflicts(struct argp_state *state)
{
	const struct parsing *p = state->input;

	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		auto_free char *text = NULL;
		size_t size;
		FILE *out;

		if (!p->given[conflicts[i].a] || !p->given[conflicts[i].b])
			continue;
		out = open_memstream(&text, &size);
		if (!out)
			abort();
		print_key(out, conflicts[i].a);
		fputs(" and ", out);
		print_key(out, conflicts[i].b);
		fclose(out);
		argp_error(state, "%s do not go together: %s", text, conflicts[i].why);
	}
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse_option,
		.args_doc = "[--] COMMAND [ARG...]\n-p PID[,PID...] [COMMAND...]\n-a [COMMAND...]\n--explain -e "
			    "EVENTS\n--list[=PATTERN]",
		.doc = "Count performance events around a command or on running processes, and say how far each number "
		       "can be trusted.\v"
		       "With no -e: task-clock, context-switches, cpu-migrations, page-faults, cycles, instructions, "
		       "branches, branch-misses. The exit status is the command's own; 125 if pfmstat itself failed. "
		       "The manual, pfmstat(1), has examples.",
	};
	struct parsing parsing = {.options = options};

	*options = (struct options){.inherit = true};
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
	target_free(&options->target);
}
