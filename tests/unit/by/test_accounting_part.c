/* Parts of what was charged: records made by hand, of switches and of cuts, and what is told of them when. */
#include "by/accounting_internal.h"
#include "by/switch_trace_internal.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "count/schedulability.h"
#include "event/eventlist.h"
#include "machine.h"
#include "tap.h"

#define OTHER  0x3ffffe /* an id that no task has */
#define GROUPS 2
#define MANY   3000

struct bed {
	struct event_list list;
	struct plan plan;
	struct accounting *accounting;
	struct counts part;
};

/* This process is the command's. */
static bool bed_open(struct bed *bed, enum aggr_mode by, bool parts, struct error *e)
{
	const struct plan_options plan = {.probe = schedulability_probe};
	struct accounting_options options = {.by = by, .root = getpid(), .parts = parts, .restarts = true};

	*bed = (struct bed){.accounting = NULL};
	if (event_list_parse(&bed->list, "page-faults,cs", e) < 0)
		return false;
	plan_init(&bed->plan, &bed->list);
	plan_build(&bed->plan, &plan);
	options.plan = &bed->plan;
	if (accounting_open(&bed->accounting, &options, e) < 0)
		return false;
	bed->accounting->finished = true; /* nothing of the kernel's is read */
	bed->accounting->exec_settled = true;
	return true;
}

static void bed_close(struct bed *bed)
{
	counts_free(&bed->part);
	accounting_close(bed->accounting);
	plan_free(&bed->plan);
	event_list_free(&bed->list);
}

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

/* "name faults/switches ..." of the part; the rows are in order of birth. */
static const char *take(struct bed *bed)
{
	static char text[256];
	struct aggr_map map;
	size_t n = 0;

	accounting_take_part(bed->accounting, &bed->part, &map);
	text[0] = '\0';
	for (size_t k = 0; k < map.n_keys; k++) {
		uint64_t sums[2] = {0};

		for (size_t slot = 0; slot < map.n_slots; slot++)
			for (size_t event = 0; event < 2 && map.key_of[slot] == k; event++)
				sums[event] += counts_at(&bed->part, slot, event)->sample.value;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d/%d", n ? ", " : "", map.keys[k].comm,
				      (int)sums[0], (int)sums[1]);
	}
	aggr_map_free(&map);
	return text;
}

static const char *name_of(const struct key *key)
{
	static char text[32];

	if (!key->others)
		return key->comm;
	snprintf(text, sizeof(text), "(%zu others)", key->others);
	return text;
}

static const char *take_whole(struct bed *bed)
{
	static char text[256];
	struct aggr_map map;
	struct counts counts;
	size_t n = 0;

	accounting_take(bed->accounting, &counts, &map);
	text[0] = '\0';
	for (size_t k = 0; k < map.n_keys; k++) {
		uint64_t sum = 0;

		for (size_t slot = 0; slot < map.n_slots; slot++)
			if (map.key_of[slot] == k) {
				const struct count *count = counts_at(&counts, slot, 0);

				sum += count->by_parts ? count->estimate : count->sample.value;
			}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d", n ? ", " : "", name_of(&map.keys[k]),
				      (int)sum);
	}
	aggr_map_free(&map);
	counts_free(&counts);
	return text;
}

static void test_processes(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	is_string(take(bed), "", "nothing was done: no rows");
	feed(bed, TRACE_SNAPSHOT, getpid(), 3, 10);
	is_string(take(bed), "root 3/0", "a cut: what was done, and no switch");
	feed(bed, TRACE_SNAPSHOT, OTHER, 100, 10);
	is_string(take(bed), "", "a stranger's is nobody's, and who did nothing has no row");
	feed(bed, TRACE_SWITCH, getpid(), 4, 10);
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 5, 10);
	is_string(take(bed), "root 4/1, root 5/1", "from the cut to the switch; and a new process");
	feed_task(bed, TRACE_EXIT, OTHER);
	feed(bed, TRACE_SNAPSHOT, OTHER, 6, 10);
	is_string(take(bed), "root 6/0", "who has ended is cut before his last switch");
	feed(bed, TRACE_SWITCH, -1, 7, 10);
	feed(bed, TRACE_SWITCH, getpid(), 8, 10);
	is_string(take(bed), "root 8/1, root 7/0", "which is his, too, and not counted by the task's own counters");
	is_string(take_whole(bed), "root 15, root 18", "the whole is the sum");
}

