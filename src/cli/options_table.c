/* The table of all options; options_apply.h has the functions for their arguments. */
#include <limits.h>
#include <string.h>

#include "cli/options_apply.h"
#include "cli/options_internal.h"
#include "lib/util.h"

static const char *const color_names[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
static const char *const sim_cpu_names[] = {[SIM_CPU_HOST] = "host", [SIM_CPU_BASELINE] = "baseline"};
static const char *const errata_names[] = {[ERRATA_FIX] = "fix", [ERRATA_WARN] = "warn", [ERRATA_OFF] = "off"};
static const char *const statistic_names[] = {[STATISTIC_MEAN] = "mean", [STATISTIC_MEDIAN] = "median"};
static const char *const by_names[] = {
	[AGGR_PROCESS] = "process", [AGGR_COMM] = "comm", [AGGR_THREAD] = "thread", [AGGR_CGROUP] = "cgroup"};

#define SIZE(member)            sizeof(((struct options *)NULL)->member)
#define SET(member, v)          .set = {offsetof(struct options, member), SIZE(member)}, .value = v
#define APPLY(function, member) .apply = function, .field = {offsetof(struct options, member), SIZE(member)}
#define TEXT(member)            APPLY(apply_text, member)
#define ROWS(scope)             .apply = apply_scope, .value = scope
#define NUMBER(member, from, to, otherwise) \
	APPLY(apply_number, member), .min = from, .max = to, .unit = 1, .refusal = otherwise
#define RUNS(member) NUMBER(member, 0, INT_MAX, "not a number of runs")
#define MILLISECONDS(function, member, from)                                               \
	.min = from, .max = INT64_MAX / 1000000, .unit = 1000000, APPLY(function, member), \
	.refusal = "not a whole number of milliseconds, " #from " or more"
#define PERCENT(member, per) APPLY(apply_percent, member), .unit = per, .refusal = "not a percentage"
#define CHOICE(member, names, otherwise) \
	APPLY(apply_choice, member), .choices = names, .max = ARRAY_SIZE(names) - 1, .refusal = otherwise
#define IN(actions)      .in = actions
#define NEEDS(...)       .needs = {{__VA_ARGS__}}
#define NEEDS_BOTH(a, b) .needs = {{a}, {b}}

static const struct option_rule rules[] = {
	{.doc = "Events:", .group = 1},
	{"event", 'e', "LIST", "Count these events: a,b,{c,d}:u; may be repeated. See --list",
	 .apply = apply_event_option, .of = OPTION_EVENTS, IN(EXPLAIN)},
	{"pfm-events", 'e', NULL, NULL, .flags = OPTION_ALIAS | OPTION_HIDDEN},
	{"filter", KEY_FILTER, "EXPR", "Count the tracepoint before this option only where its fields match",
	 .apply = apply_event_option, .of = OPTION_FILTER, IN(EXPLAIN)},
	{"metric", 'M', "LIST",
	 "Compute metrics: names, groups of metrics or 'NAME=EXPR'; count their events; may be repeated",
	 .apply = apply_event_option, .of = OPTION_METRICS, IN(EXPLAIN)},
	{"topdown", KEY_TOPDOWN, NULL, "Compute the metrics of the group TopdownL1", SET(topdown, true), IN(EXPLAIN)},
	{"td-level", KEY_TD_LEVEL, "N", "Compute the metrics of the group TopdownLN", SET(topdown, true),
	 NUMBER(topdown_level, 1, 9, "not a level from 1 to 9"), IN(EXPLAIN)},
	{"metric-no-threshold", KEY_METRIC_NO_THRESHOLD, NULL,
	 "Do not count events that only thresholds of metrics need", SET(no_threshold, true), IN(EXPLAIN)},
	{"metrics", KEY_METRICS, "FILE|DIR",
	 "Read events and metrics from a file in perf's JSON format, or from all files of a directory; may be repeated",
	 .apply = apply_metrics, IN(LIST | CHECK | EXPLAIN)},
	{"errata", KEY_ERRATA, "WHAT",
	 "For names that libpfm4 encodes wrongly: use the vendor's code (fix, the default), only warn, or off",
	 CHOICE(errata, errata_names, "not fix, warn or off"), IN(EXPLAIN)},
	{"sim-cpu", KEY_SIM_CPU, "CPU",
	 "Features by which a simulated command's C library chooses its functions: host (the default) or baseline",
	 CHOICE(sim_cpu, sim_cpu_names, "not host or baseline"), IN(EXPLAIN)},
	{"detailed", 'd', NULL, "Add cache events; -dd and -ddd add more", .apply = NULL, IN(EXPLAIN)},
	{"all-user", KEY_ALL_USER, NULL, "Count in user space only", SET(all_user, true), IN(EXPLAIN)},
	{"all-kernel", KEY_ALL_KERNEL, NULL, "Count in the kernel only", SET(all_kernel, true), IN(EXPLAIN)},
	{"no-group", KEY_NO_GROUP, NULL, "Open each event alone, even in braces", SET(no_group, true), IN(EXPLAIN)},
	{"no-merge", KEY_NO_MERGE, NULL, "If several PMUs of the same kind count an event, show a row for each",
	 SET(no_merge, true), IN(EXPLAIN)},
	{"pmu-filter", KEY_PMU_FILTER, "PMU", "If several PMUs count an event, count it only on this one",
	 TEXT(pmu_filter), IN(EXPLAIN)},
	{"hybrid-merge", KEY_HYBRID_MERGE, NULL, NULL, .flags = OPTION_HIDDEN, SET(report.hybrid_merge, true)},
	{"no-multiplex", KEY_NO_MULTIPLEX, NULL,
	 "Run the command once for each group of events instead of multiplexing", SET(no_multiplex, true)},
	{"strict", KEY_STRICT, NULL, "Run nothing if an event cannot be counted exactly", SET(strict, true),
	 IN(EXPLAIN)},
	{"scale", KEY_SCALE, NULL, "Scale multiplexed counts to the time enabled (default)", SET(no_scale, false)},
	{"no-scale", KEY_NO_SCALE, NULL, "Show multiplexed counts as read, not scaled", SET(no_scale, true)},
	{"null", 'n', NULL, "Count no default events; without -e, measure only time", SET(null, true)},
	{.doc = "Target:", .group = 2},
	{"pid", 'p', "PID,...", "Count running processes: all their threads, and those started later",
	 SET(target.kind, TARGET_PROCESS), .apply = apply_ids, .alias = "-p", IN(EXPLAIN)},
	{"tid", 't', "TID,...", "Count running threads, and those that they start later",
	 SET(target.kind, TARGET_THREAD), .apply = apply_ids, .alias = "-t", IN(EXPLAIN)},
	{"all-cpus", 'a', NULL, "Count the whole system, until the command ends or ^C", SET(target.kind, TARGET_SYSTEM),
	 IN(EXPLAIN)},
	{"cpu", 'C', "LIST", "Count only these CPUs: 0-3,8", .apply = apply_cpus, .alias = "-C", IN(EXPLAIN)},
	{"cgroup", 'G', "LIST",
	 "With -a or -C: count only these cgroups, the first for the first event before this option, and so on, or a "
	 "single one for all",
	 .apply = apply_event_option, .of = OPTION_CGROUPS, NEEDS('a', 'C'), IN(EXPLAIN)},
	{"for-each-cgroup", KEY_FOR_EACH_CGROUP, "LIST", "With -a or -C: count all events in each cgroup",
	 SET(for_each_cgroup, true), .apply = apply_event_option, .of = OPTION_CGROUPS, NEEDS('a', 'C'), IN(EXPLAIN)},
	{"unit", KEY_UNIT, "LIST", "Count all events in these units of systemd", SET(for_each_cgroup, true),
	 .apply = apply_named_cgroup, .of = OPTION_UNIT, IN(EXPLAIN)},
	{"container", KEY_CONTAINER, "LIST", "Count all events in these containers, by their names or IDs",
	 SET(for_each_cgroup, true), .apply = apply_named_cgroup, .of = OPTION_CONTAINER, IN(EXPLAIN)},
	{"pod", KEY_POD, "LIST", "Count all events in these pods, by their names or IDs", SET(for_each_cgroup, true),
	 .apply = apply_named_cgroup, .of = OPTION_POD, IN(EXPLAIN)},
	{"no-inherit", 'i', NULL, "Count the process and its threads, but not its child processes", SET(inherit, false),
	 IN(EXPLAIN)},
	{"by", KEY_BY, "WHAT", "Show a row per process, comm (program name), thread or cgroup",
	 CHOICE(by, by_names, "not process, comm, thread or cgroup"), IN(EXPLAIN)},
	{"sort", KEY_SORT, "EVENT|ORDER",
	 "With --by: sort by this event, largest first. Otherwise sort the events of the table: value, name or none",
	 TEXT(sort), IN(DIFF)},
	{"per-thread", KEY_PER_THREAD, NULL, "Show a row per thread, largest first", SET(per_thread, true)},
	{"top", KEY_TOP, "N|all",
	 "With --by and --per-thread: show the N largest rows, and one row for all others (in a table by default 25). "
	 "With --diff: show the N events that changed most",
	 .min = 1, .max = INT_MAX, .unit = 1, APPLY(apply_top, top), .refusal = "not a whole number, 1 or more, or all",
	 IN(DIFF), NEEDS(KEY_BY, KEY_PER_THREAD, KEY_DIFF)},
	{"trace", KEY_TRACE, NULL,
	 "With --by: follow the command with ptrace, which needs no rights but changes how it runs", SET(trace, true),
	 NEEDS_BOTH(KEY_BY, KEY_COMMAND)},
	{"cmdline", KEY_CMDLINE, NULL, "With --by=process: show command lines", SET(cmdline, true),
	 NEEDS(KEY_BY_PROCESS)},
	{"folded", KEY_FOLDED, "EVENT", "Write lines for flamegraph.pl: this event by path of program names",
	 SET(report.format, REPORT_FOLDED), TEXT(report.folded), NEEDS(KEY_BY_PROCESS)},
	{.doc = "Rows (with -a or -C), one per:", .group = 3},
	{"no-aggr", 'A', NULL, "CPU", ROWS(AGGR_CPU), NEEDS('a', 'C')},
	{"per-core", KEY_PER_CORE, NULL, "Physical core", ROWS(AGGR_CORE), NEEDS('a', 'C')},
	{"per-cluster", KEY_PER_CLUSTER, NULL, "Cluster of cores", ROWS(AGGR_CLUSTER), NEEDS('a', 'C')},
	{"per-cache", KEY_PER_CACHE, "LEVEL", "Cache of this level (2, L2); default: the last level",
	 .flags = OPTION_ARG_OPTIONAL, .apply = apply_cache, .value = AGGR_CACHE,
	 .refusal = "not a cache level such as 2 or L2", NEEDS('a', 'C')},
	{"per-die", KEY_PER_DIE, NULL, "Die", ROWS(AGGR_DIE), NEEDS('a', 'C')},
	{"per-socket", KEY_PER_SOCKET, NULL, "Socket", ROWS(AGGR_SOCKET), NEEDS('a', 'C')},
	{"per-node", KEY_PER_NODE, NULL, "NUMA node", ROWS(AGGR_NODE), NEEDS('a', 'C')},
	{.doc = "Time:", .group = 4},
	{"delay", 'D', "MS", "Start counting after MS milliseconds; -1: when --control or the program enables it",
	 MILLISECONDS(apply_delay, pace.delay, 0), IN(EXPLAIN)},
	{"timeout", KEY_TIMEOUT, "MS",
	 "Stop after MS milliseconds (-r: each run; in a comparison: all runs together), and end the command",
	 MILLISECONDS(apply_number, pace.timeout, 1)},
	{"interval-print", 'I', "MS", "Report every MS milliseconds", MILLISECONDS(apply_number, pace.interval, 1),
	 IN(EXPLAIN)},
	{"interval-count", KEY_INTERVAL_COUNT, "N", "Stop after N intervals, and end the command",
	 NUMBER(pace.interval_count, 1, INT64_MAX, "not a whole number, 1 or more"), NEEDS('I')},
	{"interval-clear", KEY_INTERVAL_CLEAR, NULL, "Clear the terminal before each interval",
	 SET(interval_clear, true), NEEDS('I')},
	{"summary", KEY_SUMMARY, NULL, "Report the totals after the intervals", SET(report.summary, true), NEEDS('I')},
	{"no-csv-summary", KEY_NO_CSV_SUMMARY, NULL, "With -x: no 'summary' before rows of --summary",
	 SET(report.plain_summary, true)},
	{"control", KEY_CONTROL, "fd:N[,M]|fifo:PATH[,PATH]",
	 "Read commands from N or the first PATH (enable, disable, evlist, ping, stop); answer on M or the second",
	 .apply = apply_control, IN(EXPLAIN)},
	{"regions", KEY_REGIONS, "LIST",
	 "Count each call of these functions (PATH:FUNCTION, usdt:PATH:PROVIDER:BEGIN-END); without a list, count the "
	 "regions that the command marks (pfmstat.h, pfmstat.py)",
	 .flags = OPTION_ARG_OPTIONAL, .apply = apply_regions, NEEDS(KEY_COMMAND, KEY_CONTROL)},
	{.doc = "Repeated runs and comparisons (A ::: B):", .group = 5},
	{"repeat", 'r', "N",
	 "Run N times (0: until ^C) and report means. Default in comparisons: until decided, about 3 s at most",
	 RUNS(repeat.runs), .alias = "-r", NEEDS(KEY_COMMAND)},
	{"warmup", KEY_WARMUP, "N", "Run each command N times before it is measured", RUNS(repeat.warmup),
	 NEEDS(KEY_COMMAND)},
	{"setup", KEY_SETUP, "CMD", "Run CMD in a shell once for each command, before all runs",
	 TEXT(repeat.hooks.setup), NEEDS(KEY_COMMAND)},
	{"pre", KEY_PRE, "CMD", "Run CMD in a shell before each run", TEXT(repeat.hooks.pre), NEEDS(KEY_COMMAND)},
	{"post", KEY_POST, "CMD", "Run CMD in a shell after each run", TEXT(repeat.hooks.post), NEEDS(KEY_COMMAND)},
	{"command-output", KEY_COMMAND_OUTPUT, "null|inherit|FILE",
	 "Redirect standard output of the runs; default: null in comparisons and for -r on a terminal, otherwise "
	 "inherit",
	 TEXT(repeat.output), NEEDS(KEY_COMMAND)},
	{"show-output", KEY_SHOW_OUTPUT, NULL, "The same as --command-output=inherit", .apply = apply_show_output,
	 NEEDS(KEY_COMMAND)},
	{"input", KEY_INPUT, "FILE", "Use FILE as standard input of each run", TEXT(repeat.input), NEEDS(KEY_COMMAND)},
	{"sync", 'S', NULL, "Call sync(2) before each run", SET(repeat.sync, true), NEEDS(KEY_COMMAND)},
	{"until", KEY_UNTIL, "PCT", "Stop when the first event's mean is known to within PCT%",
	 PERCENT(repeat.until, 1), .min = 1, NEEDS(KEY_COMMAND)},
	{"decide", KEY_DECIDE, NULL,
	 "With -r: stop a comparison as soon as elapsed time and the first event, or the conditions of --fail-if, are "
	 "decided",
	 SET(repeat.decide, true), NEEDS(KEY_COMPARISON)},
	{"undisturbed", KEY_UNDISTURBED, NULL,
	 "Repeat rounds in which a run waited for a CPU: other tasks, the host of the machine, or a CPU limit",
	 SET(repeat.undisturbed, true), NEEDS('r', KEY_UNTIL, KEY_COMPARISON)},
	{"randomize-env", KEY_RANDOMIZE_ENV, NULL, "Shift the stack by a random amount in each run",
	 SET(repeat.randomize_environment, true), NEEDS(KEY_COMMAND)},
	{"seed", KEY_SEED, "N", "Repeat the random order of runs with this seed", SET(repeat.has_seed, true),
	 .apply = apply_seed, .refusal = "not a whole number", NEEDS(KEY_COMPARISON, KEY_RANDOMIZE_ENV)},
	{"threshold", KEY_THRESHOLD, "PCT", "Ignore differences up to PCT% (default 1)",
	 PERCENT(judging.threshold, 100), IN(DIFF), NEEDS(KEY_COMPARISON, KEY_DIFF)},
	{"statistic", KEY_STATISTIC, "NAME", "Compare the mean (the default) or the median of the runs",
	 CHOICE(judging.statistic, statistic_names,
		"not mean or median (a minimum has no interval, so that no verdict on it holds)"),
	 IN(DIFF), NEEDS(KEY_COMPARISON, KEY_DIFF)},
	{"scan", KEY_SCAN, "NAME=VALUES",
	 "Compare the command with each of the values in place of {NAME}: 1..8, 1..64*2, 0..100+25 or a,b,c; if "
	 "repeated, run all combinations",
	 .apply = apply_scan, NEEDS(KEY_COMMAND)},
	{"git", KEY_GIT, "OLD[..NEW]",
	 "Compare the command in two revisions of the git repository, in temporary worktrees (NEW: HEAD)", TEXT(git),
	 NEEDS(KEY_COMMAND)},
	{"build", KEY_BUILD, "CMD", "With --git: run this shell command in each worktree once", TEXT(build),
	 NEEDS(KEY_GIT)},
	{"bisect", KEY_BISECT, NULL, "With --git and --fail-if: find the commit whose condition fails",
	 SET(bisect, true), NEEDS_BOTH(KEY_GIT, KEY_FAIL_IF)},
	{"calibrate", KEY_CALIBRATE, NULL,
	 "Compare the command with itself, in 30 runs each unless -r is given; show the changes that can be found, and "
	 "the --fail-if that finds them",
	 SET(calibrate, true), NEEDS(KEY_COMMAND)},
	{"diff", KEY_DIFF, NULL, "Compare reports saved with --json: --diff OLD NEW", SET(action, ACTION_DIFF)},
	{"against", KEY_AGAINST, "NEW",
	 "With --diff OLD...: compare NEW with all old reports together, such as those of the last 90 days",
	 TEXT(against), IN(DIFF), NEEDS(KEY_DIFF)},
	{"merge", KEY_MERGE, NULL,
	 "Add up reports saved with --json by the ranks of a job or several hosts: --merge FILES",
	 SET(action, ACTION_MERGE)},
	{"name", KEY_NAME, "NAME", "Name the first command in the report; if repeated, the second, and so on",
	 .apply = apply_name, .refusal = "not a name", IN(DIFF),
	 NEEDS(KEY_COMPARISON, KEY_SCAN, KEY_DIFF, KEY_OPENMETRICS, KEY_BENCHMARKS)},
	{"fail-if", KEY_FAIL_IF, "COND,...", "Exit with 1 if a difference is certainly larger: 'instructions>2%'",
	 TEXT(judging.fail_if), IN(DIFF), NEEDS(KEY_COMPARISON, KEY_DIFF)},
	{"force", KEY_FORCE, NULL, "With --diff: --fail-if also judges counts of other hosts, kernels or CPU models",
	 SET(judging.force, true), IN(DIFF), NEEDS_BOTH(KEY_DIFF, KEY_FAIL_IF)},
	{"ignore-failure", KEY_IGNORE_FAILURE, NULL,
	 "Count and judge runs that fail, or that are cut off, like others; their status is not pfmstat's",
	 SET(repeat.ignore_failure, true), IN(DIFF), NEEDS(KEY_COMMAND, KEY_DIFF)},
	{.doc = "Output (default: a table on standard error):", .group = 6},
	{"field-separator", 'x', "SEP", "Write perf stat's columns for scripts, separated by SEP",
	 SET(report.format, REPORT_X), .apply = apply_separator, .refusal = "not a separator", .alias = "-x"},
	{"csv", KEY_CSV, NULL, "Write CSV with a header and fixed columns (RFC 4180)", SET(report.format, REPORT_CSV),
	 IN(DIFF | MERGE)},
	{"json-output", 'j', NULL, "Write JSON with the keys of perf stat -j", SET(report.format, REPORT_PERF_JSON)},
	{"json", KEY_JSON, NULL, "Write JSON Lines: the rows of --csv, and records about the run",
	 SET(report.format, REPORT_JSON), IN(LIST | CHECK | DIFF | MERGE)},
	{"openmetrics", KEY_OPENMETRICS, NULL,
	 "Write counters and gauges for Prometheus; the file of -o is replaced atomically at each interval",
	 SET(report.format, REPORT_OPENMETRICS)},
	{"metric-only", KEY_METRIC_ONLY, NULL, "Report metrics only, each as a column", SET(report.metric_only, true)},
	{"output", 'o', "FILE",
	 "Write to FILE; - is standard output. %h in FILE stands for the host, %p for the process id, %{NAME} for a "
	 "variable, %% for %",
	 APPLY(apply_file, report.path), IN(DIFF | MERGE)},
	{"export", KEY_EXPORT, "FILE",
	 "Also write the report to FILE.md, .csv, .json, .prom, .bmf.json, .gab.json or .junit.xml, or to standard "
	 "output (md:- and so on); may be repeated",
	 .apply = apply_export,
	 .refusal = "neither a name that ends in .md, .csv, .json, .prom, .bmf.json, .gab.json or .junit.xml, nor - or "
		    "md:-",
	 IN(DIFF | MERGE)},
	{"plot", KEY_PLOT, "FILE", "Draw intervals, runs, a comparison or functions in FILE.svg", .apply = apply_plot,
	 .refusal = "not a name that ends in .svg", IN(DIFF),
	 NEEDS('I', 'r', KEY_UNTIL, KEY_COMPARISON, KEY_DIFF, KEY_FUNCTIONS)},
	{"append", KEY_APPEND, NULL, "Append to the file of -o", SET(report.append, true), IN(DIFF | MERGE)},
	{"log-fd", KEY_LOG_FD, "N", "Write to the open file descriptor N",
	 NUMBER(report.log_fd, 0, INT_MAX, "not a file descriptor"), IN(DIFF | MERGE)},
	{"quiet", KEY_QUIET, NULL, "Write no report", SET(report.quiet, true), IN(DIFF)},
	{"big-num", 'B', NULL, NULL, .flags = OPTION_HIDDEN, SET(report.big_num, true), IN(DIFF | MERGE)},
	{"no-big-num", KEY_NO_BIG_NUM, NULL,
	 "Never group digits in the table (default: group them on a terminal, and if the locale does)",
	 SET(report.big_num, false), IN(DIFF | MERGE)},
	{"color", KEY_COLOR, "WHEN",
	 "Use colours in the table and in errors: always, never or auto (default: on a terminal, unless NO_COLOR is "
	 "set)",
	 CHOICE(report.color, color_names, "not auto, always or never"), IN(LIST | EXPLAIN | DIFF | MERGE)},
	{"nonzero", KEY_NONZERO, NULL, "In the table, list all events with the value 0 on one line",
	 SET(report.nonzero, true), IN(DIFF)},
	{"table", KEY_TABLE, NULL, "With -r: show the elapsed time of each run", SET(report.run_table, true)},
	{"verbose", 'v', NULL, "Also show raw counts, times and all notes", SET(report.verbose, true),
	 IN(DIFF | MERGE)},
	{.doc = "Information:", .group = 7},
	{"list", KEY_LIST, "PATTERN", "List the events of this machine; with PMU:: in PATTERN, of other machines' PMUs",
	 .flags = OPTION_ARG_OPTIONAL, SET(action, ACTION_LIST), TEXT(list_pattern)},
	{"explain", KEY_EXPLAIN, NULL,
	 "Show how each event is resolved and grouped, and whether it counts here; run nothing",
	 SET(action, ACTION_EXPLAIN)},
	{"check", KEY_CHECK, NULL, "Show the counts that work here, and a fix for the others",
	 SET(action, ACTION_CHECK)},
	{"names", KEY_NAMES, NULL, "With --check: compare all names of libpfm4 with the vendor's files of --metrics",
	 SET(check_names, true), IN(CHECK), NEEDS(KEY_CHECK)},
	{"schema", KEY_SCHEMA, NULL, "Show the JSON schema of the records of --json", .apply = show_information},
	{NULL, 'h', NULL, "Show the most common options and three examples", .group = -1, .apply = show_information},
	{"help", KEY_HELP, NULL, "Show all options", .group = -1, .apply = show_information,
	 .value = ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK},
	{"usage", KEY_USAGE, NULL, "List the options without descriptions", .group = -1, .apply = show_information,
	 .value = ARGP_HELP_USAGE},
	{"version", 'V', NULL, "Show the version", .group = -1, .apply = show_information},
};

/* perf accepts --no- before each of its switches: it undoes the switch before it. */
#define UNDO 0x1000 /* added to the key of the switch */
static const struct {
	const char *name;
	int key;
} undone[] = {
	{"no-all-user", KEY_ALL_USER},
	{"no-all-kernel", KEY_ALL_KERNEL},
	{"no-append", KEY_APPEND},
	{"no-detailed", 'd'},
	{"no-null", 'n'},
	{"no-interval-clear", KEY_INTERVAL_CLEAR},
	{"no-quiet", KEY_QUIET},
	{"no-metric-only", KEY_METRIC_ONLY},
	{"no-summary", KEY_SUMMARY},
	{"no-hybrid-merge", KEY_HYBRID_MERGE},
	{"no-sync", 'S'},
	{"no-table", KEY_TABLE},
	{"no-verbose", 'v'},
	{"no-topdown", KEY_TOPDOWN},
};

struct argp_option *options_argp_table(bool as_perf, bool undo)
{
	size_t n = ARRAY_SIZE(rules), n_undone = undo ? ARRAY_SIZE(undone) : 0;
	struct argp_option *table =
		xcalloc(n + n_undone + OPTIONS_PERF_MAX + OPTIONS_ABBREVIATED_MAX + 1, sizeof(*table));

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct option_rule *r = &rules[i];

		table[i] = (struct argp_option){r->name, r->key, r->argument, r->flags, r->doc, r->group};
		if (as_perf && r->key == KEY_JSON)
			table[i].key = 'j';
	}
	for (size_t i = 0; i < n_undone; i++)
		table[n + i] = (struct argp_option){
			.name = undone[i].name, .key = UNDO + undone[i].key, .flags = OPTION_HIDDEN};
	options_perf_table(table + n + n_undone);
	if (as_perf)
		options_perf_abbreviate(table);
	return table;
}

