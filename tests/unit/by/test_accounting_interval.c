/* Parts of the charged work: records made by hand, of switches and of cuts, and when each interval reports it. */
#include "accounting_bed.h"

#include <string.h>

#include "machine.h"
#include "tap.h"

#define OTHER  0x3ffffe /* an id that no task has */
#define GROUPS 2
#define MANY   3000

static void feed(struct bed *bed, enum trace_kind kind, pid_t pid, uint64_t faults, uint64_t ns)
{
	const uint64_t added[] = {kind == TRACE_SWITCH, faults, kind == TRACE_SWITCH};
	static const size_t events[] = {SIZE_MAX, 0, 1};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = kind,
								       .pid = pid,
								       .tid = pid,
								       .enabled = ns,
								       .running = ns,
								       .n = 3,
								       .added = added,
								       .events = events});
}

static void feed_task(struct bed *bed, enum trace_kind kind, pid_t pid)
{
	accounting_take_record(bed->accounting, &(struct trace_record){.kind = kind,
								       .pid = pid,
								       .tid = pid,
								       .ppid = getpid(),
								       .ptid = getpid(),
								       .name = "another",
								       .time = clock_now()});
}

/* "name faults/switches ..." of the interval; the rows are in order of start. */
static const char *interval(struct bed *bed)
{
	static char text[256];
	struct aggr_map map;
	size_t n = 0;

	accounting_fetch_interval(bed->accounting, &bed->interval, &map);
	text[0] = '\0';
	for (size_t k = 0; k < map.n_keys; k++) {
		uint64_t sums[2] = {0};

		for (size_t slot = 0; slot < map.n_slots; slot++)
			for (size_t event = 0; event < 2 && map.key_of[slot] == k; event++)
				sums[event] += counts_at(&bed->interval, slot, event)->sample.value;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d/%d", n ? ", " : "", map.keys[k].comm,
				      (int)sums[0], (int)sums[1]);
	}
	aggr_map_free(&map);
	return text;
}

static const char *whole(struct bed *bed)
{
	static char text[256];
	struct aggr_map map;
	struct counts counts;
	size_t n = 0;

	accounting_fetch(bed->accounting, &counts, &map);
	text[0] = '\0';
	for (size_t k = 0; k < map.n_keys; k++) {
		uint64_t sum = 0;

		for (size_t slot = 0; slot < map.n_slots; slot++)
			if (map.key_of[slot] == k)
				sum += counts_at(&counts, slot, 0)->sample.value;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d", n ? ", " : "", map.keys[k].comm, (int)sum);
	}
	aggr_map_free(&map);
	counts_free(&counts);
	return text;
}

static void test_processes(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	is_string(interval(bed), "", "nothing was done: no rows");
	feed(bed, TRACE_SNAPSHOT, getpid(), 3, 10);
	is_string(interval(bed), "root 3/0", "a snapshot: the work so far, without a switch");
	feed(bed, TRACE_SNAPSHOT, OTHER, 100, 10);
	is_string(interval(bed), "", "other tasks' work is unattributed, and an idle task has no row");
	feed(bed, TRACE_SWITCH, getpid(), 4, 10);
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 5, 10);
	is_string(interval(bed), "root 4/1, root 5/1", "from the snapshot to the switch; and a new process");
	feed_task(bed, TRACE_EXIT, OTHER);
	feed(bed, TRACE_SNAPSHOT, OTHER, 6, 10);
	is_string(interval(bed), "root 6/0", "an ended task is cut before its last switch");
	feed(bed, TRACE_SWITCH, -1, 7, 10);
	feed(bed, TRACE_SWITCH, getpid(), 8, 10);
	is_string(interval(bed), "root 8/1, root 7/0", "which also belongs to it, and is not counted by its counters");
	is_string(whole(bed), "root 15, root 18", "the whole is the sum");
}

static void test_restart(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 5, 10);
	accounting_restart(bed->accounting);
	is_string(whole(bed), "", "after a restart nothing remains");
	feed(bed, TRACE_SWITCH, getpid(), 9, 10);
	is_string(whole(bed), "root 9", "a task that does nothing more has no row");
	is_string(interval(bed), "root 9/1", "and is in no interval");
}

static void test_names(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 1, 10);
	feed_task(bed, TRACE_NAME, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 2, 10);
	is_string(interval(bed), "another 3/2", "one name for a whole interval: the last");
	feed(bed, TRACE_SWITCH, getpid(), 4, 10);
	is_string(interval(bed), "root 4/1", "an interval of the other process");
	feed_task(bed, TRACE_NAME, getpid());
	is_string(interval(bed), "", "a new name is no work");
	is_string(whole(bed), "root 4, another 3", "and reported counts stay under the old one");
	feed(bed, TRACE_SWITCH, getpid(), 5, 10);
	is_string(interval(bed), "another 5/1", "later work is under the new one");
	is_string(whole(bed), "another 8, root 4", "and so it is in the whole");
}