static void test_restart(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 5, 10);
	accounting_restart(bed->accounting);
	is_string(take_whole(bed), "", "after a new start there is nothing");
	feed(bed, TRACE_SWITCH, getpid(), 9, 10);
	is_string(take_whole(bed), "root 9", "who does nothing more has no row");
	is_string(take(bed), "root 9/1", "and is in no part");
}

static void test_names(struct bed *bed)
{
	tree_rename(&bed->accounting->tree, 0, "root");
	feed_task(bed, TRACE_FORK, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 1, 10);
	feed_task(bed, TRACE_NAME, OTHER);
	feed(bed, TRACE_SWITCH, OTHER, 2, 10);
	is_string(take(bed), "another 3/2", "one name for all of a part: the last");
	feed(bed, TRACE_SWITCH, getpid(), 4, 10);
	is_string(take(bed), "root 4/1", "another one's");
	feed_task(bed, TRACE_NAME, getpid());
	is_string(take(bed), "", "a new name is no work");
	is_string(take_whole(bed), "root 4, another 3", "and what was told stays under the old one");
	feed(bed, TRACE_SWITCH, getpid(), 5, 10);
	is_string(take(bed), "another 5/1", "what comes behind it is under the new one");
	is_string(take_whole(bed), "another 8, root 4", "in the whole, too");
}

/* A group that takes turns. */
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
	return accounting_figure(bed->accounting, unit, 0)->sum;
}

/* The main group has no figures of the event then. */
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

		groups[1].added = xcalloc(b->n_events + 2, sizeof(*groups[1].added));
		free(b->cpus[cpu].groups);
		b->cpus[cpu].groups = groups;
	}
}

#define THIRD (OTHER - 1)
#define TURN  1000

/* Three processes, and a group that takes turns. */
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

static bool is_doubtful(const struct bed *bed, size_t unit)
{
	struct count count = {.open = true};

	accounting_take_doubt(accounting_figure(bed->accounting, unit, 0), false, &count);
	return count.doubtful;
}

/* Cut by its timer and by switches: what is between two of its samples. */
static void test_turns(struct bed *bed)
{
	make_three(bed);
	feed_main(bed, TRACE_SWITCH, getpid(), 300); /* the group is off */
	feed_other_group(bed, TRACE_SNAPSHOT, OTHER, 40, 200, 400);
	ok(unit_is(bed, ROOT, 30, 300, 150) && unit_is(bed, 2, 10, 100, 50),
	   "a stretch that is cut: no longer on the PMU than it was");
	feed_other_group(bed, TRACE_SWITCH, OTHER, 60, 200, 200);
	feed_main(bed, TRACE_SWITCH, OTHER, 300);
	ok(unit_is(bed, ROOT, 30, 300, 150) && unit_is(bed, 2, 70, 300, 250), "the rest of it is its own");
	feed_other_group(bed, TRACE_SNAPSHOT, getpid(), 10, 100, 100);
	feed_other_group(bed, TRACE_SWITCH, getpid(), 7, 50, 100);
	feed_main(bed, TRACE_SWITCH, getpid(), 200);
	ok(unit_is(bed, ROOT, 47, 500, 300), "one task between two switches: all is its own");
	feed_other_group(bed, TRACE_SNAPSHOT, OTHER, 5, 50, 50);
	feed_main(bed, TRACE_SNAPSHOT, OTHER, 60);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 5, 50, 50);
	feed_main(bed, TRACE_SWITCH, OTHER, 40);
	ok(unit_is(bed, 2, 80, 400, 350), "a cut of both: the time is there once");
	feed_other_group(bed, TRACE_SWITCH, getpid(), 9, 50, 100);
	feed_main(bed, TRACE_SWITCH, getpid(), 0);
	is_number(sum_of(bed, ROOT).value, 56, "no time between two switches: nothing is lost");
}

