/* task_statistics: prints what the statistics of --by cost for two commands with TASKS processes and 8 events in RUNS
 * runs each, from the rows of the runs to the differences: CPU time, peak memory, and whether the targets are met.
 *
 *   task_statistics [TASKS [RUNS]] */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "compare/differences.h"
#include "compare/run_stats.h"
#include "compare/task_rows.h"

#define EVENTS    8
#define TARGET_S  0.2
#define TARGET_MB 100

static struct event events[EVENTS];

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct row *add_count(struct result *run, size_t event, uint64_t count)
{
	struct row *row = result_add(run, &(struct item){.name = events[event].name,
							 .counted = true,
							 .event = &events[event],
							 .event_number = event + 1});

	row->value = (struct value){.type = VALUE_COUNT, .count = count};
	row->has_raw = true;
	row->raw = (struct sample){count, 1000, 1000};
	return row;
}

/* The rows of one run, in the order of --by: totals, and the counts of one task after another. */
static void make_run(struct result *run, size_t tasks, unsigned number, unsigned command)
{
	for (size_t i = 0; i < EVENTS; i++)
		add_count(run, i, 100000 + (number * 7919 + i * 31 + command * 1000) % 997);
	for (size_t k = 0; k < tasks; k++)
		for (size_t i = 0; i < EVENTS; i++) {
			struct row *row = add_count(run, i, 100 + (k * 31 + number * 17 + i) % 13);

			pid_t first = (pid_t)(1000 + number * tasks), pid = first + (pid_t)k;

			row->subject = result_subject(
				run, &(struct subject){.scope = AGGR_PROCESS,
						       .id = result_format(run, "%d", pid),
						       .comm = k % 8 ? "cc" : "sh",
						       .pid = pid,
						       .ppid = first + (pid_t)(k ? (k - 1) / 8 : tasks)});
			row->scope_count = 1;
		}
}

static void add_means(struct result *all, struct run_stats *s, unsigned command)
{
	run_stats_finish(s);
	for (size_t i = 0; i < s->n; i++) {
		struct row *row = result_add_copy(all, &s->result.rows[i]);

		row->values = s->histories[i].weighed;
		row->command = command;
	}
}

int main(int argc, char **argv)
{
	size_t tasks = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 50;
	struct run_stats stats[2];
	struct result all;
	struct rusage usage;
	double seconds = 0, begin;
	double megabytes;

	for (size_t i = 0; i < EVENTS; i++) {
		event_init(&events[i], EVENT_ABI);
		events[i].name = xasprintf("event-%zu", i);
		events[i].attr.type = PERF_TYPE_SOFTWARE;
		events[i].attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	}
	all = (struct result){0};
	for (unsigned command = 0; command < 2; command++)
		stats[command] = (struct run_stats){0};
	for (unsigned number = 1; number <= runs; number++)
		for (unsigned command = 0; command < 2; command++) {
			struct result run;

			run = (struct result){0};
			make_run(&run, tasks, number, command);
			begin = cpu_seconds();
			task_rows_name(&run, 0);
			run_stats_add(&stats[command], &run, number);
			seconds += cpu_seconds() - begin;
			result_free(&run);
		}
	begin = cpu_seconds();
	for (unsigned command = 0; command < 2; command++)
		add_means(&all, &stats[command], command + 1);
	differences_add(&all, 0.01);
	seconds += cpu_seconds() - begin;
	getrusage(RUSAGE_SELF, &usage);
	megabytes = (double)usage.ru_maxrss / 1e3;
	printf("statistics of --by, 2 commands, %zu processes, %d events, %u runs: %.2f s %s (<= %.1f s), %.0f MB %s "
	       "(<= %d MB)\n",
	       tasks, EVENTS, runs, seconds, seconds <= TARGET_S ? "pass" : "FAIL", TARGET_S, megabytes,
	       megabytes <= TARGET_MB ? "pass" : "FAIL", TARGET_MB);
	return 0;
}
