/* Ratios over several runs: those of the means, if these are of the same runs. */
#include <math.h>

#include "compare/run_stats.h"
#include "rows/usual_ratios.h"
#include "tap.h"

#define T_1  12.706204736174694 /* Student's t, 0.975, 1 degree of freedom */
#define NONE UINT64_MAX

/* The counts of a run; NONE: there was no counter. */
struct counted {
	uint64_t cycles, instructions, clock, elapsed;
};

static void add_count(struct result *run, const struct event *event, uint64_t value)
{
	struct row *row = result_add(run, &(struct item){.name = event->name, .event = event});

	row->status = value == NONE ? STATUS_UNSUPPORTED : STATUS_EXACT;
	if (value != NONE)
		row->value = (struct value){.type = VALUE_COUNT, .count = value};
}

/* All runs of a command. */
static void make_runs(struct run_stats *s, const struct counted *counted, unsigned n)
{
	struct event events[4];
	static const char *const names[] = {"cycles", "instructions", "task-clock", "duration_time"};

	*s = (struct run_stats){0};
	for (int i = 0; i < 4; i++) {
		event_init(&events[i], EVENT_ABI);
		events[i].name = xstrdup(names[i]);
	}
	events[0].attr.type = events[1].attr.type = PERF_TYPE_HARDWARE;
	events[0].attr.config = PERF_COUNT_HW_CPU_CYCLES;
	events[1].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	events[2].attr.type = PERF_TYPE_SOFTWARE;
	events[2].attr.config = PERF_COUNT_SW_TASK_CLOCK;
	events[3].tool = TOOL_DURATION_TIME;
	events[3].source = EVENT_TOOL;
	for (unsigned i = 0; i < n; i++) {
		struct result run;

		run = (struct result){0};
		add_count(&run, &events[0], counted[i].cycles);
		add_count(&run, &events[1], counted[i].instructions);
		add_count(&run, &events[2], counted[i].clock);
		add_count(&run, &events[3], counted[i].elapsed);
		metrics_add(&run);
		run_stats_add(s, &run, i + 1);
		result_free(&run);
	}
	run_stats_finish(s);
	for (int i = 0; i < 4; i++)
		event_free(&events[i]);
}

static bool is_near(double got, double expected)
{
	bool near = fabs(got - expected) <= 1e-9 * fabs(expected);

	if (!near)
		printf("# got %.17g, expected %.17g\n", got, expected);
	return near;
}

static const struct row *find(const struct run_stats *s, const char *name)
{
	for (size_t i = 0; i < s->result.n; i++)
		if (s->result.rows[i].item->kind == ITEM_METRIC && strcmp(s->result.rows[i].item->name, name) == 0)
			return &s->result.rows[i];
	printf("# no %s\n", name);
	exit(1);
}

/* 1 and 3 instructions per cycle in runs of 100 and 300 cycles. */
static void test_means(void)
{
	const struct counted runs[] = {{100, 100, NONE, 10}, {300, 900, NONE, 10}};
	const struct row *row;
	struct run_stats s;

	make_runs(&s, runs, 2);
	is_number(s.result.n, 5, "four counts and a metric");
	row = find(&s, "insn per cycle");
	ok(row->value.real == 2.5, "the ratio of the means, 500 to 200");
	ok(value_real(row->spread->min) == 1 && value_real(row->spread->max) == 3 && row->spread->n == 2,
	   "its spread is that of the runs");
	is_string(row->reason, "", "which have it all");
	run_stats_free(&s);
}

/* A run without cycles is a part of the mean of the instructions, but of no ratio. */
static void test_different_runs(void)
{
	const struct counted runs[] = {{100, 100, NONE, 10}, {NONE, 50000, NONE, 10}, {300, 900, NONE, 10}};
	const struct row *row;
	struct run_stats s;

	make_runs(&s, runs, 3);
	ok(s.result.rows[0].value.real == 200 && s.result.rows[1].value.real == 17000, "means of different runs");
	row = find(&s, "insn per cycle");
	ok(is_near(row->value.real, 2), "the mean of the runs' ratios, 1 and 3");
	ok(is_near(row->error, T_1), "its interval is around it");
	is_number(row->spread->n, 2, "of two runs");
	is_string(row->reason, "it has a value in 2 of 3 runs", "and the row says so");
	ok(row->status == STATUS_EXACT && !row->approximate, "and in these it was counted together");
	run_stats_free(&s);
}

static void test_same_runs(void)
{
	const struct counted runs[] = {{100, 100, NONE, 10}, {NONE, NONE, NONE, 10}, {300, 900, NONE, 10}};
	const struct row *row;
	struct run_stats s;

	make_runs(&s, runs, 3);
	row = find(&s, "insn per cycle");
	ok(row->value.real == 2.5 && row->spread->n == 2,
	   "means of the same runs have a ratio, even if not of all runs");
	is_string(row->reason, "it has a value in 2 of 3 runs", "and the row says so");
	run_stats_free(&s);
}

/* The same number of other runs: no run has both. */
static void test_no_run(void)
{
	const struct counted runs[] = {{100, NONE, NONE, 10}, {NONE, 900, NONE, 10}};
	struct run_stats s;

	make_runs(&s, runs, 2);
	is_number(s.result.n, 4, "no metric in any run, and none over the runs");
	run_stats_free(&s);
}

/* Every run took some time. */
static void test_elapsed(void)
{
	const struct counted runs[] = {{NONE, NONE, 5, 10}, {NONE, NONE, NONE, 1000}, {NONE, NONE, 30, 20}};
	const struct row *row;
	struct run_stats s;

	make_runs(&s, runs, 3);
	row = find(&s, "CPUs utilized");
	ok(is_near(row->value.real, 1), "0.5 and 1.5 CPUs, whatever the time of the run that has no clock");
	ok(is_near(row->error, T_1 / 2) && row->spread->n == 2, "of two runs");
	run_stats_free(&s);
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
