/* Traces in which everybody's work is known, and the rows that they have to make: which process, program or thread did
 * how much, and in which interval. Nothing of the kernel's is read, so no context switch can be hidden.
 *
 * A trace is a list of steps, separated by semicolons. A letter is a process, a letter and a digit one of its other
 * threads; A is the command's process, and - the idle task:
 *
 *   A forks B          A process, or for `A forks A1` a thread of the same process, begins.
 *   A is sh            It takes this name.
 *   A did 3            It leaves CPU 0 after 3 page faults there. `A did 3 on 1`: CPU 1.
 *   A did 3 so far     The same, but it was interrupted and goes on.
 *   A did 3 in 7       The same, in the cgroup 7.
 *   A moves to 7       The kernel has recorded that it is in that cgroup now.
 *   A ends             Its last switch on that CPU is the next step there. `A ends on 1`: CPU 1.
 */
#include "accounting_bed.h"

#include <string.h>

#include "machine.h"
#include "rendering.h"
#include "rows/collect.h"
#include "rows/result.h"
#include "tap.h"

#define UNUSED_ID 0x3ffffe /* an id that no task has */
#define FAULTS    0        /* the event */
#define STEP_NS   1000     /* between two steps */
#define STAY_NS   10       /* on a CPU before each "did" */

/* The ids if the machine has a single CPU. */
static void add_second_cpu(struct accounting *b)
{
	if (b->n_cpus > 1)
		return;
	b->cpus = xreallocarray(b->cpus, b->n_cpus + 1, sizeof(*b->cpus));
	b->cpus[b->n_cpus++] = (struct cpu_state){
		.counted = true, .ended_unit = UNIT_OUTSIDE, .groups = xcalloc(b->n_groups, sizeof(struct cpu_group))};
}

/* ---- traces ---- */

static pid_t process_of(const char *name)
{
	if (*name == '-')
		return 0;
	return *name == 'A' ? getpid() : UNUSED_ID - 100 * (*name - 'A');
}

static pid_t task_of(const char *name)
{
	return name[1] ? UNUSED_ID - 100 * (*name - 'A') - (name[1] - '0') : process_of(name);
}

static struct trace_record record_of(enum trace_kind kind, const char *task, uint64_t time)
{
	return (struct trace_record){.kind = kind, .pid = process_of(task), .tid = task_of(task), .time = time};
}

static void take_step(struct bed *bed, const char *step)
{
	static const size_t events[] = {SIZE_MAX, FAULTS}; /* the leader counts switches */
	char task[4], name[16];
	struct trace_record r;
	unsigned faults, cpu = 0, cgroup = 0;
	uint64_t added[2];

	if (sscanf(step, " %3s forks %15s", task, name) == 2) {
		r = record_of(TRACE_FORK, name, bed->now);
		r.ppid = process_of(task);
		r.ptid = task_of(task);
	} else if (sscanf(step, " %3s is %15s", task, name) == 2) {
		r = record_of(TRACE_NAME, task, bed->now);
		r.name = name;
	} else if (sscanf(step, " %3s moves to %u", task, &cgroup) == 2) {
		r = record_of(TRACE_MOVE, task, bed->now);
		r.cgroup = cgroup;
	} else if (sscanf(step, " %3s did %u in %u", task, &faults, &cgroup) == 3 ||
		   sscanf(step, " %3s did %u on %u", task, &faults, &cpu) >= 2) {
		r = record_of(strstr(step, "so far") ? TRACE_SNAPSHOT : TRACE_SWITCH, task, bed->now);
		added[0] = r.kind == TRACE_SWITCH;
		added[1] = faults;
		r.cpu = cpu;
		r.cgroup = cgroup;
		r.enabled = r.running = STAY_NS;
		r.n = 2;
		r.added = added;
		r.events = events;
	} else if (sscanf(step, " %3s %4s on %u", task, name, &cpu) >= 2 && strcmp(name, "ends") == 0) {
		r = record_of(TRACE_EXIT, task, bed->now);
		r.cpu = cpu;
	} else {
		printf("Bail out! no step: '%s'\n", step);
		exit(1);
	}
	bed->now += STEP_NS;
	accounting_take_record(bed->accounting, &r);
}

static void play(struct bed *bed, const char *trace)
{
	auto_free char *copy = xstrdup(trace);
	char *rest = NULL;

	for (char *step = strtok_r(copy, ";", &rest); step; step = strtok_r(NULL, ";", &rest))
		take_step(bed, step);
}

/* ---- rows ---- */