/* A group of a PMU. */
static void feed_other_group(struct bed *bed, enum trace_kind kind, pid_t pid, uint64_t value, uint64_t running,
			     uint64_t ns)
{
	const uint64_t added[] = {kind == TRACE_SWITCH, value};
	static const size_t events[] = {SIZE_MAX, 0};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = kind,
								       .pid = pid,
								       .tid = pid,
								       .group = 1,
								       .enabled = ns,
								       .running = running,
								       .n = 2,
								       .added = added,
								       .events = events});
}

static struct sample sum_of(const struct bed *bed, size_t unit)
{
	return accounting_count(bed->accounting, unit, 0)->sum;
}

/* The main group has no counts of the event then. */
static void feed_main(struct bed *bed, enum trace_kind kind, pid_t pid, uint64_t ns)
{
	accounting_take_record(
		bed->accounting,
		&(struct trace_record){.kind = kind, .pid = pid, .tid = pid, .enabled = ns, .running = ns});
}

static void add_group(struct accounting *b)
{
	b->n_groups = GROUPS;
	for (size_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct cpu_group *groups = xcalloc(GROUPS, sizeof(*groups));

		free(b->cpus[cpu].groups);
		b->cpus[cpu].groups = groups;
	}
}

#define THIRD (OTHER - 1)

/* Three processes, and a group of a PMU. */
static void make_three(struct bed *bed)
{
	add_group(bed->accounting);
	feed_task(bed, TRACE_FORK, OTHER);
	feed_task(bed, TRACE_FORK, THIRD);
}

static bool unit_is(const struct bed *bed, size_t unit, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct sample sum = sum_of(bed, unit);
	bool same = sum.value == value && sum.enabled == enabled && sum.running == running;

	if (!same)
		printf("# %d in %d of %d ns\n", (int)sum.value, (int)sum.running, (int)sum.enabled);
	return same;
}

static void skip_interval(struct bed *bed)
{
	struct aggr_map map;

	accounting_fetch_interval(bed->accounting, &bed->interval, &map);
	aggr_map_free(&map);
}

static struct count count_of(const struct bed *bed, size_t unit)
{
	struct aggr_map map;
	struct counts counts;
	struct count count;

	accounting_fetch(bed->accounting, &counts, &map);
	count = *counts_at(&counts, unit, 0);
	counts_free(&counts);
	aggr_map_free(&map);
	return count;
}

static bool may_miss(struct count count)
{
	return count.may_miss_up_to || count.may_miss_more;
}

/* Other processes take the counters of a group: the next sample contains the work of each task since the sample before.
 */
static void test_off(struct bed *bed)
{
	make_three(bed);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 70, 100, 100);
	feed_main(bed, TRACE_SWITCH, OTHER, 100);
	ok(unit_is(bed, 2, 70, 100, 100) && !may_miss(count_of(bed, 2)),
	   "a group on its PMU: the work belongs to the task");
	feed_main(bed, TRACE_SWITCH, THIRD, 500);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 60, 150, 900);
	feed_main(bed, TRACE_SWITCH, OTHER, 400);
	ok(unit_is(bed, 2, 70, 100, 100) && unit_is(bed, 0, 60, 900, 150),
	   "it was off its PMU: the work is unattributed");
	ok(count_of(bed, 2).may_miss_more, "so a row may lack some of it, and how much is not known");
	feed_other_group(bed, TRACE_OFF, 0, 5, 10, 300);
	ok(unit_is(bed, 0, 65, 1200, 160), "its counters are read while it is off: unattributed also");
}

static void test_never_on(struct bed *bed)
{
	make_three(bed);
	feed_main(bed, TRACE_SWITCH, OTHER, 500);
	feed_other_group(bed, TRACE_OFF, 0, 0, 0, 800);
	ok(sample_is_starved(count_of(bed, 2).sample),
	   "a group that was never on its PMU: a task that ran has no true 0");
	ok(count_of(bed, 3).sample.enabled == 0, "... and a task that did not run is idle");
}

/* A group that is always on its PMU has all missing work in one row. */
static void test_lack_without_rotation(struct bed *bed)
{
	const struct trace_record lost = {.kind = TRACE_LOST, .lost = 1};

	accounting_take_record(bed->accounting, &lost);
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	ok(count_of(bed, ROOT).may_miss_up_to && !count_of(bed, ROOT).may_miss_more,
	   "a lost record: the rest of the counts is correct");
}

/* The work of the command before its exec. */
#define BEFORE 5

