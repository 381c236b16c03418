/* Metrics compared with values computed by hand: which events are matched, and which ratios are exact. With the
 * argument cost: only the cost of the metrics of many processes. */
#include "rows/usual_ratios.h"

#include <stdlib.h>
#include <time.h>

#include "records_bed.h"

/* The counts, of these events, give these metrics. elapsed: the session's. */
static void give(const struct event_list *events, const char *counts, uint64_t elapsed, const char *metrics,
		 const char *what)
{
	struct result result;
	size_t n;

	records_read(&result, events, counts, 0);
	result.session.elapsed_ns = elapsed;
	n = result.n;
	metrics_add(&result);
	is_records_from(&result, n, metrics, what);
	result_free(&result);
}

/* The same of the events of the names. */
static void gives(const char *counts, const char *metrics, const char *what)
{
	struct event_list events = records_events(counts);

	give(&events, counts, 0, metrics, what);
	event_list_free(&events);
}

/* Every ratio perf stat shows, with its denominator; other events have a rate per second of task-clock. */
static void test_all(void)
{
	static const char counts[] = "event | name                    | value\n"
				     "1     | task-clock              | 1000000000\n"
				     "2     | cycles                  | 2000000000\n"
				     "3     | instructions            | 3000000000\n"
				     "4     | stalled-cycles-frontend | 500000000\n"
				     "5     | stalled-cycles-backend  | 600000000\n"
				     "6     | branches                | 1000\n"
				     "7     | branch-misses           | 10\n"
				     "8     | cache-references        | 400\n"
				     "9     | cache-misses            | 100\n"
				     "10    | L1-dcache-loads         | 200\n"
				     "11    | L1-dcache-load-misses   | 1\n"
				     "12    | L1-icache-loads         | 200\n"
				     "13    | L1-icache-load-misses   | 2\n"
				     "14    | LLC-loads               | 200\n"
				     "15    | LLC-load-misses         | 3\n"
				     "16    | dTLB-loads              | 200\n"
				     "17    | dTLB-load-misses        | 4\n"
				     "18    | iTLB-loads              | 200\n"
				     "19    | iTLB-load-misses        | 5\n"
				     "20    | page-faults             | 77\n";
	struct event_list events = records_events(counts);

	give(&events, counts, 4000000000,
	     "kind   | event | name                                            | unit | value | status | approximate\n"
	     "metric | 1     | CPUs utilized                                   | CPUs | 0.25  | exact\n"
	     "metric | 2     | frequency                                       | GHz  | 2     | exact\n"
	     "metric | 3     | insn per cycle                                  |      | 1.5   | exact\n"
	     "metric | 3     | stalled cycles per insn                         |      | 0.2   | exact\n"
	     "metric | 4     | frontend cycles idle                            |      | 0.25  | exact\n"
	     "metric | 5     | backend cycles idle                             |      | 0.3   | exact\n"
	     "metric | 6     | branches per second                             | /s   | 1000  | exact\n"
	     "metric | 7     | branch-misses of all branches                   |      | 0.01  | exact\n"
	     "metric | 8     | cache-references per second                     | /s   | 400   | exact\n"
	     "metric | 9     | cache-misses of all cache refs                  |      | 0.25  | exact\n"
	     "metric | 10    | L1-dcache-loads per second                      | /s   | 200   | exact\n"
	     "metric | 11    | L1-dcache-load-misses of all L1-dcache accesses |      | 0.005 | exact\n"
	     "metric | 12    | L1-icache-loads per second                      | /s   | 200   | exact\n"
	     "metric | 13    | L1-icache-load-misses of all L1-icache accesses |      | 0.01  | exact\n"
	     "metric | 14    | LLC-loads per second                            | /s   | 200   | exact\n"
	     "metric | 15    | LLC-load-misses of all LL-cache accesses        |      | 0.015 | exact\n"
	     "metric | 16    | dTLB-loads per second                           | /s   | 200   | exact\n"
	     "metric | 17    | dTLB-load-misses of all dTLB cache accesses     |      | 0.02  | exact\n"
	     "metric | 18    | iTLB-loads per second                           | /s   | 200   | exact\n"
	     "metric | 19    | iTLB-load-misses of all iTLB cache accesses     |      | 0.025 | exact\n"
	     "metric | 20    | page-faults per second                          | /s   | 77    | exact\n",
	     "thirteen ratios and eight rates, no more, each beside its event");
	event_list_free(&events);
}

