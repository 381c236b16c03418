/* The rows of --by over repeated runs: which belong together, what a missing one counts, and which tasks explain the
 * difference of two commands: a planted one is named first, and where there is none, hardly any is named. */
#include <math.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "compare/run_stats.h"
#include "compare/task_rows.h"
#include "normal.h"
#include "tap.h"

#define RUNS     10
#define PROGRAMS 20

static struct row *add_count(struct result *run, enum aggr_mode scope, const char *id, double value)
{
	struct row *row = result_add(run, &(struct item){.name = "faults", .counted = true, .event_number = 1});

	row->subject = result_subject(
		run, &(struct subject){.scope = scope, .id = id, .comm = scope == AGGR_COMM ? id : NULL});
	row->value = (struct value){.type = VALUE_COUNT, .count = (uint64_t)value};
	return row;
}

/* The sum of a row over all runs. */
static const struct row *find(const struct result *result, unsigned command, const char *id)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].item->kind == ITEM_COUNT && result->rows[i].command == command &&
		    strcmp(result->rows[i].subject->id, id) == 0)
			return &result->rows[i];
	return NULL;
}

/* As repeat_finish. */
static void take_all(struct result *result, struct run_stats *stats, unsigned command)
{
	run_stats_finish(stats);
	for (size_t i = 0; i < stats->n; i++) {
		struct row *row = result_add_copy(result, &stats->result.rows[i]);

		result_spread(result, row)->values = stats->histories[i].weighed;
		row->command = command;
	}
}

static void test_missing(void)
{
	const double cats[] = {8, 0, 0, 4};
	struct run_stats s;
	struct result run;

	s = (struct run_stats){0};
	for (unsigned i = 0; i < 4; i++) {
		run = (struct result){0};
		add_count(&run, AGGR_TOTAL, "", 10 + cats[i]);
		if (cats[i] > 0)
			add_count(&run, AGGR_COMM, "cat", cats[i]);
		add_count(&run, AGGR_COMM, "sh", 10);
		run_stats_add(&s, &run, i + 1);
		result_free(&run);
	}
	run_stats_finish(&s);
	is_number(s.n, 3, "rows are matched by name, in any order");
	is_number(find(&s.result, 1, "cat")->spread->n, 4, "a program that two runs do not have");
	ok(value_real(find(&s.result, 1, "cat")->value) == 3, "has counted 0 in them");
	is_string(find(&s.result, 1, "cat")->reason, "2 of 4 runs do not contain it, and count 0",
		  "and its row says so");
	is_number(s.histories[1].runs[1], 2, "of their numbers");
	ok(s.histories[1].values[0] == 8 && s.histories[1].values[1] == 0 && s.histories[1].values[3] == 4,
	   "each value stays with its run");
	is_string(find(&s.result, 1, "sh")->reason, "", "other rows are unchanged");
	run_stats_free(&s);
}

/* Without a count of the whole nothing is known of those that are not there. */
static void test_not_counted(void)
{
	struct run_stats s;
	struct result run;

	s = (struct run_stats){0};
	for (unsigned i = 1; i <= 2; i++) {
		run = (struct result){0};
		if (i == 1)
			add_count(&run, AGGR_TOTAL, "", 5);
		else
			add_count(&run, AGGR_TOTAL, "", 5)->status = STATUS_UNSUPPORTED;
		if (i == 1)
			add_count(&run, AGGR_COMM, "cat", 5);
		run_stats_add(&s, &run, i);
		result_free(&run);
	}
	run_stats_finish(&s);
	is_number(find(&s.result, 1, "cat")->spread->n, 1,
		  "a run in which the event was not counted does not count as 0");
	run_stats_free(&s);
}

static void add_process(struct result *run, int pid, int ppid, const char *comm)
{
	auto_free char *id = xasprintf("%d", pid);
	struct row *row = add_count(run, AGGR_PROCESS, id, pid);

	row->subject = result_subject(
		run, &(struct subject){.scope = AGGR_PROCESS, .id = id, .comm = comm, .pid = pid, .ppid = ppid});
}

static void test_names(void)
{
	struct result run;

	run = (struct result){0};
	add_process(&run, 70, 1, "make");
	add_process(&run, 71, 70, "cc1");
	add_process(&run, 9, 70, "sh");
	add_process(&run, 72, 9, "cc1");
	add_process(&run, 8, 70, "cc1");
	add_process(&run, 73, 70, "cc1");
	task_rows_name(&run, 0);
	is_string(run.rows[0].subject->id, "make", "a process is called by its program");
	is_string(run.rows[3].subject->id, "make/sh/cc1", "below the programs that started it");
	is_string(run.rows[1].subject->id, "make/cc1", "the first process of its program");
	is_string(run.rows[4].subject->id, "make/cc1 (2)", "the second, whatever its id is");
	is_string(run.rows[5].subject->id, "make/cc1 (3)", "the third");
	is_number(run.rows[5].subject->pid, 0, "ids belong to one run only");
	result_free(&run);
}