static void feed_at(struct bed *bed, pid_t pid, uint64_t time, uint64_t ns, uint64_t faults, uint64_t unreported)
{
	static const size_t events[] = {SIZE_MAX, 0};
	const uint64_t added[] = {1 + unreported, faults};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_SWITCH,
								       .pid = pid,
								       .tid = pid,
								       .time = time,
								       .enabled = ns,
								       .running = ns,
								       .n = 2,
								       .added = added,
								       .events = events,
								       .unreported = unreported});
}

static void feed_exec(struct bed *bed, uint64_t time)
{
	static const struct before_exec before[] = {{true, BEFORE}, {true, 0}};

	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_NAME,
								       .pid = getpid(),
								       .tid = getpid(),
								       .name = "command",
								       .time = time,
								       .exec = true,
								       .before = before});
}

/* A process that was on a CPU twice before its exec, the second time until after it. */
static void test_exec(struct bed *bed)
{
	bed->accounting->exec_handled = false;
	feed_at(bed, getpid(), 500, 100, 2, 0);
	feed_exec(bed, 1000);
	feed_at(bed, getpid(), 1200, 500, BEFORE - 2 + 7, 0);
	feed_at(bed, getpid(), 1250, 50, 70, 0);
	is_number(sum_of(bed, ROOT).value, 77, "exec: the command counts from there on");
	is_number(sum_of(bed, ROOT).enabled, 250, "exec: and so does its time");
	is_number(sum_of(bed, 0).enabled, 0, "exec: nothing is unattributed");
}

/* The exec is in a run that the kernel hid. */
static void test_hidden_exec(struct bed *bed)
{
	bed->accounting->exec_handled = false;
	feed_at(bed, getpid(), 500, 100, 2, 0);
	feed_exec(bed, 1000);
	is_number(sum_of(bed, ROOT).value, 0, "exec: all work charged so far was before it");
	feed_at(bed, getpid(), 1200, 500, BEFORE - 2 + 7, 1);
	is_number(sum_of(bed, 0).value, 7,
		  "exec: the rest is removed where it is charged, also from unattributed work");
	is_number(sum_of(bed, 0).enabled, 200, "exec: and the time up to it");
	feed_at(bed, getpid(), 1250, 50, 70, 0);
	is_number(sum_of(bed, ROOT).value, 70, "exec: later work belongs to the command");
	is_number(sum_of(bed, ROOT).enabled, 50, "exec: in the time that it took");
	accounting_finish(bed->accounting);
	is_number(sum_of(bed, ROOT).enabled, 50, "exec: once");
}

/* The record of the exec does not come. */
static void test_lost_exec(struct bed *bed)
{
	bed->accounting->exec_handled = bed->accounting->finished = false;
	feed_at(bed, getpid(), 500, 100, 2, 0);
	accounting_finish(bed->accounting);
	ok(count_of(bed, ROOT).before_exec, "exec: without its record, the command is counted from before it");
}

/* The next task to leave the exec's CPU is not the command's. */
static void test_exec_outside(struct bed *bed)
{
	bed->accounting->exec_handled = false;
	feed_exec(bed, 1000);
	feed_at(bed, 1, 1200, 500, BEFORE + 7, 1);
	feed_at(bed, getpid(), 1300, 100, BEFORE + 70, 0);
	is_number(sum_of(bed, ROOT).value, BEFORE + 70, "exec: work before it is not removed from a later run");
}

/* This many threads or processes, one after the other; every other process takes a name. Each has two page faults,
 * except the one in the middle, which has 51, and the last one, which has ended but not left its CPU: 1. */
static void live_and_die(struct bed *bed, size_t n, bool threads)
{
	const struct trace_record birth = {.kind = TRACE_FORK, .ppid = getpid(), .ptid = getpid(), .tid = OTHER};

	for (size_t i = 0; i < n; i++) {
		struct trace_record r = birth;

		r.pid = threads ? getpid() : OTHER;
		accounting_take_record(bed->accounting, &r);
		if (i % 2 && !threads)
			feed_task(bed, TRACE_NAME, OTHER);
		feed(bed, TRACE_SWITCH, OTHER, i == n / 2 ? 50 : 1, 10);
		r.kind = TRACE_EXIT;
		accounting_take_record(bed->accounting, &r);
		if (i + 1 < n)
			feed(bed, TRACE_SWITCH, OTHER, 1, 10);
	}
}

static void set_ended_rows(struct bed *bed, enum ended_rows rows)
{
	bed->accounting->options.ended_rows = rows;
	tree_rename(&bed->accounting->tree, 0, "root");
	snprintf(bed->accounting->units[ROOT].name, NAME_MAX_LEN, "root");
}