/* The group was taken off in the first stretch and put on in the last. */
static void test_between(struct bed *bed)
{
	make_three(bed);
	bed->accounting->cpus[0].groups[1].turn = TURN;
	feed_main(bed, TRACE_SWITCH, getpid(), 400);
	feed_main(bed, TRACE_SWITCH, OTHER, 900);
	feed_other_group(bed, TRACE_SWITCH, THIRD, 100, 200, 1800);
	feed_main(bed, TRACE_SWITCH, THIRD, 500);
	ok(unit_is(bed, 2, 0, 900, 0), "who came in between had no turn of the group");
	ok(is_doubtful(bed, ROOT) && !is_doubtful(bed, 2), "whose every count may be another's is in doubt");
	ok(unit_is(bed, ROOT, 50, 400, 100) && unit_is(bed, 3, 50, 500, 100), "the first and the last, by halves");
	feed_main(bed, TRACE_SWITCH, getpid(), 400);
	feed_main(bed, TRACE_SWITCH, OTHER, 50);
	feed_main(bed, TRACE_SWITCH, THIRD, 50);
	feed_other_group(bed, TRACE_SWITCH, getpid(), 70, 100, 900);
	feed_main(bed, TRACE_SWITCH, getpid(), 400);
	ok(unit_is(bed, ROOT, 120, 1200, 200) && unit_is(bed, 2, 0, 950, 0),
	   "one that is the first and the last: its own");
	feed_main(bed, TRACE_SWITCH, getpid(), 10);
	feed_main(bed, TRACE_SWITCH, OTHER, TURN);
	feed_other_group(bed, TRACE_SWITCH, THIRD, 1020, 1020, 2000);
	feed_main(bed, TRACE_SWITCH, THIRD, 990);
	ok(sum_of(bed, 2).running > 400, "a stretch as long as a turn may have had one");
	ok(sum_of(bed, ROOT).running <= 210, "a stretch has no more than its own time");
}

/* The group was off its PMU at the last switch of one that has ended. */
static void test_end_between(struct bed *bed)
{
	make_three(bed);
	feed_task(bed, TRACE_EXIT, OTHER);
	feed_main(bed, TRACE_SWITCH, OTHER, 300);
	feed_other_group(bed, TRACE_SNAPSHOT, THIRD, 40, 200, 400);
	ok(unit_is(bed, 2, 30, 300, 150) && unit_is(bed, 3, 10, 100, 50),
	   "who comes after one that has ended is known");
	ok(unit_is(bed, 0, 0, 0, 0), "... and nothing is unattributed");
}

static void skip_part(struct bed *bed)
{
	struct aggr_map map;

	accounting_take_part(bed->accounting, &bed->part, &map);
	aggr_map_free(&map);
}

static struct count count_of(const struct bed *bed, size_t unit)
{
	struct aggr_map map;
	struct counts counts;
	struct count count;

	accounting_take(bed->accounting, &counts, &map);
	count = *counts_at(&counts, unit, 0);
	counts_free(&counts);
	aggr_map_free(&map);
	return count;
}

static struct sample part_of(const struct bed *bed, size_t slot)
{
	return slot < bed->part.n_slots ? counts_at(&bed->part, slot, 0)->sample : (struct sample){0};
}

/* The group is off its PMU when a part is taken: the time until then is of that part. */
static void test_off(struct bed *bed)
{
	make_three(bed);
	bed->accounting->cpus[0].groups[1].turn = TURN;
	feed_other_group(bed, TRACE_SWITCH, getpid(), 90, 100, 100);
	feed_main(bed, TRACE_SWITCH, getpid(), 100);
	feed_main(bed, TRACE_SWITCH, OTHER, 500);
	feed_main(bed, TRACE_SNAPSHOT, THIRD, 400);
	feed_other_group(bed, TRACE_OFF, 0, 70, 100, 950);
	skip_part(bed);
	ok(unit_is(bed, 2, 70, 500, 100) && unit_is(bed, 3, 0, 400, 0),
	   "off at the end of a part: all of its time is in it");
	ok(part_of(bed, 3).enabled == 400 && part_of(bed, 3).running == 0, "... of those, too, that it did not count");
	feed_main(bed, TRACE_SNAPSHOT, THIRD, 300);
	feed_other_group(bed, TRACE_OFF, 0, 0, 0, 300);
	skip_part(bed);
	ok(part_of(bed, 1).enabled == 300 && part_of(bed, 1).running == 0, "... and where it had no turn at all");
	feed_main(bed, TRACE_SWITCH, THIRD, 200);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 60, 100, 350);
	feed_main(bed, TRACE_SWITCH, OTHER, 150);
	ok(unit_is(bed, 2, 130, 650, 200) && unit_is(bed, 3, 0, 900, 0),
	   "its next turn is not of who was there before");
	ok(unit_is(bed, 0, 0, 0, 0) && !count_of(bed, 2).lacks, "nothing is unattributed");
}