static void test_top(void)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct result result, run;
	struct run_stats s;

	s = (struct run_stats){0};
	for (unsigned i = 1; i <= 2; i++) {
		run = (struct result){0};
		add_count(&run, AGGR_TOTAL, "", 100);
		for (unsigned k = 0; k < 4; k++)
			add_count(&run, AGGR_COMM, names[k], 10 * (k + 1) + i)->status =
				k ? STATUS_EXACT : STATUS_PARTIAL;
		run_stats_add(&s, &run, i);
		result_free(&run);
	}
	result = (struct result){0};
	take_all(&result, &s, 1);
	task_rows_rank(&result, 1, 2);
	is_number(result.n, 4, "--top: as many rows, and one of all others");
	is_string(result.rows[1].subject->id, "d", "the largest mean first");
	is_string(result.rows[2].subject->id, "c", "then the next one");
	is_string(result.rows[3].subject->id, "(2 others)", "the others together");
	ok(value_real(result.rows[3].value) == 33 && value_real(result.rows[3].spread->min) == 32,
	   "are added up in each run");
	is_number(result.rows[3].status, STATUS_PARTIAL, "a sum with a lower bound is a lower bound");
	ok(result.rows[3].spread->stddev > 1.4 && result.rows[3].spread->stddev < 1.5, "so their spread is known");
	result_free(&result);
	run_stats_free(&s);
}

/* ---- campaigns ---- */

/* Twenty programs with 500 to 10,000 faults, of a spread of 1%, and one that only some runs have. grows: that program
 * has more of them by this share; or -1. */
static void add_run(struct run_stats *s, struct random *random, unsigned number, int grows, double share, bool has_new)
{
	struct result run;
	double sum = 0;

	run = (struct result){0};
	add_count(&run, AGGR_TOTAL, "", 0);
	for (int i = 0; i < PROGRAMS; i++) {
		auto_free char *name = xasprintf("program%d", i);
		double faults = 500 * (i + 1) * (1 + draw_normal(random) / 100) * (i == grows ? 1 + share : 1);

		sum += faults;
		add_count(&run, AGGR_COMM, name, faults);
	}
	if (random_below(random, 3) == 0) {
		add_count(&run, AGGR_COMM, "rare", 900);
		sum += 900;
	}
	if (has_new) {
		add_count(&run, AGGR_COMM, "new", 3000);
		sum += 3000;
	}
	run.rows[0].value.count = (uint64_t)sum;
	run_stats_add(s, &run, number);
	result_free(&run);
}

static void make_campaign(struct result *result, struct run_stats stats[2], struct random *random, int grows,
			  double share, bool has_new)
{
	*result = (struct result){0};
	for (unsigned command = 0; command < 2; command++) {
		stats[command] = (struct run_stats){0};
		for (unsigned i = 1; i <= RUNS; i++)
			add_run(&stats[command], random, i, command ? grows : -1, share, command && has_new);
		take_all(result, &stats[command], command + 1);
	}
}

static void free_campaign(struct result *result, struct run_stats stats[2])
{
	result_free(result);
	run_stats_free(&stats[0]);
	run_stats_free(&stats[1]);
}

/* Any difference is one, without a threshold. */
static void test_alike(void)
{
	struct random random = {.state = 1};
	unsigned named = 0;

	for (int i = 0; i < 200; i++) {
		struct run_stats stats[2];
		struct result result;
		struct culprits c;

		make_campaign(&result, stats, &random, -1, 0, false);
		differences_add(&result, 0);
		named += culprits_find(&c, &result, find(&result, 2, ""), 0, true) && c.v->named;
		culprits_free(&c);
		free_campaign(&result, stats);
	}
	printf("# alike: %u of 200 campaigns name a row\n", named);
	ok(named <= 10, "equal commands: at most 5% of campaigns name any of 21 rows");
}

static void test_planted(void)
{
	struct random random = {.state = 2};
	unsigned first = 0;

	for (int i = 0; i < 100; i++) {
		int grows = 4 + (int)random_below(&random, PROGRAMS - 4);
		auto_free char *name = xasprintf("program%d", grows);
		struct run_stats stats[2];
		struct result result;
		struct culprits c;

		make_campaign(&result, stats, &random, grows, 0.10, false);
		differences_add(&result, 0);
		if (culprits_find(&c, &result, find(&result, 2, ""), 0, true))
			first += c.v->named && strcmp(c.v->count->subject->id, name) == 0;
		culprits_free(&c);
		free_campaign(&result, stats);
	}
	printf("# planted: %u of 100 campaigns name it first\n", first);
	ok(first >= 95, "a program with 10% more is named first in at least 95 of 100 campaigns");
}

