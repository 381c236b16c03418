/* ledger: records made by hand. Process 10 is the command; two events. */
#include "by/ledger.h"

#include <stdlib.h>

#include "tap.h"

#define US 1000u

static const struct ranking start_order = {.event = SIZE_MAX};

struct bed {
	struct ledger *ledger;
	struct counts counts;
	struct aggr_map map;
	uint64_t sums[2]; /* of the reads */
};

static struct bed bed_new(enum aggr_mode by)
{
	struct bed b = {.ledger = ledger_new(2, by)};

	ledger_fork(b.ledger, &(struct task_ids){10, 10, 1, 1}, 1 * US);
	ledger_name(b.ledger, 10, 10, "sh", true, 2 * US);
	ledger_map(b.ledger, 10, 2 * US);
	return b;
}

static void one_read(struct bed *b, pid_t pid, pid_t tid, size_t event, uint64_t value, uint64_t time)
{
	b->sums[event] += value;
	ledger_read(b->ledger, pid, tid, event, (struct sample){value, 100, 100}, time);
}

static void both_reads(struct bed *b, pid_t pid, pid_t tid, uint64_t value, uint64_t time)
{
	one_read(b, pid, tid, 0, value, time);
	one_read(b, pid, tid, 1, 2 * value, time);
}

/* A task ends, and its reads follow. */
static void end(struct bed *b, pid_t pid, pid_t tid, uint64_t value, uint64_t time)
{
	ledger_exit(b->ledger, tid, time);
	both_reads(b, pid, tid, value, time + 1);
}

/* more: the part of each total that no read contains. */
static void finish(struct bed *b, uint64_t more)
{
	const struct count totals[2] = {
		{.open = true, .sample = {b->sums[0] + more, 5000, 5000}},
		{.open = true, .sample = {b->sums[1] + more, 5000, 5000}},
	};

	ledger_finish(b->ledger, totals);
	ledger_fetch(b->ledger, &start_order, &b->counts, &b->map);
}

static void bed_free(struct bed *b)
{
	counts_free(&b->counts);
	aggr_map_free(&b->map);
	ledger_free(b->ledger);
}

static const struct key *find_key(const struct bed *b, const char *id)
{
	for (size_t k = 0; k < b->map.n_keys; k++)
		if (strcmp(b->map.keys[k].id, id) == 0)
			return &b->map.keys[k];
	return NULL;
}

/* Returns the sum of event 0 of a row, or -1 without such a row. */
static long long value_of(const struct bed *b, const char *id)
{
	const struct key *key = find_key(b, id);
	long long sum = 0;

	for (size_t slot = 0; slot < b->map.n_slots && key; slot++)
		if (b->map.key_of[slot] != SIZE_MAX && &b->map.keys[b->map.key_of[slot]] == key)
			sum += (long long)counts_at(&b->counts, slot, 0)->sample.value;
	return key ? sum : -1;
}

static bool is_exact(const struct bed *b, const char *id)
{
	const struct key *key = find_key(b, id);
	bool exact = key && !key->remark;

	for (size_t slot = 0; slot < b->map.n_slots && key; slot++)
		if (b->map.key_of[slot] != SIZE_MAX && &b->map.keys[b->map.key_of[slot]] == key)
			exact &= !counts_at(&b->counts, slot, 0)->partly_in_rest &&
				 !counts_at(&b->counts, slot, 0)->uncounted;
	return exact;
}

static long long sum_of_rows(const struct bed *b)
{
	long long sum = 0;

	for (size_t slot = 0; slot < b->map.n_slots; slot++)
		if (b->map.key_of[slot] != SIZE_MAX)
			sum += (long long)counts_at(&b->counts, slot, 0)->sample.value;
	return sum;
}

static char *notes_of(const struct bed *b)
{
	auto_strings struct strings notes = {0};

	ledger_add_notes(b->ledger, &notes);
	return strings_join(&notes, "\n");
}

/* 10 forks 11 and 12 and outlives both. */
static struct bed bed_with_children(enum aggr_mode by)
{
	struct bed b = bed_new(by);

	ledger_fork(b.ledger, &(struct task_ids){11, 11, 10, 10}, 3 * US);
	ledger_fork(b.ledger, &(struct task_ids){12, 12, 10, 10}, 4 * US);
	ledger_name(b.ledger, 12, 12, "ls", true, 5 * US);
	ledger_map(b.ledger, 12, 5 * US);
	return b;
}