static void test_modes(void)
{
	gives("name           | value\n"
	      "task-clock     | 1000\n"
	      "cycles:u       | 1000\n"
	      "instructions:k | 2000\n"
	      "instructions:u | 3000\n",
	      "name                      | value      | unit\n"
	      "cycles:u per second       | 1000000000 | /s\n"
	      "instructions:k per second | 2000000000 | /s\n"
	      "insn per cycle:u          | 3\n",
	      "user with user, never kernel with user, but a rate; user cycles make no frequency");
}

static void test_user_only(void)
{
	gives("name | value | user_only\ncycles | 1000 | true\ninstructions | 500 |\n", "name\n",
	      "an event that lost the kernel on opening is not matched with one that did not");
	gives("name | value | user_only\ncycles | 1000 | true\ninstructions | 500 | true\n",
	      "name             | value\n"
	      "insn per cycle:u | 0.5\n",
	      "but with an event that also lost it");
}

static void test_each_mode(void)
{
	static const char counts[] = "name                | value\n"
				     "cycles              | 1000\n"
				     "instructions:uh     | 500\n"
				     "branches            | 1000\n"
				     "branch-misses:uk    | 500\n"
				     "cache-references    | 1000\n"
				     "cache-misses        | 500\n"
				     "dTLB-loads          | 200\n"
				     "dTLB-load-misses:kh | 4\n"
				     "iTLB-loads          | 200\n"
				     "iTLB-load-misses:GH | 4\n";
	struct event_list events = records_events(counts);

	events.events[5].attr.exclude_host = 1; /* :G would also set exclude_guest */
	give(&events, counts, 0, "name\n", "each single mode that differs keeps two events apart");
	event_list_free(&events);
}

static void test_kinds(void)
{
	static const char counts[] = "event | name         | value\n"
				     "1     | cycles       | 1000\n"
				     "2     | instructions | 500\n"
				     "3     | instructions | 700\n";
	struct event_list events = records_events(counts);

	gives("name                    | value\n"
	      "instructions            | 100\n"
	      "stalled-cycles-frontend | 30\n"
	      "stalled-cycles-backend  | 20\n",
	      "name                    | value\n"
	      "stalled cycles per insn | 0.3\n",
	      "the larger stall may be the front end's");
	events.events[0].attr.config |= 4ULL << 32;
	events.events[1].attr.config |= 10ULL << 32;
	events.events[2].attr.config |= 4ULL << 32;
	give(&events, counts, 0,
	     "event | name           | value\n"
	     "3     | insn per cycle | 0.7\n",
	     "an event is matched only with events of its kind of core");
	event_list_free(&events);
}

static void test_claims(void)
{
	gives("name         | value | status | group | error\n"
	      "cycles       | 1000  | scaled | 1     | 30\n"
	      "instructions | 2000  | scaled | 1     | 80\n",
	      "name           | value | error | status | group | approximate | reason\n"
	      "insn per cycle | 2     | 0.1   | scaled | 1\n",
	      "one group: not approximate; relative variances add: 3% and 4% are 5%");
	gives("name         | value | status | group\n"
	      "cycles       | 1000  | exact  | 1\n"
	      "instructions | 2000  | scaled | 2\n",
	      "error | status | group | approximate | reason\n"
	      "      | scaled |       | true        | approximate: its events were not counted at the same time\n",
	      "two groups, one scaled: approximate, and an unknown error stays unknown");
	gives("name         | value | group\n"
	      "cycles       | 1000  | 1\n"
	      "instructions | 2000  | 2\n",
	      "name           | value | status | approximate\n"
	      "insn per cycle | 2     | exact\n",
	      "two groups on all the time: exact");
	gives("event | name         | value | group\n"
	      "1     | cycles       | 1     | 1\n"
	      "2     | cycles       | 1000  | 2\n"
	      "3     | instructions | 2000  | 2\n",
	      "event | name           | value\n"
	      "3     | insn per cycle | 2\n",
	      "counted twice: the one of the same group");
}

static void test_none(void)
{
	static const char counts[] = "name | value | unit\ntask-clock | 10 | ns\nfaults | 5 | Joules\n";
	struct event_list events = records_events(counts);

	gives("name          | value | status\n"
	      "task-clock    | 0     | exact\n"
	      "cycles        | 0     | idle\n"
	      "instructions  | 0     | idle\n"
	      "branches      | 5     | starved\n"
	      "branch-misses | 5     | exact\n",
	      "name\n", "no division by zero or by missing counts");
	gives("name\n", "name\n", "no rows, no metrics");
	events.events[1].attr.type = 30; /* of power/energy-pkg/ */
	give(&events, counts, 0, "name\n", "Joules are not a plain count, and there is no elapsed time");
	event_list_free(&events);
}