/* More than can be kept apart have the CPU while the group is off its PMU. */
static void test_crowd(struct bed *bed)
{
	struct strings notes = {0};
	bool told;

	add_group(bed->accounting);
	bed->accounting->cpus[0].groups[1].turn = TURN;
	feed_main(bed, TRACE_SWITCH, getpid(), 100);
	for (pid_t pid = 1; pid <= WINDOW_MAX; pid++) {
		feed_task(bed, TRACE_FORK, OTHER - pid);
		feed_main(bed, TRACE_SWITCH, OTHER - pid, 100);
	}
	ok(!count_of(bed, ROOT).lacks, "a crowd: as long as all are kept apart, nothing is missing");
	feed_other_group(bed, TRACE_SWITCH, getpid(), 50, 50, 100 * (WINDOW_MAX + 2));
	feed_main(bed, TRACE_SWITCH, getpid(), 100);
	ok(sum_of(bed, 0).enabled > 0 && sum_of(bed, 0).value == 0, "who is not kept apart: some time, but no count");
	ok(count_of(bed, ROOT).lacks && count_of(bed, ROOT).vague,
	   "so rows may lack something, and it is not known how much");
	accounting_add_notes(bed->accounting, true, &notes);
	told = notes.n == 1 && strstr(notes.v[0], "in the row (unattributed)");
	ok(told, "a note says why");
	strings_free(&notes);
	accounting_add_notes(bed->accounting, false, &notes);
	told = notes.n == 1 && strstr(notes.v[0], "is unattributed") && !strstr(notes.v[0], "row");
	ok(told, "... and names no row that is not there");
	ok(accounting_is_disturbed(bed->accounting), "... and sums may have what is a stranger's");
	strings_free(&notes);
}

/* A group that is always on its PMU has all that it lacks in one row. */
static void test_lack_without_turns(struct bed *bed)
{
	const struct trace_record lost = {.kind = TRACE_LOST, .lost = 1};

	accounting_take_record(bed->accounting, &lost);
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	ok(count_of(bed, ROOT).lacks && !count_of(bed, ROOT).vague,
	   "a lost record: what is counted is right but for that");
}

/* Two of very different rates, known from switches that the group saw. */
static void test_shared_by_rate(struct bed *bed)
{
	make_three(bed);
	bed->accounting->cpus[0].groups[1].turn = TURN;
	feed_other_group(bed, TRACE_SWITCH, getpid(), 900, 100, 100);
	feed_main(bed, TRACE_SWITCH, getpid(), 100);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 100, 100, 100);
	feed_main(bed, TRACE_SWITCH, OTHER, 100);
	feed_main(bed, TRACE_SWITCH, getpid(), 300);
	feed_other_group(bed, TRACE_SWITCH, OTHER, 500, 100, 600);
	feed_main(bed, TRACE_SWITCH, OTHER, 300);
	ok(unit_is(bed, ROOT, 1350, 400, 150) && unit_is(bed, 2, 150, 400, 150),
	   "what two may have done goes by their rates");
	ok(accounting_figure(bed->accounting, 2, 0)->doubt.squares > 0, "and has a variance");
	feed_main(bed, TRACE_SWITCH, 1, 300);
	feed_other_group(bed, TRACE_SWITCH, getpid(), 400, 100, 600);
	feed_main(bed, TRACE_SWITCH, getpid(), 300);
	ok(unit_is(bed, ROOT, 1550, 700, 200), "a stranger of whom nothing is known has a half");
	feed_other_group(bed, TRACE_SWITCH, 1, 0, 1000, 1000);
	feed_main(bed, TRACE_SWITCH, 1, 1000);
	feed_main(bed, TRACE_SWITCH, 1, 300);
	feed_other_group(bed, TRACE_SWITCH, getpid(), 1000, 100, 600);
	feed_main(bed, TRACE_SWITCH, getpid(), 300);
	ok(sum_of(bed, ROOT).value > 2500, "and less when he is known to do little");
}