static void test_complete(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);
	auto_free char *notes = NULL;
	struct tree tree;

	end(&b, 11, 11, 5, 100 * US);
	end(&b, 12, 12, 7, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 0);
	is_number(b.map.n_keys, 3, "a row for each process, none for the rest");
	is_number(value_of(&b, "10") * 10000 + value_of(&b, "11") * 100 + value_of(&b, "12"), 300507, "its counts");
	ok(is_exact(&b, "10") && is_exact(&b, "11") && is_exact(&b, "12"), "all exact");
	is_string(find_key(&b, "11")->comm, "sh", "a forked process has its parent's name");
	is_string(find_key(&b, "12")->comm, "ls", "until it executes a program");
	is_number(find_key(&b, "12")->ppid, 10, "and its parent");
	notes = notes_of(&b);
	ok(!notes, "nothing to note");
	tree = ledger_fetch_tree(b.ledger);
	is_number(tree.processes[2].parent, 0, "the tree knows the parent");
	is_number(tree.processes[2].end, 110 * US, "and the end");
	tree_free(&tree);
	bed_free(&b);
}

static void test_missing_one(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);
	auto_free char *notes = NULL;

	end(&b, 11, 11, 5, 100 * US);
	ledger_exit(b.ledger, 12, 110 * US);
	one_read(&b, 12, 12, 1, 9, 111 * US); /* and none of event 0 */
	end(&b, 10, 10, 30, 120 * US);
	b.sums[0] += 77;
	finish(&b, 0);
	is_number(value_of(&b, "12"), 77, "a single missing read is what the others leave of the total");
	ok(is_exact(&b, "12") && is_exact(&b, "11"), "so it is exact");
	is_number(b.map.n_keys, 3, "and nothing is unattributed");
	is_number(counts_at(&b.counts, 4, 1)->sample.value, 9, "its other event is not changed");
	notes = notes_of(&b);
	ok(!notes, "nothing to note");
	bed_free(&b);
}

static void test_missing_several(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);
	auto_free char *notes = NULL;

	ledger_exit(b.ledger, 11, 100 * US);
	ledger_exit(b.ledger, 12, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 40);
	ok(is_exact(&b, "10"), "a row with its reads is exact");
	ok(!is_exact(&b, "11") && !is_exact(&b, "12"), "two rows without are not");
	is_number(value_of(&b, UNATTRIBUTED), 40, "their sum is known");
	is_number(sum_of_rows(&b), 70, "the rows add up to the total");
	notes = notes_of(&b);
	ok(notes && strstr(notes, "counts of 2 tasks"), "a note has the number of tasks");
	bed_free(&b);

	b = bed_with_children(AGGR_PROCESS);
	ledger_exit(b.ledger, 11, 100 * US);
	ledger_exit(b.ledger, 12, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	b.sums[0] = b.sums[1] = 30;
	ledger_finish(b.ledger, (const struct count[2]){{.open = true, .sample = {30, 100, 100}},
							{.open = true, .sample = {60, 100, 100}}});
	ledger_fetch(b.ledger, &start_order, &b.counts, &b.map);
	ok(is_exact(&b, "11") && is_exact(&b, "12"), "if nothing is missing in the total, rows without reads are 0");
	is_number(b.map.n_keys, 3, "and nothing is unattributed");
	bed_free(&b);
}

/* Both missing reads belong to one row. */
static void test_missing_in_one_row(void)
{
	struct bed b = bed_new(AGGR_COMM);

	ledger_fork(b.ledger, &(struct task_ids){11, 11, 10, 10}, 3 * US);
	ledger_fork(b.ledger, &(struct task_ids){11, 12, 11, 11}, 4 * US);
	ledger_exit(b.ledger, 12, 100 * US);
	ledger_exit(b.ledger, 11, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 40);
	is_number(value_of(&b, "sh"), 70, "two threads of one process have lost their reads");
	ok(is_exact(&b, "sh"), "which is exact: all that is missing is its");
	is_number(find_key(&b, "sh")->count, 2, "a row of a program has the number of its processes");
	bed_free(&b);
}

static void test_living(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);
	auto_free char *notes = NULL;

	end(&b, 11, 11, 5, 100 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 8);
	is_number(value_of(&b, "12"), 8, "a single process that outlives the command has the rest");
	ok(is_exact(&b, "12"), "exactly");
	bed_free(&b);

	b = bed_with_children(AGGR_PROCESS);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 8);
	ok(!is_exact(&b, "11") && !is_exact(&b, "12"), "two of them are lower bounds");
	ok(strstr(find_key(&b, "11")->remark, "had not ended"), "and say why");
	is_number(value_of(&b, UNATTRIBUTED), 8, "their sum is exact");
	notes = notes_of(&b);
	ok(notes && strstr(notes, "2 tasks had not ended"), "and noted");
	bed_free(&b);
}

