/* Ratios over several runs: those of the means, if these are of the same runs. */
#include "records_bed.h"

/* The runs' counts and metrics become these records. */
static void means(const char *runs, const char *expected, const char *what)
{
	struct event_list events = records_events(runs);
	struct run_stats stats = {.runs = 0};
	struct result run;

	for (unsigned i = 1; records_read(&run, &events, runs, i); i++) {
		metrics_add(&run);
		run_stats_add(&stats, &run, i);
		result_free(&run);
	}
	result_free(&run);
	run_stats_finish(&stats);
	is_records(&stats.result, expected, what);
	run_stats_free(&stats);
	event_list_free(&events);
}

/* 1 and 3 instructions per cycle in runs of 100 and 300 cycles. */
static void test_means(void)
{
	means("run | name         | value\n"
	      "1   | cycles       | 100\n"
	      "1   | instructions | 100\n"
	      "2   | cycles       | 300\n"
	      "2   | instructions | 900\n",
	      "name           | value | n | min | max | reason\n"
	      "cycles         | 200   | 2 | 100 | 300\n"
	      "instructions   | 500   | 2 | 100 | 900\n"
	      "insn per cycle | 2.5   | 2 | 1   | 3\n",
	      "the ratio of the means, 500 to 200, with the spread of the runs");
}

/* A run without cycles is a part of the mean of the instructions, but of no ratio. T is 12.706 for two runs. */
static void test_different_runs(void)
{
	means("run | name         | status      | value\n"
	      "1   | cycles       | exact       | 100\n"
	      "1   | instructions | exact       | 100\n"
	      "2   | cycles       | unsupported |\n"
	      "2   | instructions | exact       | 50000\n"
	      "3   | cycles       | exact       | 300\n"
	      "3   | instructions | exact       | 900\n",
	      "name           | value | error       | n | status | approximate | reason\n"
	      "cycles         | 200   | 1270.620474 | 2 | exact  |             | it has a value in 2 of 3 runs\n"
	      "instructions   | 17000 | 71000.72348 | 3 | exact\n"
	      "insn per cycle | 2     | 12.70620474 | 2 | exact  |             | it has a value in 2 of 3 runs\n",
	      "of different runs, the mean of the runs' ratios, 1 and 3, which are exact");
}

static void test_same_runs(void)
{
	means("run | name         | status      | value\n"
	      "1   | cycles       | exact       | 100\n"
	      "1   | instructions | exact       | 100\n"
	      "2   | cycles       | unsupported |\n"
	      "2   | instructions | unsupported |\n"
	      "3   | cycles       | exact       | 300\n"
	      "3   | instructions | exact       | 900\n",
	      "name           | value | n | reason\n"
	      "cycles         | 200   | 2 | it has a value in 2 of 3 runs\n"
	      "instructions   | 500   | 2 | it has a value in 2 of 3 runs\n"
	      "insn per cycle | 2.5   | 2 | it has a value in 2 of 3 runs\n",
	      "means of the same runs have a ratio, even if not of all runs");
}

/* The same number of other runs: no run has both. */
static void test_no_run(void)
{
	means("run | name         | status      | value\n"
	      "1   | cycles       | exact       | 100\n"
	      "1   | instructions | unsupported |\n"
	      "2   | cycles       | unsupported |\n"
	      "2   | instructions | exact       | 900\n",
	      "name         | value\n"
	      "cycles       | 100\n"
	      "instructions | 900\n",
	      "no metric in any run, and none over the runs");
}

/* Every run took some time: 0.5 and 1.5 CPUs, whatever the time of the run that has no clock. */
static void test_elapsed(void)
{
	means("run | name          | status      | value\n"
	      "1   | task-clock    | exact       | 5\n"
	      "1   | duration_time | exact       | 10\n"
	      "2   | task-clock    | unsupported |\n"
	      "2   | duration_time | exact       | 1000\n"
	      "3   | task-clock    | exact       | 30\n"
	      "3   | duration_time | exact       | 20\n",
	      "name          | value       | error       | n\n"
	      "task-clock    | 17.5        | 158.8275592 | 2\n"
	      "duration_time | 343.3333333 | 1412.758914 | 3\n"
	      "CPUs utilized | 1           | 6.353102368 | 2\n",
	      "a ratio to the elapsed time of two runs");
}

int main(void)
{
	test_means();
	test_different_runs();
	test_same_runs();
	test_no_run();
	test_elapsed();
	return tap_done();
}