/* A turn of the group, in which it is sampled twice; then it is off until the next one begins. */
static void feed_turn(struct bed *bed, uint64_t value)
{
	feed_other_group(bed, TRACE_SNAPSHOT, getpid(), value, TURN / 2, TURN / 2);
	feed_other_group(bed, TRACE_SNAPSHOT, getpid(), value, TURN / 2, TURN / 2);
	feed_main(bed, TRACE_SWITCH, getpid(), 2 * TURN);
	feed_main(bed, TRACE_SWITCH, OTHER, 10);
	feed_other_group(bed, TRACE_SNAPSHOT, getpid(), value, TURN / 4, TURN + 10 + TURN / 4);
	feed_other_group(bed, TRACE_SWITCH, getpid(), 0, TURN / 100, TURN / 100);
	feed_main(bed, TRACE_SWITCH, getpid(), TURN / 4 + TURN / 100);
}

static size_t slices_of(const struct counts *counts, size_t slot)
{
	return mux_stats_slices(counts_mux_stats(counts, slot, 0));
}

static size_t whole_slices(struct bed *bed, size_t unit)
{
	struct aggr_map map;
	struct counts counts;
	size_t n;

	accounting_take(bed->accounting, &counts, &map);
	n = slices_of(&counts, unit);
	aggr_map_free(&map);
	counts_free(&counts);
	return n;
}

static void test_slices(struct bed *bed)
{
	struct aggr_map map;

	make_three(bed);
	bed->accounting->cpus[0].groups[1].turn = TURN;
	for (uint64_t i = 0; i < 10; i++)
		feed_turn(bed, 100 + i % 2 * 100);
	is_number(whole_slices(bed, ROOT), 30, "slices: two in a turn, and one across the time off");
	is_number(whole_slices(bed, 2), 0, "slices: none of who had no turn");
	ok(!bed->accounting->units[2].tracks, "slices: and no memory");
	accounting_take_part(bed->accounting, &bed->part, &map);
	is_number(slices_of(&bed->part, 1), 30, "slices: of the first part");
	aggr_map_free(&map);
	feed_turn(bed, 100);
	accounting_take_part(bed->accounting, &bed->part, &map);
	is_number(slices_of(&bed->part, 1), 3, "slices: of the second");
	aggr_map_free(&map);
	is_number(whole_slices(bed, ROOT), 33, "slices: of the whole");
	accounting_restart(bed->accounting);
	is_number(whole_slices(bed, ROOT), 0, "slices: none after a new start");
	feed_turn(bed, 100);
	is_number(whole_slices(bed, ROOT), 3, "slices: but of what comes later");
}

/* This process does something as the command does before its exec. Returns how many page faults. */
static uint64_t work_before_exec(struct switch_trace *trace)
{
	struct sample before;
	char *page;

	counters_switch_all(trace->before, true);
	for (int i = 0; i < 5; i++) {
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*(volatile char *)page = 1;
		munmap(page, 4096);
	}
	counters_switch_all(trace->before, false);
	switch_trace_read_before_exec(trace);
	ok(switch_trace_before_exec(trace, 0, &before) && before.value >= 5 && before.enabled > 50,
	   "exec: what was before it is known");
	return before.value;
}

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
	accounting_take_record(bed->accounting, &(struct trace_record){.kind = TRACE_NAME,
								       .pid = getpid(),
								       .tid = getpid(),
								       .name = "command",
								       .time = time,
								       .exec = true});
}

