/* The rows of --by over repeated runs: which belong together, what a missing one counts, and which tasks explain the
 * difference of two commands: a planted one is named first, and where there is none, hardly any is named. */
#include <math.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "compare/run_stats.h"
#include "compare/task_rows.h"
#include "normal.h"
#include "records_bed.h"

#define RUNS     10
#define PROGRAMS 20

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
	struct run_stats s = records_stats("run | scope | scope_id | value\n"
					   "1   | total |          | 18\n"
					   "1   | comm  | cat      | 8\n"
					   "1   | comm  | sh       | 10\n"
					   "2   | total |          | 10\n"
					   "2   | comm  | sh       | 10\n"
					   "3   | total |          | 10\n"
					   "3   | comm  | sh       | 10\n"
					   "4   | total |          | 14\n"
					   "4   | comm  | cat      | 4\n"
					   "4   | comm  | sh       | 10\n");

	run_stats_finish(&s);
	is_records(&s.result,
		   "scope | scope_id | value | n | reason\n"
		   "total |          | 13    | 4\n"
		   "comm  | cat      | 3     | 4 | 2 of 4 runs do not contain it, and count 0\n"
		   "comm  | sh       | 10    | 4\n",
		   "a program that two runs do not have has counted 0 in them, and its row says so");
	is_number(s.histories[1].runs[1], 2, "of their numbers");
	ok(s.histories[1].values[0] == 8 && s.histories[1].values[1] == 0 && s.histories[1].values[3] == 4,
	   "each value stays with its run");
	run_stats_free(&s);
}

/* Without a count of the whole nothing is known of those that are not there. */
static void test_not_counted(void)
{
	struct run_stats s = records_stats("run | scope | scope_id | status      | value\n"
					   "1   | total |          | exact       | 5\n"
					   "1   | comm  | cat      | exact       | 5\n"
					   "2   | total |          | unsupported |\n");

	run_stats_finish(&s);
	is_records(&s.result,
		   "scope | scope_id | value | n\n"
		   "total |          | 5     | 1\n"
		   "comm  | cat      | 5     | 1\n",
		   "a run in which the event was not counted does not count as 0");
	run_stats_free(&s);
}

static void test_names(void)
{
	struct result run;

	records_read(&run, NULL,
		     "scope   | scope_id | pid | ppid | comm | value\n"
		     "process | 70       | 70  | 1    | make | 70\n"
		     "process | 71       | 71  | 70   | cc1  | 71\n"
		     "process | 9        | 9   | 70   | sh   | 9\n"
		     "process | 72       | 72  | 9    | cc1  | 72\n"
		     "process | 8        | 8   | 70   | cc1  | 8\n"
		     "process | 73       | 73  | 70   | cc1  | 73\n",
		     0);
	task_rows_name(&run, 0);
	is_records(&run,
		   "value | scope_id     | pid\n"
		   "70    | make\n"
		   "71    | make/cc1\n"
		   "9     | make/sh\n"
		   "72    | make/sh/cc1\n"
		   "8     | make/cc1 (2)\n"
		   "73    | make/cc1 (3)\n",
		   "processes have the path of their programs, numbered by their start, and no ids");
	result_free(&run);
}

