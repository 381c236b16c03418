/* Counts after some of the kernel's records were lost: records made by hand, real threads. */
#include "accounting_bed.h"

#include <sys/wait.h>

#include "machine.h"
#include "tap.h"

#define NOBODY 0x3fffff /* at most pid_max: a task with this id is new */

static void feed_lost(struct bed *bed, uint64_t lost)
{
	accounting_take_record(bed->accounting,
			       &(struct trace_record){.kind = TRACE_LOST, .time = clock_now(), .lost = lost});
}

/* A page fault of that task. */
static void feed_switch(struct bed *bed, pid_t pid)
{
	static const uint64_t added[] = {1, 1};
	static const size_t events[] = {SIZE_MAX, 0};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_SWITCH,
								       .time = clock_now(),
								       .pid = pid,
								       .tid = pid,
								       .enabled = 1,
								       .running = 1,
								       .n = 2,
								       .added = added,
								       .events = events});
}

static void feed_fork(struct bed *bed, pid_t parent, pid_t child)
{
	accounting_take_record(
		bed->accounting,
		&(struct trace_record){.kind = TRACE_FORK, .pid = child, .tid = child, .ppid = parent, .ptid = parent});
}

static void feed_exit(struct bed *bed, pid_t pid)
{
	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_EXIT, .pid = pid, .tid = pid});
}

static uint64_t faults(const struct bed *bed, size_t unit)
{
	return accounting_count(bed->accounting, unit, 0)->sum.value;
}

/* Returns whether unattributed work has a row. */
static bool is_told(const struct bed *bed)
{
	struct aggr_map map;
	struct counts counts;
	bool told;

	accounting_fetch(bed->accounting, &counts, &map);
	told = map.key_of[0] != SIZE_MAX && strcmp(map.keys[map.key_of[0]].id, UNATTRIBUTED) == 0;
	counts_free(&counts);
	aggr_map_free(&map);
	return told;
}

/* Returns whether a unit's count may be too small, and checks that the missing work is in unit 0. */
static bool may_lack(const struct bed *bed, size_t unit)
{
	struct aggr_map map;
	struct counts counts;
	bool lacks;

	accounting_fetch(bed->accounting, &counts, &map);
	lacks = counts_at(&counts, unit, 0)->may_miss_up_to || counts_at(&counts, unit, 0)->may_miss_more;
	ok(counts_at(&counts, 0, 0)->unattributed && !counts_at(&counts, unit, 0)->unattributed,
	   "unattributed work has a separate row");
	counts_free(&counts);
	aggr_map_free(&map);
	return lacks;
}

/* A process has the name of the thread that forked it. */
static void test_names(struct bed *bed)
{
	const pid_t pid = getpid(), thread = NOBODY - 20;
	struct trace_record r = {.kind = TRACE_FORK, .pid = pid, .tid = thread, .ppid = pid, .ptid = pid};
	const struct tree *tree = &bed->accounting->tree;

	accounting_take_record(bed->accounting, &r);
	r.kind = TRACE_NAME;
	r.name = "worker";
	accounting_take_record(bed->accounting, &r);
	r = (struct trace_record){.kind = TRACE_FORK, .pid = pid, .tid = thread - 1, .ppid = pid, .ptid = thread};
	accounting_take_record(bed->accounting, &r);
	r = (struct trace_record){
		.kind = TRACE_FORK, .pid = thread - 2, .tid = thread - 2, .ppid = pid, .ptid = thread - 1};
	accounting_take_record(bed->accounting, &r);
	is_string(tree_name(tree, tree->n - 1), "worker",
		  "a process that a thread's thread forked has the thread's name");
	is_number(tree->processes[tree->n - 1].n_names, 1, "and never had another name");
	is_string(tree_name(tree, tree->n - 2), "", "its parent keeps its counts");
}