/* The read of the first task with id 11 arrives after the second one has started. */
static void test_reused_id(void)
{
	struct bed b = bed_new(AGGR_PROCESS);

	ledger_fork(b.ledger, &(struct task_ids){11, 11, 10, 10}, 3 * US);
	ledger_exit(b.ledger, 11, 10 * US);
	ledger_fork(b.ledger, &(struct task_ids){11, 11, 10, 10}, 50 * US);
	ledger_name(b.ledger, 11, 11, "second", true, 51 * US);
	ledger_map(b.ledger, 11, 51 * US);
	ledger_exit(b.ledger, 11, 100 * US);
	both_reads(&b, 11, 11, 2000, 101 * US);
	both_reads(&b, 11, 11, 1000, 11 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 0);
	is_number(b.map.n_keys, 3, "two processes with one id have two rows");
	is_number(counts_at(&b.counts, 3, 0)->sample.value, 1000, "a late read belongs to the task of its time");
	is_number(counts_at(&b.counts, 4, 0)->sample.value, 2000, "the other one to the later task");
	ok(!counts_at(&b.counts, 3, 0)->partly_in_rest && !counts_at(&b.counts, 4, 0)->partly_in_rest, "both exact");
	bed_free(&b);
}

/* Thread 21 of process 20 executes a program: the first thread and thread 22 have ended, and 21 takes over the id 20.
 */
static void test_exec_of_thread(enum aggr_mode by)
{
	struct bed b = bed_new(by);

	ledger_fork(b.ledger, &(struct task_ids){20, 20, 10, 10}, 3 * US);
	ledger_fork(b.ledger, &(struct task_ids){20, 21, 20, 20}, 4 * US);
	ledger_fork(b.ledger, &(struct task_ids){20, 22, 20, 20}, 5 * US);
	end(&b, 20, 22, 1, 10 * US);
	end(&b, 20, 20, 10, 11 * US);
	ledger_name(b.ledger, 20, 20, "program", true, 12 * US);
	ledger_map(b.ledger, 20, 12 * US);
	end(&b, 20, 20, 100, 90 * US);
	end(&b, 10, 10, 5, 120 * US);
	finish(&b, 0);
	if (by == AGGR_PROCESS) {
		is_number(value_of(&b, "20"), 111, "a thread that executes a program stays in its process");
		ok(is_exact(&b, "20") && is_exact(&b, "10"), "which is exact");
		is_string(find_key(&b, "20")->comm, "program", "and has the program's name");
	} else {
		is_number(b.map.n_keys, 4, "a thread that executes a program keeps its row");
		is_number(counts_at(&b.counts, 4, 0)->sample.value, 100, "with its counts");
		is_number(counts_at(&b.counts, 3, 0)->sample.value, 10, "apart from the first thread's");
		ok(!counts_at(&b.counts, 4, 0)->partly_in_rest, "exactly");
	}
	bed_free(&b);
}

static void test_gained_rights(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);
	auto_free char *notes = NULL;

	ledger_name(b.ledger, 11, 11, "su", true, 50 * US);
	end(&b, 11, 11, 5, 90 * US); /* the kernel's record of the removed events, not of an end */
	end(&b, 12, 12, 7, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 0);
	ok(counts_at(&b.counts, 3, 0)->uncounted, "a program that gains rights is a lower bound");
	ok(find_key(&b, "11")->remark && strstr(find_key(&b, "11")->remark, "'su'"), "with its name");
	ok(is_exact(&b, "10") && is_exact(&b, "12"), "others are exact");
	notes = notes_of(&b);
	ok(notes && strstr(notes, "programs that gain rights"), "noted");
	bed_free(&b);

	b = bed_with_children(AGGR_PROCESS);
	ledger_name(b.ledger, 11, 11, "fast", true, 50 * US);
	ledger_map(b.ledger, 11, 50 * US + 1);
	end(&b, 11, 11, 5, 50 * US + 2);
	end(&b, 12, 12, 7, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 0);
	ok(is_exact(&b, "11"), "a program that was mapped has ended, however soon");
	bed_free(&b);
}