const struct option_rule *options_rule(int key)
{
	for (const struct option_rule *rule = rules; rule < rules + ARRAY_SIZE(rules); rule++)
		if (rule->key == key)
			return rule;
	return NULL;
}

error_t options_apply(int key, char *arg, struct argp_state *state)
{
	struct parsing *p = state->input;
	struct given_option given = {.argument = arg, .options = p->options, .state = state};

	bool undo = key >= UNDO && key < UNDO + KEY_END;

	key -= undo ? UNDO : 0;
	given.rule = options_rule(key);
	if (!given.rule)
		return options_perf_apply(key);
	if (undo) {
		p->given[key] = 0;
		if (given.rule->set.size)
			options_store(&given, &given.rule->set, !given.rule->value);
		return 0;
	}
	if (given.rule->set.size)
		options_store(&given, &given.rule->set, given.rule->value);
	if (given.rule->apply)
		given.rule->apply(&given);
	return 0;
}

/* ---- the short help: the most common options and three examples; options.bats checks that each is in the table ----
 */

static const char short_help[] = "Usage: pfmstat [OPTION...] COMMAND [ARG...] [::: OTHER COMMAND...]\n"
				 "       pfmstat [OPTION...] -p PID | -a [COMMAND...]\n"
				 "Count performance events, and say how far each number can be trusted.\n"
				 "\n"
				 "  -e LIST             Count these events: cycles,page-faults,{a,b}\n"
				 "  -p PID              Count a running process until it ends or ^C\n"
				 "  -a                  Count the whole system; --per-core: a row per core\n"
				 "  --by=WHAT           Show a row per process, comm (program), thread or cgroup\n"
				 "  -I MS               Report every MS milliseconds\n"
				 "  -r N                Run N times and report means with their errors\n"
				 "  -o FILE             Write the report to FILE instead of standard error\n"
				 "  --csv, --json, -x,  Write for scripts; -x, writes the columns of perf stat\n"
				 "  --diff OLD NEW      Compare two reports that were saved with --json\n"
				 "  --list[=PATTERN]    List the events of this machine\n"
				 "  --explain -e LIST   Show how events are resolved, and whether they count here\n"
				 "\n"
				 "Examples:\n"
				 "  pfmstat make                                  what a command costs\n"
				 "  pfmstat -e page-faults ./old ::: ./new        which of two commands is better\n"
				 "  pfmstat -a --by=comm -e cpu-clock sleep 5     which programs use the machine\n"
				 "\n"
				 "All options: pfmstat --help. Manual: man pfmstat; introduction: man\n"
				 "pfmstat-tutorial.\n";

void options_put_short_help(FILE *out)
{
	fputs(short_help, out);
}