static void test_fold_names(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended_rows(bed, ENDED_BY_NAME);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units > MANY, "ended: counts that are not yet reported are kept");
	bed->accounting->fold_at = 0; /* that was in vain, and would not be tried again so soon */
	is_string(interval(bed), "root 3049/1500, another 2999/1500", "and they are reported");
	ok(b->n_units < 6, "then each name has one row");
	ok(b->tree.n < 4 && b->tree.n_tasks < 4, "and only living processes and ids are kept");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	is_string(interval(bed), "another 1/0", "the last task's last switch is charged to it");
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	live_and_die(bed, 2 * MANY, false);
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	skip_interval(bed);
	ok(b->n_units < 6, "and so a second time");
	is_string(whole(bed), "root 9101, another 9000", "the whole is the sum of all");
	feed_task(bed, TRACE_NAME, getpid());
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	is_string(interval(bed), "another 3/1", "a living task keeps its identity");
}

/* Counting begins late, and there are no intervals. */
static void test_fold_late(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended_rows(bed, ENDED_BY_NAME);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units < 6, "tasks that ended before counting began are combined");
	accounting_restart(bed->accounting);
	is_string(whole(bed), "", "after a restart their work is gone");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units < 6, "tasks that ended since then are combined");
	is_string(whole(bed), "root 3049, another 3000", "and the whole has the work of these only");
}

/* A task may take an empty name. */
static void test_fold_nameless(struct bed *bed)
{
	const struct trace_record name = {.kind = TRACE_NAME, .pid = OTHER, .tid = OTHER, .name = ""};

	set_ended_rows(bed, ENDED_BY_NAME);
	for (size_t i = 0; i < MANY; i++) {
		feed_task(bed, TRACE_FORK, OTHER);
		accounting_take_record(bed->accounting, &name);
		feed_task(bed, TRACE_EXIT, OTHER);
		feed(bed, TRACE_SWITCH, OTHER, 1, 10);
	}
	accounting_fold(bed->accounting);
	ok(bed->accounting->n_units < 6, "ended tasks without a name are combined");
	is_string(whole(bed), "root 0,  3000", "they have one row");
}

static void test_fold_threads(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended_rows(bed, ENDED_TOGETHER);
	live_and_die(bed, MANY, true);
	skip_interval(bed);
	ok(b->n_units < 8 && b->tree.n_tasks < 8, "ended threads of a living process");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	feed(bed, TRACE_SWITCH, getpid(), 7, 10);
	is_string(whole(bed), "root 7, root 2", "the first thread still has a row");
}

static void test_fold_all(struct bed *bed)
{
	struct aggr_map map;
	struct counts counts;
	uint64_t sum = 0;

	set_ended_rows(bed, ENDED_TOGETHER);
	live_and_die(bed, MANY, false);
	skip_interval(bed);
	ok(bed->accounting->n_units < 6, "ended tasks are combined if no row is wanted");
	is_string(whole(bed), "root 0, another 1", "they have no row");
	accounting_fetch(bed->accounting, &counts, &map);
	for (size_t slot = 0; slot < counts.n_slots; slot++)
		sum += counts_at(&counts, slot, 0)->sample.value;
	is_number(sum, 6048, "but the sum includes them");
	aggr_map_free(&map);
	counts_free(&counts);
}

static void run(enum aggr_mode by, bool intervals, void (*test)(struct bed *bed))
{
	/* this process is the command's */
	const struct accounting_options options = {
		.by = by, .root = getpid(), .intervals = intervals, .restarts = true};
	struct error e = {0};
	struct bed bed;

	if (ok(bed_open_by_hand(&bed, "page-faults,cs", options, &e), "CPUs can be watched"))
		test(&bed);
	bed_close(&bed);
}

int main(void)
{
	const char *cannot = machine_watches_no_cpus();

	if (cannot) {
		printf("1..0 # SKIP %s\n", cannot);
		return 0;
	}
	run(AGGR_PROCESS, true, test_processes);
	run(AGGR_PROCESS, true, test_restart);
	run(AGGR_COMM, true, test_names);
	run(AGGR_PROCESS, false, test_off);
	run(AGGR_PROCESS, false, test_never_on);
	run(AGGR_PROCESS, false, test_lack_without_rotation);
	run(AGGR_PROCESS, false, test_exec);
	run(AGGR_PROCESS, false, test_hidden_exec);
	run(AGGR_PROCESS, false, test_lost_exec);
	run(AGGR_PROCESS, false, test_exec_outside);
	run(AGGR_COMM, true, test_fold_names);
	run(AGGR_COMM, false, test_fold_late);
	run(AGGR_COMM, false, test_fold_nameless);
	run(AGGR_THREAD, true, test_fold_threads);
	run(AGGR_PROCESS, true, test_fold_all);
	return tap_done();
}