static void test_lost_starts(void)
{
	struct bed b = bed_new(AGGR_PROCESS);

	ledger_lose(b.ledger, 1);
	end(&b, 30, 30, 9, 50 * US);                                        /* its fork was lost */
	ledger_fork(b.ledger, &(struct task_ids){31, 31, 30, 30}, 60 * US); /* as was its parent's */
	end(&b, 31, 31, 4, 70 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 0);
	is_number(value_of(&b, "30"), 9, "a task whose fork was lost has its counts");
	ok(!is_exact(&b, "30"), "which may not be all");
	is_number(value_of(&b, "31"), 4, "as its children have");
	ok(is_exact(&b, "10"), "the sums agree: others are exact");
	bed_free(&b);

	b = bed_new(AGGR_PROCESS);
	ledger_lose(b.ledger, 1);
	ledger_exit(b.ledger, 10, 120 * US);
	finish(&b, 33);
	is_number(value_of(&b, UNATTRIBUTED), 33, "after a loss, the rest may belong to an unknown task");
	ok(!is_exact(&b, "10"), "not only to the one without a read");
	bed_free(&b);
}

static void test_contradictions(void)
{
	struct bed b = bed_with_children(AGGR_PROCESS);

	end(&b, 11, 11, 5, 100 * US);
	end(&b, 12, 12, 7, 110 * US);
	end(&b, 10, 10, 30, 120 * US);
	finish(&b, 3);
	ok(!is_exact(&b, "10") && !is_exact(&b, "12"), "no row is exact if a rest belongs to no known task");
	is_number(value_of(&b, UNATTRIBUTED), 3, "the rest has a row");
	is_number(sum_of_rows(&b), 45, "and all rows add up");
	bed_free(&b);

	b = bed_new(AGGR_PROCESS);
	end(&b, 10, 10, 30, 120 * US);
	b.sums[0] = 29;
	finish(&b, 0);
	ok(!is_exact(&b, "10"), "no row is exact if the rows are more than the total");
	bed_free(&b);
}

static void test_threads(void)
{
	struct bed b = bed_new(AGGR_THREAD);

	ledger_fork(b.ledger, &(struct task_ids){10, 11, 10, 10}, 3 * US);
	ledger_name(b.ledger, 10, 11, "worker", false, 4 * US);
	ledger_fork(b.ledger, &(struct task_ids){12, 12, 10, 11}, 5 * US); /* a process, forked by the thread */
	ledger_fork(b.ledger, &(struct task_ids){10, 13, 10, 11}, 6 * US);
	end(&b, 12, 12, 4, 20 * US);
	end(&b, 10, 13, 3, 21 * US);
	end(&b, 10, 11, 2, 22 * US);
	end(&b, 10, 10, 1, 23 * US);
	finish(&b, 0);
	is_number(b.map.n_keys, 4, "a row for each thread");
	is_string(find_key(&b, "10")->comm, "sh", "the first one has the program's name");
	is_string(find_key(&b, "11")->comm, "worker", "another its own");
	is_string(find_key(&b, "12")->comm, "worker", "which a process that it forks begins with");
	is_string(find_key(&b, "13")->comm, "worker", "as a thread does");
	is_number(find_key(&b, "13")->pid, 10, "and its process");
	bed_free(&b);
}

static void test_states(void)
{
	struct bed b = bed_new(AGGR_PROCESS);
	const struct count totals[2] = {{.open = true, .user_only = true, .sample = {7, 100, 50}}, {.error = 2}};

	ledger_exit(b.ledger, 10, 90 * US);
	ledger_read(b.ledger, 10, 10, 0, (struct sample){7, 100, 50}, 91 * US);
	ledger_finish(b.ledger, totals);
	ledger_fetch(b.ledger, &start_order, &b.counts, &b.map);
	ok(counts_at(&b.counts, 2, 0)->user_only, "rows have the total's state");
	is_number(counts_at(&b.counts, 2, 0)->sample.running, 50, "and their own times");
	ok(!counts_at(&b.counts, 2, 1)->open && counts_at(&b.counts, 2, 1)->error == 2, "an event that did not open");
	ok(is_exact(&b, "10"), "does not need a read");
	bed_free(&b);
}

/* Children 11 to 20 with counts of 1 to 10. */
static struct bed bed_with_many(enum aggr_mode by)
{
	struct bed b = bed_new(by);

	for (int i = 1; i <= 10; i++) {
		ledger_fork(b.ledger, &(struct task_ids){10 + i, 10 + i, 10, 10}, (uint64_t)(10 * i) * US);
		end(&b, 10 + i, 10 + i, (uint64_t)i, (uint64_t)(10 * i + 5) * US);
	}
	end(&b, 10, 10, 4, 200 * US);
	return b;
}

static struct sample sum_of(const struct bed *b, const char *id, size_t event)
{
	struct sample sum = {0};