/* "sh 3, work 7 of 2": of two processes; pfmstat's rows are in brackets, even if a program has the same name. */
static const char *text_of(const struct counts *counts, const struct aggr_map *map)
{
	static char text[512];
	size_t n = 0;

	text[0] = '\0';
	for (size_t k = 0; k < map->n_keys; k++) {
		const struct key *key = &map->keys[k];
		const char *name = key->comm ? key->comm : key->id;
		uint64_t sum = 0;

		for (size_t slot = 0; slot < map->n_slots; slot++)
			sum += map->key_of[slot] == k ? counts_at(counts, slot, FAULTS)->sample.value : 0;
		n += (size_t)snprintf(text + n, sizeof(text) - n, key->own ? "%s[%s] %d" : "%s%s %d", n ? ", " : "",
				      name, (int)sum);
		if (key->count > 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, " of %u", key->count);
	}
	return text;
}

static const char *ranked(struct bed *bed, const struct ranking *ranking)
{
	struct aggr_map map;
	struct counts counts;
	const char *text;

	accounting_fetch(bed->accounting, &counts, &map);
	ranking_apply(ranking, &counts, &map);
	text = text_of(&counts, &map);
	aggr_map_free(&map);
	counts_free(&counts);
	return text;
}

/* In order of their start. */
static const char *whole(struct bed *bed)
{
	return ranked(bed, &(struct ranking){.event = SIZE_MAX});
}

static const char *interval(struct bed *bed)
{
	struct aggr_map map;
	struct counts counts = {0};
	const char *text;

	accounting_fetch_interval(bed->accounting, &counts, &map);
	text = text_of(&counts, &map);
	aggr_map_free(&map);
	counts_free(&counts);
	return text;
}

/* ---- tests ---- */

static void test_processes(struct bed *bed)
{
	play(bed, "A is sh; A did 2; A forks B; B is work; B did 400 on 1; A forks C; A did 1; C is work; C did 5;"
		  "B did 600; B ends; B did 0; C forks D; C did 2; D did 500 on 1; D ends on 1; D did 0 on 1");
	is_string(whole(bed), "sh 3, work 1000, work 7, work 500", "each process has its work on any CPU");
	play(bed, "E did 90; E forks F; F did 8; A did 1");
	is_string(whole(bed), "sh 4, work 1000, work 7, work 500", "other tasks' work is unattributed");
	is_number(bed->accounting->unreported + bed->accounting->lost, 0, "nothing is unattributed");
}

static void test_ids_given_out_again(struct bed *bed)
{
	play(bed, "A is sh; A forks B; B is old; B did 5; B ends; B did 1; A did 2; A forks B; B is new; B did 9");
	is_string(whole(bed), "sh 2, old 6, new 9", "a process that reuses an id has a separate row");
}

static void test_programs(struct bed *bed)
{
	play(bed, "A is sh; A forks B; B is work; B did 10; A forks C; C is work; C did 20; C is other; C did 5;"
		  "A forks D; D is other; D did 300; A did 1");
	is_string(whole(bed), "sh 1, work 10, other 325 of 2", "programs: all processes that end up with the name");
}

static void test_threads(struct bed *bed)
{
	play(bed,
	     "A is work; A forks A1; A1 did 1 on 1; A1 forks A2; A2 did 70; A1 ends on 1; A1 did 0 on 1; A2 is worker;"
	     "A2 forks A3; A3 did 2; A2 did 30; A2 ends; A2 did 0; A did 5; A forks A4");
	is_string(whole(bed), "work 5, work 1, worker 100, worker 2, work 0",
		  "threads: some that began and ended during the run, and an idle one");
}

static void test_order(struct bed *bed)
{
	play(bed, "A is sh; A did 1; A forks B; B is work; B did 10; A forks C; C is other; C did 2000;"
		  "A forks D; D is small; D did 3");
	is_string(whole(bed), "sh 1, work 10, other 2000, small 3", "processes in order of their start");
	is_string(ranked(bed, &(struct ranking){.event = FAULTS}), "other 2000, work 10, small 3, sh 1",
		  "the largest first");
	is_string(ranked(bed, &(struct ranking){.event = FAULTS, .top = 1}), "other 2000, [(3 others)] 14",
		  "the largest, and one row for the rest with all remaining work");
}

static void test_intervals(struct bed *bed)
{
	play(bed, "A is sh; A did 1; A forks B; B is early; B did 1000");
	is_string(interval(bed), "sh 1, early 1000", "intervals: the work until then");
	is_string(interval(bed), "", "intervals: an idle task has no row");
	play(bed, "B did 300; B ends; B did 0; A forks C; C is late; C did 7 so far");
	is_string(interval(bed), "early 300, late 7", "intervals: a task that ends, and a task that stays on its CPU");
	play(bed, "C did 8 so far");
	is_string(interval(bed), "late 8",
		  "intervals: a task that stays for a whole interval; an ended task has no row");
	play(bed, "C did 4; A did 2");
	is_string(interval(bed), "sh 2, late 4", "intervals: the rest of a run is in the interval in which it ends");
	is_string(whole(bed), "sh 3, early 1300, late 19", "intervals: the whole is their sum");
}