static void test_new(void)
{
	const struct row *absent, *whole;
	struct random random = {.state = 3};
	struct run_stats stats[2];
	struct result result;
	struct culprits c;
	double sum = 0, total;

	make_campaign(&result, stats, &random, 5, 0.5, true);
	differences_add(&result, 0.01);
	whole = find(&result, 2, "");
	total = value_real(find(&result, 1, "")->value);
	ok(culprits_find(&c, &result, whole, 3, true), "there are culprits");
	is_number(c.n, PROGRAMS + 2, "every program of either command");
	is_number(c.shown, 3, "three of them are shown");
	is_string(c.v[0].count->subject->id, "new", "the largest contribution is first");
	is_string(c.v[0].mark, "new", "a program that the reference lacks is new");
	is_string(c.v[0].difference->text, "new", "also in machine-readable formats");
	is_string(c.v[1].count->subject->id, "program5", "then the program that grew");
	is_string(c.v[1].mark, "", "which is not new");
	is_string(c.v[1].difference->text, "more", "but more");
	ok(fabs(c.v[0].difference->relative - 3000 / total) < 1e-9, "in shares of the reference's total");
	for (size_t i = 0; i < c.shown; i++)
		sum += c.v[i].difference->relative;
	ok(fabs(sum + c.rest - c.difference->value / total) < 1e-3, "all of them add up to the difference");
	ok(c.rest_low < c.rest && c.rest < c.rest_high && c.rest_high - c.rest_low < 0.1,
	   "the others together have an interval");
	absent = find(&result, 1, "new");
	ok(absent && row_is_absent(absent) && value_real(absent->value) == 0 && absent->spread->n == RUNS,
	   "the reference has a row of 0");
	is_string(absent->reason, "it is in none of the runs, which is a count of 0", "which has a reason");
	ok(c.difference->level == 0.05, "the total's interval does not depend on the programs");
	culprits_free(&c);
	free_campaign(&result, stats);
}

/* A large difference that may be chance, and a small one that is not. */
static void test_order(void)
{
	struct run_stats stats[2];
	struct result result, run;
	struct culprits c;

	result = (struct result){0};
	for (unsigned command = 0; command < 2; command++) {
		stats[command] = (struct run_stats){0};
		for (unsigned i = 0; i < RUNS; i++) {
			run = (struct result){0};
			add_count(&run, AGGR_TOTAL, "", 3000);
			add_count(&run, AGGR_COMM, "noisy", i % 2 ? 2000 + 300 * command : 0);
			add_count(&run, AGGR_COMM, "sure", 100 + 50 * command);
			add_count(&run, AGGR_COMM, "same", 7);
			run_stats_add(&stats[command], &run, i + 1);
			result_free(&run);
		}
		take_all(&result, &stats[command], command + 1);
	}
	differences_add(&result, 0.01);
	ok(culprits_find(&c, &result, find(&result, 2, ""), 0, false), "programs below a total without a difference");
	is_string(c.v[0].count->subject->id, "sure", "a certain difference is first");
	is_string(c.v[1].count->subject->id, "noisy", "then larger differences that may be chance");
	is_number(c.v[1].difference->verdict, VERDICT_UNDECIDED, "which is undecided");
	is_number(c.shown, 2, "an equal task is one of the others; as two compensate each other, there is a note");
	culprits_free(&c);
	free_campaign(&result, stats);
}

/* Two events of one name, which the commands have in another order. */
static void test_namesakes(void)
{
	char filter[] = "pid == 1";
	const struct event events[2] = {{.filter = filter}, {.filter = NULL}};
	struct result result;
	struct culprits c;

	result = (struct result){0};
	for (unsigned command = 1; command <= 2; command++)
		for (unsigned i = 0; i < 4; i++) {
			size_t which = (i + command) % 2;
			struct row *row;

			if (i >= 2 && command == 1)
				continue; /* it has no task */
			row = add_count(&result, i < 2 ? AGGR_TOTAL : AGGR_COMM, i < 2 ? "" : "cat",
					which ? 100 * command : 7 * command);
			row->item = result_item(&result, &(struct item){.name = "faults",
									.counted = true,
									.event = &events[which],
									.event_number = i % 2 + 1});
			row->command = command;
		}
	differences_add(&result, 0.01);
	for (size_t i = 0; i < result.n; i++) {
		const struct row *whole = &result.rows[i];

		if (whole->item->kind != ITEM_COUNT || whole->command != 2 || whole->subject->scope != AGGR_TOTAL)
			continue;
		ok(culprits_find(&c, &result, whole, 0, true) && c.n == 1,
		   "each of two events of one name has its culprit");
		ok(c.v->difference->whole == (whole->item->event == &events[1] ? 100 : 7),
		   "as a share of the same event's total");
		culprits_free(&c);
	}
	result_free(&result);
}

int main(void)
{
	test_missing();
	test_not_counted();
	test_names();
	test_top();
	test_alike();
	test_planted();
	test_new();
	test_order();
	test_namesakes();
	return tap_done();
}