static void test_top(void)
{
	struct run_stats s = records_stats("run | event | scope | scope_id | comm | status  | value\n"
					   "1   | 1     | total |          |      | exact   | 100\n"
					   "1   | 1     | comm  | a        | a    | partial | 11\n"
					   "1   | 1     | comm  | b        | b    | exact   | 21\n"
					   "1   | 1     | comm  | c        | c    | exact   | 31\n"
					   "1   | 1     | comm  | d        | d    | exact   | 41\n"
					   "2   | 1     | total |          |      | exact   | 100\n"
					   "2   | 1     | comm  | a        | a    | partial | 12\n"
					   "2   | 1     | comm  | b        | b    | exact   | 22\n"
					   "2   | 1     | comm  | c        | c    | exact   | 32\n"
					   "2   | 1     | comm  | d        | d    | exact   | 42\n");
	struct result result = {.n = 0};

	take_all(&result, &s, 1);
	task_rows_rank(&result, 1, 2);
	is_records(&result,
		   "scope_id   | status  | value | min | stddev\n"
		   "           | exact   | 100   | 100 | 0\n"
		   "d          | exact   | 41.5  | 41  | 0.7071067812\n"
		   "c          | exact   | 31.5  | 31  | 0.7071067812\n"
		   "(2 others) | partial | 33    | 32  | 1.414213562\n",
		   "--top: the largest means, and the sum of the others in each run, a lower bound like one of them");
	result_free(&result);
	run_stats_free(&s);
}

/* ---- campaigns ---- */

/* Twenty programs with 500 to 10,000 faults, of a spread of 1%, and one that only some runs have. grows: that program
 * has more of them by this share; or -1. */
static void add_run(struct run_stats *s, struct random *random, unsigned number, int grows, double share, bool has_new)
{
	double faults[PROGRAMS], sum = 0;
	bool has_rare;
	auto_free char *table = NULL;
	struct result run;
	size_t size;
	FILE *f = xopen_memstream(&table, &size);

	for (int i = 0; i < PROGRAMS; i++)
		sum += faults[i] =
			floor(500 * (i + 1) * (1 + draw_normal(random) / 100) * (i == grows ? 1 + share : 1));
	has_rare = random_below(random, 3) == 0;
	sum += (has_rare ? 900 : 0) + (has_new ? 3000 : 0);
	fprintf(f, "event | scope | scope_id | comm | value\n1 | total | | | %.0f\n", sum);
	for (int i = 0; i < PROGRAMS; i++)
		fprintf(f, "1 | comm | program%d | program%d | %.0f\n", i, i, faults[i]);
	fputs(has_rare ? "1 | comm | rare | rare | 900\n" : "", f);
	fputs(has_new ? "1 | comm | new | new | 3000\n" : "", f);
	fclose(f);
	records_read(&run, NULL, table, 0);
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
			auto_free char *table = xasprintf("event | scope | scope_id | comm | value\n"
							  "1 | total | | | 3000\n"
							  "1 | comm | noisy | noisy | %u\n"
							  "1 | comm | sure | sure | %u\n"
							  "1 | comm | same | same | 7\n",
							  i % 2 ? 2000 + 300 * command : 0, 100 + 50 * command);

			records_read(&run, NULL, table, 0);
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
	struct event all = {.name = filter}, some = {.name = filter, .filter = filter}, first[] = {all, some},
		     second[] = {some, all};
	struct result result;
	struct culprits c;

	records_read(&result, &(struct event_list){.events = first, .n = 2},
		     "command | event | name   | scope | scope_id | comm | value\n"
		     "1       | 1     | faults | total |          |      | 100\n"
		     "1       | 2     | faults | total |          |      | 7\n",
		     0);
	records_add(&result, &(struct event_list){.events = second, .n = 2},
		    "command | event | name   | scope | scope_id | comm | value\n"
		    "2       | 1     | faults | total |          |      | 14\n"
		    "2       | 2     | faults | total |          |      | 200\n"
		    "2       | 1     | faults | comm  | cat      | cat  | 14\n"
		    "2       | 2     | faults | comm  | cat      | cat  | 200\n",
		    0);
	differences_add(&result, 0.01);
	for (size_t i = 0; i < result.n; i++) {
		const struct row *whole = &result.rows[i];

		if (whole->item->kind != ITEM_COUNT || whole->command != 2 || whole->subject->scope != AGGR_TOTAL)
			continue;
		ok(culprits_find(&c, &result, whole, 0, true) && c.n == 1,
		   "each of two events of one name has its culprit");
		ok(c.v->difference->whole == (whole->item->event->filter ? 7 : 100),
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