static void test_intervals_of_threads(struct bed *bed)
{
	play(bed, "A is work; A did 1; A forks A1; A1 did 100; A1 forks A2; A1 ends; A1 did 0");
	is_string(interval(bed), "work 1, work 100", "intervals of threads: a thread that ended in this interval");
	play(bed, "A2 did 50 so far");
	is_string(interval(bed), "work 50", "intervals of threads: only active threads");
	play(bed, "A2 did 50; A2 ends; A2 did 0; A did 3");
	is_string(interval(bed), "work 3, work 50", "intervals of threads: a thread that began in an earlier interval");
	is_string(whole(bed), "work 4, work 100, work 100", "intervals of threads: the whole is their sum");
}

static void test_changing_names(struct bed *bed)
{
	play(bed, "A is first; A did 10");
	is_string(interval(bed), "first 10", "names that change: the first");
	play(bed, "A is second; A did 20");
	is_string(interval(bed), "second 20", "changed names: the second, in its interval");
	play(bed, "A is first; A did 30");
	is_string(interval(bed), "first 30", "names that change: and back again");
	is_string(ranked(bed, &(struct ranking){.event = FAULTS}), "first 40 of 2, second 20",
		  "names that change: in the whole, work has the name that it had in its interval");
}

static void test_some_cpus(struct bed *bed)
{
	add_second_cpu(bed->accounting);
	bed->accounting->cpus[0].counted = false;
	play(bed, "A is sh; A did 50; A forks B; B is work; B did 3000; B did 7 on 1; B ends on 1; B did 0 on 1; A did "
		  "2 on 1");
	is_string(whole(bed), "sh 2, work 7", "some CPUs: no work on others, but names and forks there");
}

/* The processes of this machine also exist, and do nothing. */
static void test_system(struct bed *bed)
{
	play(bed, "- did 3; B forks C; C is work; C did 40; - did 2 on 1; C ends; C did 0; D forks E; E is (idle);"
		  "E did 6; D forks F");
	is_string(whole(bed),
		  bed->accounting->options.by == AGGR_COMM ? "[(idle)] 5, work 40, (idle) 6"
							   : "(idle) 5, work 40, (idle) 6",
		  "the whole machine: the idle task, and active tasks");
}

static void test_targets(struct bed *bed)
{
	accounting_add_targets(bed->accounting);
	tree_rename(&bed->accounting->tree, 0, "target");
	play(bed, "A did 4; A forks B; B is child; B did 7; C did 90; C forks D; D did 5; A did 1");
	is_string(whole(bed), "target 5, child 7", "an existing process, processes that it starts, and no others");
}

/* In what cgroup a task did its work is known unless it was moved between two switches. */
static void test_cgroups(struct bed *bed)
{
	const struct trace_record box = {.kind = TRACE_CGROUP, .cgroup = 7, .name = "/box"};

	tree_find_task(&bed->accounting->tree, getpid())->cgroup = 7;
	accounting_take_record(bed->accounting, &box);
	play(bed, "A did 2 in 7; A forks B; B did 400 in 7; A did 1 in 7; - did 3");
	is_string(whole(bed), "[(idle)] 3, box 403", "cgroups: the work of all tasks");
	play(bed, "B moves to 8; A did 1 in 7; B did 9 in 8");
	is_string(whole(bed), "[(idle)] 3, box 404, cgroup:8 9", "cgroups: a task was moved while it was on no CPU");
	ok(!bed->accounting->moved, "cgroups: ... so that all its work is in one cgroup");
	play(bed, "B moves to 7; B did 30 in 7; B did 5 in 7");
	is_string(whole(bed), "[(idle)] 3, box 409, cgroup:8 9, [(unattributed)] 30", "cgroups: work around a move");
	ok(bed->accounting->moved, "cgroups: ... is in two cgroups");
	play(bed, "B moves to 8; B moves to 7; B did 20 in 7");
	is_string(whole(bed), "[(idle)] 3, box 409, cgroup:8 9, [(unattributed)] 50", "cgroups: away and back");
	play(bed, "B did 4 in 8; B moves to 8; A did 1 in 7; B did 6 in 8");
	is_string(whole(bed), "[(idle)] 3, box 410, cgroup:8 15, [(unattributed)] 54",
		  "cgroups: a switch before the record of the move");
	play(bed, "B forks B1; B moves to 7; B1 did 3 in 7; B1 did 10 in 7");
	is_string(whole(bed), "[(idle)] 3, box 420, cgroup:8 15, [(unattributed)] 57",
		  "cgroups: all threads are moved");
	play(bed, "A forks D; D did 50 in 8; D did 5 in 8");
	is_string(whole(bed), "[(idle)] 3, box 420, cgroup:8 20, [(unattributed)] 107",
		  "cgroups: a task that was started in another cgroup, or moved at once");
	is_string(ranked(bed, &(struct ranking){.event = FAULTS, .top = 1}),
		  "box 420, [(2 others)] 23, [(unattributed)] 107", "cgroups: the largest, and one row for the others");
}