	for (size_t slot = 0; slot < b->map.n_slots; slot++)
		if (b->map.key_of[slot] != SIZE_MAX && strcmp(b->map.keys[b->map.key_of[slot]].id, id) == 0)
			sum = sample_add(sum, counts_at(&b->counts, slot, event)->sample);
	return sum;
}

static void test_largest(void)
{
	const struct ranking largest = {.event = SIZE_MAX, .most = 3, .by = 1}, many = {.event = SIZE_MAX, .most = 10};
	struct bed b = bed_with_many(AGGR_PROCESS);
	struct count totals[2] = {{.open = true, .sample = {b.sums[0], 1100, 1100}},
				  {.open = true, .sample = {b.sums[1] + 50, 1200, 1200}}};

	ledger_finish(b.ledger, totals);
	ledger_fetch(b.ledger, &largest, &b.counts, &b.map);
	is_number(b.counts.n_slots, 2 + 3 + 1, "slots for the largest, and one for all others");
	is_number(sum_of(&b, "(8 others)", 1).value, 2 * (1 + 2 + 3 + 4 + 4 + 5 + 6 + 7), "which has their sum");
	is_number(sum_of(&b, "(8 others)", 1).enabled, 800, "and their times");
	ranking_apply(&largest, &b.counts, &b.map);
	is_string(b.map.keys[0].id, "20", "the largest row is first");
	is_string(b.map.keys[2].id, "18", "others follow in order");
	is_string(b.map.keys[3].id, "(8 others)", "then one for those that had no place");
	is_string(b.map.keys[4].id, UNATTRIBUTED, "unattributed work is last, however much it is");
	is_number(b.map.n_keys, 5, "and there are no more");
	counts_free(&b.counts);
	aggr_map_free(&b.map);
	ledger_fetch(b.ledger, &many, &b.counts, &b.map);
	ranking_apply(&many, &b.counts, &b.map);
	is_number(b.map.n_keys, 12, "an unattributed row is not one of the limited number");
	bed_free(&b);
}

static void test_programs(void)
{
	struct bed b = bed_with_many(AGGR_COMM);

	finish(&b, 0);
	is_number(b.counts.n_slots, 2 + 1, "one slot for the processes of a program");
	is_number(sum_of(&b, "sh", 0).value, 59, "with their sum");
	is_number(b.map.keys[0].count, 11, "and their number");
	bed_free(&b);

	b = bed_with_many(AGGR_COMM);
	ledger_fork(b.ledger, &(struct task_ids){30, 30, 10, 10}, 150 * US);
	ledger_exit(b.ledger, 30, 160 * US);
	ledger_read(b.ledger, 30, 30, 0, (struct sample){7, 100, 50}, 161 * US);
	ledger_read(b.ledger, 30, 30, 1, (struct sample){7, 100, 100}, 161 * US);
	b.sums[0] += 7;
	b.sums[1] += 7;
	finish(&b, 0);
	is_number(b.counts.n_slots, 2 + 12, "counts that are extrapolated have slots of their own");
	bed_free(&b);
}

/* The kernel's reads of the task have all the time of the total, but not its count. */
static void test_rest_without_time(void)
{
	const struct count totals[2] = {{.open = true, .sample = {300, 100, 50}},
					{.open = true, .sample = {7, 100, 100}}};
	struct bed b = bed_new(AGGR_PROCESS);
	struct sample rest;

	ledger_exit(b.ledger, 10, 5 * US);
	one_read(&b, 10, 10, 0, 100, 5 * US + 1);
	one_read(&b, 10, 10, 1, 7, 5 * US + 1);
	ledger_finish(b.ledger, totals);
	ledger_fetch(b.ledger, &start_order, &b.counts, &b.map);
	rest = counts_at(&b.counts, 1, 0)->sample;
	is_number(rest.value, 200, "the rest of a multiplexed total");
	ok(rest.enabled == 66 && rest.running == 33, "... is scaled as the total is");
	rest = counts_at(&b.counts, 1, 1)->sample;
	ok(rest.value == 0 && rest.enabled == 0, "no count, no time");
	bed_free(&b);
}

int main(void)
{
	test_complete();
	test_missing_one();
	test_missing_several();
	test_missing_in_one_row();
	test_living();
	test_reused_id();
	test_exec_of_thread(AGGR_PROCESS);
	test_exec_of_thread(AGGR_THREAD);
	test_gained_rights();
	test_lost_starts();
	test_contradictions();
	test_threads();
	test_states();
	test_largest();
	test_programs();
	test_rest_without_time();
	return tap_done();
}