/* Of a process that was on a CPU twice before its exec, and whose exec was in a stay that the kernel hid. */
static void test_hidden_exec(struct bed *bed)
{
	uint64_t before = work_before_exec(bed->accounting->trace);

	bed->accounting->exec_settled = false;
	feed_at(bed, getpid(), 500, 100, 2, 0);
	feed_exec(bed, 1000);
	is_number(sum_of(bed, ROOT).value, 0, "exec: what was charged so far was before it");
	feed_at(bed, getpid(), 1200, 500, before - 2 + 7, 1);
	is_number(sum_of(bed, 0).value, 7, "exec: the rest is left out where it is, of what is unattributed, too");
	is_number(sum_of(bed, 0).enabled, 200, "exec: and the time up to it");
	feed_at(bed, getpid(), 1250, 50, 70, 0);
	is_number(sum_of(bed, ROOT).value, 70, "exec: what comes later is the command's");
	is_number(sum_of(bed, ROOT).enabled, 50, "exec: in the time that it took");
	accounting_finish(bed->accounting);
	is_number(sum_of(bed, ROOT).enabled, 50, "exec: once");
}

/* The next to leave the exec's CPU is none of the command's. */
static void test_exec_of_stranger(struct bed *bed)
{
	uint64_t before = work_before_exec(bed->accounting->trace);

	bed->accounting->exec_settled = false;
	feed_exec(bed, 1000);
	feed_at(bed, 1, 1200, 500, before + 7, 1);
	feed_at(bed, getpid(), 1300, 100, before + 70, 0);
	is_number(sum_of(bed, ROOT).value, before + 70, "exec: what was before it is not taken out of a later stay");
}

/* The group was off its PMU when the task left the exec's CPU: its next sample has what was before the exec. */
static void test_exec_in_turns(struct bed *bed)
{
	static const size_t events[] = {SIZE_MAX, 0};
	uint64_t before = work_before_exec(bed->accounting->trace);
	const uint64_t added[] = {1, before + 60};
	struct trace_record group = {.pid = getpid(), .tid = getpid(), .group = 1, .n = 2, .added = added};
	struct trace_record main_group = {.pid = getpid(), .tid = getpid()};
	struct sample root;

	add_group(bed->accounting);
	bed->accounting->exec_settled = false;
	feed_exec(bed, 1000);
	main_group.time = 1100;
	main_group.enabled = main_group.running = 400;
	accounting_take_record(bed->accounting, &main_group);
	group.events = events;
	group.time = 1300;
	group.enabled = 600;
	group.running = 300;
	accounting_take_record(bed->accounting, &group);
	main_group.time = 1300;
	main_group.enabled = main_group.running = 200;
	accounting_take_record(bed->accounting, &main_group);
	root = sum_of(bed, ROOT);
	is_number(root.value, 60, "exec: a group that takes turns has what is since then");
	is_number(root.enabled, 300, "exec: and the time since then");
	is_number(root.running, 150, "exec: of which it was on the PMU as much as before");
}

/* So many threads or processes, one after the other; every other process takes a name. Two page faults each, but for
 * the one in the middle, which has 51, and the last one, which has ended, but not left its CPU: 1. */
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

static void set_ended(struct bed *bed, enum ended ended)
{
	bed->accounting->options.ended = ended;
	bed->accounting->options.top = 1;
	tree_rename(&bed->accounting->tree, 0, "root");
	snprintf(bed->accounting->units[ROOT].name, NAME_MAX_LEN, "root");
}

static void test_fold_names(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended(bed, ENDED_BY_NAME);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units > MANY, "ended: what has not been told yet is kept");
	bed->accounting->fold_at = 0; /* that was in vain, and would not be tried again so soon */
	is_string(take(bed), "root 3049/1500, another 2999/1500", "and told");
	ok(b->n_units < 6, "then there is one for each name");
	ok(b->tree.n < 4 && b->tree.n_tasks < 4, "and of the processes and ids, those that live");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	is_string(take(bed), "another 1/0", "the last one's last switch is still his");
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	live_and_die(bed, 2 * MANY, false);
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	skip_part(bed);
	ok(b->n_units < 6, "a second time, too");
	is_string(take_whole(bed), "root 9101, another 9000", "the whole is the sum of all");
	feed_task(bed, TRACE_NAME, getpid());
	feed(bed, TRACE_SWITCH, getpid(), 3, 10);
	is_string(take(bed), "another 3/1", "who lives is who he was");
}