static void test_intervals_of_cgroups(struct bed *bed)
{
	tree_find_task(&bed->accounting->tree, getpid())->cgroup = 7;
	play(bed, "A did 2 in 7; A forks B; B did 400 in 7");
	is_string(interval(bed), "cgroup:7 402", "intervals of cgroups: the work until then");
	play(bed, "B did 5 in 8; B did 10 in 8");
	is_string(interval(bed), "cgroup:8 10, [(unattributed)] 5", "intervals of cgroups: only active ones");
	is_string(whole(bed), "cgroup:7 402, cgroup:8 10, [(unattributed)] 5",
		  "intervals of cgroups: the whole is their sum");
}

/* Processes with the same path have one line. */
static void test_paths(struct bed *bed)
{
	const struct collect_context context = {.machine = &(struct advice_machine){0}, .time = NAN};
	const struct report_options options = {.format = REPORT_FOLDED, .folded = "page-faults", .log_fd = 2};
	auto_free char *text = NULL;
	struct result result;
	struct aggr_map map;
	struct counts counts;
	struct tree tree;

	play(bed, "A is sh; A did 1; A forks B; B is work; B did 10; B forks C; C did 300; A forks D; D is work;"
		  "D did 40; D forks E; E did 3; A forks F; F is idler");
	result = (struct result){0};
	accounting_fetch(bed->accounting, &counts, &map);
	tree = accounting_fetch_tree(bed->accounting);
	tree_rename(&tree, 4, "a;b"); /* E */
	collect_counts(&result, &bed->plan, &counts, &map, &context);
	result.session.plan = &bed->plan;
	result.session.tree = &tree;
	text = render(options, &result);
	is_string(text, "sh 1\nsh;work 50\nsh;work;a:b 3\nsh;work;work 300\n", "paths of names, without idle tasks");
	tree_free(&tree);
	aggr_map_free(&map);
	counts_free(&counts);
	result_free(&result);
}

static void run(struct accounting_options options, void (*test)(struct bed *bed))
{
	struct error e = {0};
	struct bed bed;

	if (ok(bed_open_by_hand(&bed, "page-faults", options, &e), "CPUs can be watched")) {
		add_second_cpu(bed.accounting);
		test(&bed);
	}
	bed_close(&bed);
}

static void run_command(enum aggr_mode by, bool intervals, void (*test)(struct bed *bed))
{
	run((struct accounting_options){.by = by, .root = getpid(), .intervals = intervals}, test);
}

int main(void)
{
	const char *cannot = machine_watches_no_cpus();
	const pid_t self = getpid();

	if (cannot) {
		printf("1..0 # SKIP %s\n", cannot);
		return 0;
	}
	run_command(AGGR_PROCESS, false, test_processes);
	run_command(AGGR_PROCESS, false, test_ids_given_out_again);
	run_command(AGGR_COMM, false, test_programs);
	run_command(AGGR_THREAD, false, test_threads);
	run_command(AGGR_PROCESS, false, test_order);
	run_command(AGGR_PROCESS, true, test_intervals);
	run_command(AGGR_THREAD, true, test_intervals_of_threads);
	run_command(AGGR_COMM, true, test_changing_names);
	run_command(AGGR_PROCESS, false, test_some_cpus);
	run((struct accounting_options){.by = AGGR_PROCESS, .ranked = true}, test_system);
	run((struct accounting_options){.by = AGGR_COMM}, test_system);
	run((struct accounting_options){.by = AGGR_PROCESS, .pids = &self, .n_pids = 1}, test_targets);
	if (!machine_has_no_tracefs()) { /* moves are recorded by a tracepoint */
		run((struct accounting_options){.by = AGGR_CGROUP, .ranked = true}, test_cgroups);
		run((struct accounting_options){.by = AGGR_CGROUP, .intervals = true}, test_intervals_of_cgroups);
	}
	run_command(AGGR_PROCESS, false, test_paths);
	return tap_done();
}