/* Each metric must come from its own CPU, interval, run and command. */
static void test_keys(void)
{
	static const char counts[] = "event | name          | scope | scope_id | run | command | time | value\n"
				     "1     | cycles        | cpu   | 0        |     |         |      | 10\n"
				     "2     | instructions  | cpu   | 1        |     |         |      | 60\n"
				     "3     | instructions  | cpu   | 0        |     |         |      | 20\n"
				     "4     | cycles        | cpu   | 1        |     |         |      | 20\n"
				     "5     | cycles        | total |          | 2   |         |      | 7\n"
				     "6     | instructions  | total |          |     | 2       |      | 7\n"
				     "7     | task-clock    | total |          |     |         | 1.5  | 500\n"
				     "8     | task-clock    | total |          |     |         | 2.5  | 300\n"
				     "      | duration_time | total |          |     |         | 2.5  | 600\n";
	struct event_list events = records_events(counts);

	give(&events, counts, 1000,
	     "event | name           | scope_id | time | value\n"
	     "8     | CPUs utilized  |          | 2.5  | 0.5\n"
	     "3     | insn per cycle | 0        |      | 2\n"
	     "2     | insn per cycle | 1        |      | 3\n",
	     "three pairs belong together; an interval has only its length");
	event_list_free(&events);
}

/* Rows of many processes, as copies of the first row. */
static void add_processes(struct result *result, const struct event_list *events, pid_t n)
{
	struct row first;

	records_read(result, events, "name | value\ntask-clock | 500\n", 0);
	result->session.elapsed_ns = 1000;
	first = result->rows[0];
	for (pid_t pid = 1; pid < n; pid++) {
		struct row *row = result_add_copy(result, &first);
		auto_free char *id = xasprintf("%d", pid);

		row->subject = result_subject(result, &(struct subject){.scope = AGGR_PROCESS, .id = id, .pid = pid});
	}
}

static void test_many(void)
{
	struct event_list events = records_events("name\ntask-clock\n");
	bool seen[2000] = {false};
	struct result result;
	size_t wrong = 0;

	add_processes(&result, &events, 2000);
	metrics_add(&result);
	is_number(result.n, 4000, "2,000 processes have 2,000 metrics");
	for (size_t i = 2000; i < result.n; i++) {
		const struct row *row = &result.rows[i];

		wrong += row->item->kind != ITEM_METRIC || seen[row->subject->pid];
		seen[row->subject->pid] = true;
	}
	is_number(wrong, 0, "one each");
	result_free(&result);
	event_list_free(&events);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Measured by what it takes to add the rows of 20,000 processes in the first place: how much dearer many are than few
 * depends on caches and page faults more than on the code. Looking at all rows for each is some hundred times that. */
static void test_cost(void)
{
	struct event_list events = records_events("name\ntask-clock\n");
	uint64_t rows = UINT64_MAX, metrics = UINT64_MAX;

	for (unsigned tries = 0; tries < 5; tries++) {
		uint64_t begin = cpu_ns(), between;
		struct result result;

		add_processes(&result, &events, 20000);
		between = cpu_ns();
		metrics_add(&result);
		rows = between - begin < rows ? between - begin : rows;
		metrics = cpu_ns() - between < metrics ? cpu_ns() - between : metrics;
		result_free(&result);
	}
	event_list_free(&events);
	printf("# %.1f ms, their metrics %.1f ms\n", (double)rows / 1e6, (double)metrics / 1e6);
	ok(metrics < 20 * rows, "the metrics of 20,000 processes cost little more than their rows");
}

/* In an interval of half a second, in which the task was on a CPU for a tenth. */
static void test_rates(void)
{
	gives("name          | time | value\n"
	      "task-clock    | 1.5  | 100000000\n"
	      "page-faults   | 1.5  | 70\n"
	      "cycles        | 1.5  | 200000000\n"
	      "page-faults   | 2.5  | 10\n"
	      "duration_time | 1.5  | 500000000\n",
	      "name                   | time | value | unit\n"
	      "CPUs utilized          | 1.5  | 0.2   | CPUs\n"
	      "page-faults per second | 1.5  | 140   | /s\n"
	      "frequency              | 1.5  | 2     | GHz\n",
	      "per second of elapsed time, the frequency is that of the CPU; no rate if the length is unknown");
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "cost") == 0) {
		test_cost();
		return tap_done();
	}
	test_all();
	test_modes();
	test_user_only();
	test_each_mode();
	test_kinds();
	test_claims();
	test_rates();
	test_none();
	test_keys();
	test_many();
	return tap_done();
}