static void test_before(struct bed *bed)
{
	feed_switch(bed, getpid());
	feed_switch(bed, NOBODY);
	is_number(faults(bed, ROOT), 1, "the command's work");
	is_number(bed->accounting->n_units, 2, "nothing lost: a task without a fork record is outside of the tree");
	is_number(faults(bed, 0), 0, "and no work is unattributed");
	ok(!is_told(bed), "so it has no row");
	ok(!may_lack(bed, ROOT), "and no row lacks any");
}

/* A ring was full: perhaps nothing was lost. Then a loss is known. */
static void test_after(struct bed *bed)
{
	feed_fork(bed, getpid(), NOBODY - 10);
	feed_lost(bed, 0);
	ok(is_told(bed), "records may be missing: their work has a row");
	ok(may_lack(bed, ROOT), "and no row is exact");
	feed_switch(bed, NOBODY - 10);
	is_number(faults(bed, 2), 1, "a known task stays known");
	feed_switch(bed, NOBODY);
	is_number(faults(bed, 0), 1, "the work of an unknown task is unattributed: its fork may be missing");
	feed_lost(bed, 3);
	feed_switch(bed, getpid());
	is_number(faults(bed, 0), 2, "the first work after a loss is unattributed");
	feed_switch(bed, getpid());
	is_number(faults(bed, ROOT), 2, "the command is still the command");
	feed_fork(bed, NOBODY, NOBODY - 1);
	feed_switch(bed, NOBODY - 1);
	is_number(faults(bed, 0), 3, "the child of an unknown task is unknown");
	feed_fork(bed, getpid(), NOBODY - 2);
	feed_switch(bed, NOBODY - 2);
	is_number(faults(bed, 3), 1, "a child of the command is known");
	feed_fork(bed, NOBODY, NOBODY - 2);
	feed_switch(bed, NOBODY - 2);
	is_number(faults(bed, 0), 4, "until its id is given to the child of an unknown task");
	feed_exit(bed, NOBODY - 10);
	feed_switch(bed, getpid());
	feed_switch(bed, NOBODY - 10);
	is_number(faults(bed, 2), 1, "a task that has ended does no more work");
}

/* Tasks without a record of their fork, after a loss. */
static void test_identify(struct bed *bed)
{
	uint64_t before;
	int end[2];
	pid_t child;

	feed_switch(bed, getpid());
	feed_lost(bed, 0);
	before = faults(bed, 0);
	feed_switch(bed, getppid());
	feed_switch(bed, 1);
	is_number(faults(bed, 0), before, "a process that is older than the gap is outside of the tree");
	if (pipe(end) < 0 || (child = fork()) < 0)
		abort();
	if (child == 0) {
		char none;

		close(end[1]);
		_exit((int)read(end[0], &none, 1));
	}
	close(end[0]);
	feed_switch(bed, child);
	is_number(faults(bed, bed->accounting->n_units - 1), 1, "a younger one is in the tree if its parent is");
	feed_fork(bed, getpid(), child);
	feed_switch(bed, child);
	is_number(faults(bed, bed->accounting->n_units - 1), 2, "also if the record of its fork comes late");
	is_number(faults(bed, 0), before, "and its work is attributed");
	feed_fork(bed, 1, NOBODY - 5);
	feed_switch(bed, NOBODY - 5);
	is_number(faults(bed, 0), before, "a child of a task outside of the tree is outside, too");
	feed_exit(bed, NOBODY - 5);
	feed_switch(bed, NOBODY - 5);
	is_number(faults(bed, 0), before, "to its end");
	close(end[1]);
	waitpid(child, NULL, 0);
}