/* Counting begins late, and there are no parts. */
static void test_fold_late(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended(bed, ENDED_BY_NAME);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units < 6, "ended: before counting began");
	accounting_restart(bed->accounting);
	is_string(take_whole(bed), "", "after a new start there is nothing of them");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	live_and_die(bed, MANY, false);
	accounting_fold(bed->accounting);
	ok(b->n_units < 6, "ended: since then");
	is_string(take_whole(bed), "root 3049, another 3000", "but of those that come later");
}

/* A task may take an empty name. */
static void test_fold_nameless(struct bed *bed)
{
	const struct trace_record name = {.kind = TRACE_NAME, .pid = OTHER, .tid = OTHER, .name = ""};

	set_ended(bed, ENDED_BY_NAME);
	for (size_t i = 0; i < MANY; i++) {
		feed_task(bed, TRACE_FORK, OTHER);
		accounting_take_record(bed->accounting, &name);
		feed_task(bed, TRACE_EXIT, OTHER);
		feed(bed, TRACE_SWITCH, OTHER, 1, 10);
	}
	accounting_fold(bed->accounting);
	ok(bed->accounting->n_units < 6, "ended: without a name");
	is_string(take_whole(bed), "root 0,  3000", "they have one row");
}

static void test_fold_small(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended(bed, ENDED_BY_SIZE);
	for (unsigned round = 0; round < 3; round++) {
		live_and_die(bed, MANY, false);
		skip_part(bed);
		ok(b->n_units < 8 && b->tree.n < 8, "ended: the largest, and one for all others");
	}
	is_string(take_whole(bed), "root 0, (8998 others) 18092, root 51, another 1", "which are as many as they are");
}

static void test_fold_threads(struct bed *bed)
{
	const struct accounting *b = bed->accounting;

	set_ended(bed, ENDED_BY_SIZE);
	live_and_die(bed, MANY, true);
	skip_part(bed);
	ok(b->n_units < 8 && b->tree.n_tasks < 8, "ended threads of a process that lives");
	feed(bed, TRACE_SWITCH, -1, 1, 10);
	feed(bed, TRACE_SWITCH, getpid(), 7, 10);
	is_string(take_whole(bed), "root 7, (2998 others) 5996, root 51, root 2", "the first one is still there");
}

static void test_fold_all(struct bed *bed)
{
	struct aggr_map map;
	struct counts counts;
	uint64_t sum = 0;

	set_ended(bed, ENDED_TOGETHER);
	live_and_die(bed, MANY, false);
	skip_part(bed);
	ok(bed->accounting->n_units < 6, "ended: of no interest");
	is_string(take_whole(bed), "root 0, another 1", "they have no row");
	accounting_take(bed->accounting, &counts, &map);
	for (size_t slot = 0; slot < counts.n_slots; slot++)
		sum += counts_at(&counts, slot, 0)->sample.value;
	is_number(sum, 6048, "but the sum has them");
	aggr_map_free(&map);
	counts_free(&counts);
}

static void run(enum aggr_mode by, bool parts, void (*test)(struct bed *bed))
{
	struct error e = {0};
	struct bed bed;

	if (ok(bed_open(&bed, by, parts, &e), "CPUs can be watched"))
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
	run(AGGR_PROCESS, true, test_turns);
	run(AGGR_PROCESS, true, test_between);
	run(AGGR_PROCESS, true, test_end_between);
	run(AGGR_PROCESS, true, test_off);
	run(AGGR_PROCESS, false, test_crowd);
	run(AGGR_PROCESS, false, test_lack_without_turns);
	run(AGGR_PROCESS, true, test_shared_by_rate);
	run(AGGR_PROCESS, true, test_slices);
	run(AGGR_PROCESS, false, test_hidden_exec);
	run(AGGR_PROCESS, false, test_exec_of_stranger);
	run(AGGR_PROCESS, false, test_exec_in_turns);
	run(AGGR_COMM, true, test_fold_names);
	run(AGGR_COMM, false, test_fold_late);
	run(AGGR_COMM, false, test_fold_nameless);
	run(AGGR_PROCESS, true, test_fold_small);
	run(AGGR_THREAD, true, test_fold_threads);
	run(AGGR_PROCESS, true, test_fold_all);
	return tap_done();
}