/* The tree's work is also known from inherited counters. */
static void test_settle(struct bed *bed)
{
	feed_switch(bed, getpid());
	feed_switch(bed, getpid());
	accounting_settle(bed->accounting, 0, (struct sample){2, 2, 2});
	ok(!may_lack(bed, ROOT), "the rows add up to the inherited count: they are exact");
	feed_lost(bed, 1);
	feed_switch(bed, getppid());
	ok(faults(bed, 0) == 1 && may_lack(bed, ROOT), "a loss: work of any task");
	accounting_settle(bed->accounting, 0, (struct sample){2, 2, 2});
	ok(faults(bed, 0) == 0 && !may_lack(bed, ROOT), "but if they still add up, nothing was lost");
	ok(!is_told(bed), "and nothing has a row");
	accounting_settle(bed->accounting, 0, (struct sample){9, 9, 9});
	ok(faults(bed, 0) == 7 && may_lack(bed, ROOT), "otherwise the rest is the tree's, to the count");
	accounting_settle(bed->accounting, 0, (struct sample){1, 1, 1});
	ok(faults(bed, 0) == 0 && may_lack(bed, ROOT), "rows with the work of ending tasks prove nothing");
}

/* A sample of the command: switches that the CPU has counted since the one before, and how many of them left no sample.
 */
static void feed_switches(struct bed *bed, uint64_t n, uint64_t unreported)
{
	const uint64_t added[] = {n, n};
	static const size_t events[] = {SIZE_MAX, 0};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_SWITCH,
								       .time = clock_now(),
								       .pid = getpid(),
								       .tid = getpid(),
								       .enabled = 1,
								       .running = 1,
								       .n = 2,
								       .added = added,
								       .events = events,
								       .unreported = unreported});
}

/* Nothing is known of switches without a sample: whose they were, or how many of them were the last ones of tasks. */
static void test_switches(void)
{
	struct error e = {0};
	struct bed bed;

	if (!bed_open(&bed, "cs", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e)) {
		ok(false, e.text);
		bed_close(&bed);
		return;
	}
	feed_switches(&bed, 1, 0);
	is_number(faults(&bed, ROOT), 1, "a switch with a sample is the task's");
	ok(!may_lack(&bed, ROOT), "and its count is exact");
	feed_switches(&bed, 3, 2);
	is_number(faults(&bed, 0), 3, "switches without a sample are unattributed, all of them");
	ok(may_lack(&bed, ROOT), "and no count is exact");
	feed_lost(&bed, 5);
	feed_switches(&bed, 6, 5);
	is_number(faults(&bed, 0), 9, "and so are switches whose records were lost");
	bed_close(&bed);
}

/* Lost records may have been of forks, so that a child is missing, though nothing is unattributed. */
static void test_nothing_unattributed(void)
{
	struct error e = {0};
	struct bed bed;

	if (!bed_open(&bed, "page-faults", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e)) {
		ok(false, e.text);
		bed_close(&bed);
		return;
	}
	feed_switch(&bed, getpid());
	ok(!may_lack(&bed, ROOT), "no loss: the count is exact");
	feed_lost(&bed, 1);
	ok(may_lack(&bed, ROOT), "a record was lost: no count is exact, though nothing is unattributed");
	ok(is_told(&bed), "and missing work has a row");
	bed_close(&bed);
}

int main(void)
{
	const char *cannot = machine_watches_no_cpus();
	struct error e = {0};
	struct bed bed;

	if (cannot) {
		printf("1..0 # SKIP %s\n", cannot);
		return 0;
	}
	/* this process is the command's */
	if (!bed_open(&bed, "page-faults", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e)) {
		ok(false, e.text);
		bed_close(&bed);
		return tap_done();
	}
	test_before(&bed);
	test_after(&bed);
	bed_close(&bed);
	test_switches();
	test_nothing_unattributed();
	if (bed_open(&bed, "page-faults", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e))
		test_names(&bed);
	bed_close(&bed);
	if (bed_open(&bed, "page-faults", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e))
		test_identify(&bed);
	bed_close(&bed);
	if (bed_open(&bed, "page-faults", (struct accounting_options){.by = AGGR_PROCESS, .root = getpid()}, &e))
		test_settle(&bed);
	bed_close(&bed);
	return tap_done();
}
