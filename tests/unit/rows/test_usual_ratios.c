/* Metrics compared with values computed by hand: which events are matched, and which ratios are exact. With the
 * argument cost: only the cost of the metrics of many processes. */
#include "rows/usual_ratios.h"

#include <stdlib.h>
#include <time.h>

#include "tap.h"

#define POWER 30 /* the type of a PMU */

#define CACHE_READ(cache, result) \
	((uint64_t)(cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | (uint64_t)(PERF_COUNT_HW_CACHE_RESULT_##result) << 16)

/* A result and the events its rows point to. */
struct setting {
	struct result result;
	struct event events[32];
	size_t n;
};

static void setting_init(struct setting *s)
{
	s->result = (struct result){0};
	s->n = 0;
}

static void setting_free(struct setting *s)
{
	for (size_t i = 0; i < s->n; i++)
		event_free(&s->events[i]);
	result_free(&s->result);
}

static struct row *add(struct setting *s, const char *name, uint32_t type, uint64_t config, uint64_t value)
{
	struct event *event = &s->events[s->n++];
	struct item item = {.name = name, .event = event};
	struct row *row;

	event_init(event, EVENT_ABI);
	event->attr.type = type;
	event->attr.config = config;
	if (type == PERF_TYPE_SOFTWARE && (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK))
		item.unit = "ns";
	else if (type == POWER)
		item.unit = "Joules";
	row = result_add(&s->result, &item);
	row->value = (struct value){.type = VALUE_COUNT, .count = value};
	return row;
}

static struct row *add_hw(struct setting *s, const char *name, uint64_t config, uint64_t value)
{
	return add(s, name, PERF_TYPE_HARDWARE, config, value);
}

static struct row *add_clock(struct setting *s, uint64_t ns)
{
	return add(s, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, ns);
}

static struct perf_event_attr *last_attr(struct setting *s)
{
	return &s->events[s->n - 1].attr;
}

static const struct row *find(const struct setting *s, const char *name)
{
	for (size_t i = 0; i < s->result.n; i++)
		if (s->result.rows[i].item->kind == ITEM_METRIC && strcmp(s->result.rows[i].item->name, name) == 0)
			return &s->result.rows[i];
	return NULL;
}

static size_t count_metrics(const struct setting *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->result.n; i++)
		n += s->result.rows[i].item->kind == ITEM_METRIC;
	return n;
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static bool is_metric(const struct setting *s, const char *name, double value, const char *unit)
{
	const struct row *row = find(s, name);

	return row && near(value_real(row->value), value) && strcmp(row->item->unit, unit) == 0;
}

/* Every ratio perf stat shows, with its denominator. */
static void test_all(void)
{
	struct setting s;

	setting_init(&s);
	s.result.session.elapsed_ns = 4000000000;
	add_clock(&s, 1000000000);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 2000000000);
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 3000000000);
	add_hw(&s, "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 500000000);
	add_hw(&s, "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 600000000);
	add_hw(&s, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000);
	add_hw(&s, "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 10);
	add_hw(&s, "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, 400);
	add_hw(&s, "cache-misses", PERF_COUNT_HW_CACHE_MISSES, 100);
	add(&s, "L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_L1D, ACCESS), 200);
	add(&s, "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_L1D, MISS), 1);
	add(&s, "L1-icache-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_L1I, ACCESS), 200);
	add(&s, "L1-icache-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_L1I, MISS), 2);
	add(&s, "LLC-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_LL, ACCESS), 200);
	add(&s, "LLC-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_LL, MISS), 3);
	add(&s, "dTLB-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_DTLB, ACCESS), 200);
	add(&s, "dTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_DTLB, MISS), 4);
	add(&s, "iTLB-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_ITLB, ACCESS), 200);
	add(&s, "iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_ITLB, MISS), 5);
	add(&s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 77);
	metrics_add(&s.result);
	ok(is_metric(&s, "CPUs utilized", 0.25, "CPUs"), "task-clock / elapsed");
	ok(is_metric(&s, "frequency", 2, "GHz"), "cycles / task-clock");
	ok(is_metric(&s, "insn per cycle", 1.5, ""), "instructions / cycles");
	ok(is_metric(&s, "stalled cycles per insn", 0.2, ""), "the larger kind of stall / instructions");
	ok(is_metric(&s, "frontend cycles idle", 0.25, ""), "frontend / cycles");
	ok(is_metric(&s, "backend cycles idle", 0.3, ""), "backend / cycles");
	ok(is_metric(&s, "branch-misses of all branches", 0.01, ""), "branch-misses / branches");
	ok(is_metric(&s, "cache-misses of all cache refs", 0.25, ""), "cache-misses / cache-references");
	ok(is_metric(&s, "L1-dcache-load-misses of all L1-dcache accesses", 0.005, ""), "L1d");
	ok(is_metric(&s, "L1-icache-load-misses of all L1-icache accesses", 0.01, ""), "L1i");
	ok(is_metric(&s, "LLC-load-misses of all LL-cache accesses", 0.015, ""), "LLC");
	ok(is_metric(&s, "dTLB-load-misses of all dTLB cache accesses", 0.02, ""), "dTLB");
	ok(is_metric(&s, "iTLB-load-misses of all iTLB cache accesses", 0.025, ""), "iTLB");
	ok(is_metric(&s, "page-faults per second", 77, "/s"), "a rate per second of task-clock");
	ok(is_metric(&s, "branches per second", 1000, "/s"), "a denominator gets a rate");
	ok(!find(&s, "branch-misses per second") && !find(&s, "cycles per second"),
	   "an event with a ratio gets no rate");
	is_number(count_metrics(&s), 13 + 8, "thirteen ratios, eight rates, no more");
	ok(find(&s, "insn per cycle")->item->beside == s.result.rows[2].item->event, "shown beside its event");
	ok(find(&s, "stalled cycles per insn")->item->beside == s.result.rows[2].item->event, "both of them");
	ok(find(&s, "insn per cycle")->status == STATUS_EXACT && !find(&s, "insn per cycle")->approximate, "exact");
	setting_free(&s);
}

static void test_modes(void)
{
	struct setting s;

	setting_init(&s);
	add_clock(&s, 1000);
	add_hw(&s, "cycles:u", PERF_COUNT_HW_CPU_CYCLES, 1000);
	last_attr(&s)->exclude_kernel = last_attr(&s)->exclude_hv = 1;
	add_hw(&s, "instructions:k", PERF_COUNT_HW_INSTRUCTIONS, 2000);
	last_attr(&s)->exclude_user = last_attr(&s)->exclude_hv = 1;
	add_hw(&s, "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, 3000);
	last_attr(&s)->exclude_kernel = last_attr(&s)->exclude_hv = 1;
	metrics_add(&s.result);
	ok(is_metric(&s, "insn per cycle:u", 3, ""), "user with user, and the name says so");
	ok(!find(&s, "insn per cycle:k") && !find(&s, "insn per cycle"), "never kernel with user");
	ok(is_metric(&s, "instructions:k per second", 2e9, "/s"), "a rate is the fallback");
	ok(!find(&s, "frequency"), "user cycles make no frequency");
	setting_free(&s);
}

static void test_user_only(void)
{
	struct setting s;

	setting_init(&s);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000)->user_only = true;
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 500);
	metrics_add(&s.result);
	is_number(count_metrics(&s), 0,
		  "an event that lost the kernel on opening is not matched with one that did not");
	setting_free(&s);

	setting_init(&s);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000)->user_only = true;
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 500)->user_only = true;
	metrics_add(&s.result);
	ok(is_metric(&s, "insn per cycle:u", 0.5, ""), "but with an event that also lost it");
	setting_free(&s);
}

static void test_each_mode(void)
{
	struct setting s;

	setting_init(&s);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000);
	add_hw(&s, "instructions:uh", PERF_COUNT_HW_INSTRUCTIONS, 500);
	last_attr(&s)->exclude_kernel = 1;
	add_hw(&s, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1000);
	add_hw(&s, "branch-misses:uk", PERF_COUNT_HW_BRANCH_MISSES, 500);
	last_attr(&s)->exclude_hv = 1;
	add_hw(&s, "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, 1000);
	add_hw(&s, "cache-misses", PERF_COUNT_HW_CACHE_MISSES, 500);
	last_attr(&s)->exclude_host = 1;
	add(&s, "dTLB-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_DTLB, ACCESS), 200);
	add(&s, "dTLB-load-misses:kh", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_DTLB, MISS), 4);
	last_attr(&s)->exclude_user = 1;
	add(&s, "iTLB-loads", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_ITLB, ACCESS), 200);
	add(&s, "iTLB-load-misses:GH", PERF_TYPE_HW_CACHE, CACHE_READ(PERF_COUNT_HW_CACHE_ITLB, MISS), 4);
	last_attr(&s)->exclude_guest = 0;
	metrics_add(&s.result);
	is_number(count_metrics(&s), 0, "each single mode that differs keeps two events apart");
	setting_free(&s);
}

static void test_kinds(void)
{
	struct setting s;

	setting_init(&s);
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 100);
	add_hw(&s, "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 30);
	add_hw(&s, "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 20);
	metrics_add(&s.result);
	ok(is_metric(&s, "stalled cycles per insn", 0.3, ""), "the larger stall may be the front end's");
	setting_free(&s);

	setting_init(&s);
	add_hw(&s, "cpu_core/cycles/", 4ULL << 32 | PERF_COUNT_HW_CPU_CYCLES, 1000);
	add_hw(&s, "cpu_atom/instructions/", 10ULL << 32 | PERF_COUNT_HW_INSTRUCTIONS, 500);
	add_hw(&s, "cpu_core/instructions/", 4ULL << 32 | PERF_COUNT_HW_INSTRUCTIONS, 700);
	metrics_add(&s.result);
	ok(is_metric(&s, "insn per cycle", 0.7, "") && count_metrics(&s) == 1,
	   "an event is matched only with events of its kind of core");
	setting_free(&s);
}

static void test_claims(void)
{
	const struct row *row;
	struct setting s;
	struct row *count;

	setting_init(&s);
	count = add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000);
	count->status = STATUS_SCALED;
	count->group = 1;
	count->error = 30; /* 3% */
	count = add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 2000);
	count->status = STATUS_SCALED;
	count->group = 1;
	count->error = 80; /* 4% */
	metrics_add(&s.result);
	row = find(&s, "insn per cycle");
	ok(row && !row->approximate && row->status == STATUS_SCALED && row->group == 1, "one group: not approximate");
	ok(row && near(row->error, 2 * 0.05), "relative variances add: 3% and 4% are 5%");
	setting_free(&s);

	setting_init(&s);
	count = add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000);
	count->group = 1;
	count = add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 2000);
	count->status = STATUS_SCALED;
	count->group = 2;
	metrics_add(&s.result);
	row = find(&s, "insn per cycle");
	ok(row && row->approximate && *row->reason && row->group == 0, "two groups, one scaled: approximate");
	ok(row && isnan(row->error), "an unknown error stays unknown");
	setting_free(&s);

	setting_init(&s);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000)->group = 1;
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 2000)->group = 2;
	metrics_add(&s.result);
	row = find(&s, "insn per cycle");
	ok(row && !row->approximate && row->status == STATUS_EXACT, "two groups on all the time: exact");
	setting_free(&s);

	setting_init(&s);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1)->group = 1;
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 1000)->group = 2;
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 2000)->group = 2;
	metrics_add(&s.result);
	ok(is_metric(&s, "insn per cycle", 2, ""), "counted twice: the one of the same group");
	setting_free(&s);
}

static void test_none(void)
{
	struct setting s;
	struct row *row;

	setting_init(&s);
	add_clock(&s, 0);
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 0)->status = STATUS_IDLE;
	add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 0)->status = STATUS_IDLE;
	row = add_hw(&s, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 5);
	row->status = STATUS_STARVED;
	add_hw(&s, "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, 5);
	metrics_add(&s.result);
	is_number(count_metrics(&s), 0, "no division by zero or by missing counts");
	setting_free(&s);

	setting_init(&s);
	metrics_add(&s.result);
	is_number(s.result.n, 0, "no rows, no metrics");
	setting_free(&s);

	setting_init(&s);
	add_clock(&s, 10);
	add(&s, "power/energy-pkg/", POWER, 2, 5);
	metrics_add(&s.result);
	is_number(count_metrics(&s), 0, "Joules are not a plain count, and there is no elapsed time");
	setting_free(&s);
}

/* Rows in a shuffled order; each metric must come from its own CPU, interval, run and command. */
static const struct subject *cpu(struct setting *s, const char *id)
{
	return result_subject(&s->result, &(struct subject){.scope = AGGR_CPU, .id = id});
}

static void test_keys(void)
{
	struct row *row;
	struct setting s;

	setting_init(&s);
	s.result.session.elapsed_ns = 1000;
	row = add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 10);
	row->subject = cpu(&s, "0");
	row = add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 60);
	row->subject = cpu(&s, "1");
	row = add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 20);
	row->subject = cpu(&s, "0");
	row = add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 20);
	row->subject = cpu(&s, "1");
	row = add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 7);
	row->run = 2;
	row = add_hw(&s, "instructions", PERF_COUNT_HW_INSTRUCTIONS, 7);
	row->command = 2;
	row = add_clock(&s, 500);
	row->time = 1.5;
	row = add_clock(&s, 300);
	row->time = 2.5;
	row = result_add(&s.result, &(struct item){.name = "duration_time"});
	row->time = 2.5;
	row->value = (struct value){.type = VALUE_COUNT, .count = 600};
	metrics_add(&s.result);
	is_number(count_metrics(&s), 3, "three pairs belong together");
	for (size_t i = 0; i < s.result.n; i++) {
		row = &s.result.rows[i];
		if (row->item->kind != ITEM_METRIC)
			continue;
		if (row->subject->scope == AGGR_CPU && strcmp(row->subject->id, "0") == 0)
			ok(near(row->value.real, 2) && row->item->beside == s.result.rows[2].item->event, "CPU 0");
		else if (row->subject->scope == AGGR_CPU)
			ok(near(row->value.real, 3) && row->item->beside == s.result.rows[1].item->event &&
				   strcmp(row->subject->id, "1") == 0,
			   "CPU 1");
		else
			ok(near(row->value.real, 0.5) && row->time == 2.5, "an interval has only its length");
	}
	setting_free(&s);
}

/* Rows of many processes, as copies of the first row. */
static void add_processes(struct setting *s, pid_t n)
{
	struct row first;

	s->result.session.elapsed_ns = 1000;
	first = *add_clock(s, 500);
	for (pid_t pid = 1; pid < n; pid++) {
		struct row *row = result_add_copy(&s->result, &first);

		row->subject = result_subject(&s->result, &(struct subject){.scope = AGGR_PROCESS, .pid = pid});
	}
}

static void test_many(void)
{
	struct setting s;
	size_t wrong = 0;

	setting_init(&s);
	add_processes(&s, 2000);
	metrics_add(&s.result);
	is_number(count_metrics(&s), 2000, "each of 2,000 processes has a metric");
	for (size_t i = 2000; i < s.result.n; i++)
		wrong += s.result.rows[i].item->kind != ITEM_METRIC ||
			 s.result.rows[i].subject->pid != s.result.rows[i - 2000].subject->pid;
	is_number(wrong, 0, "in the order of their rows");
	setting_free(&s);
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
	uint64_t rows = UINT64_MAX, metrics = UINT64_MAX;

	for (unsigned tries = 0; tries < 5; tries++) {
		uint64_t begin = cpu_ns(), between;
		struct setting s;

		setting_init(&s);
		add_processes(&s, 20000);
		between = cpu_ns();
		metrics_add(&s.result);
		rows = between - begin < rows ? between - begin : rows;
		metrics = cpu_ns() - between < metrics ? cpu_ns() - between : metrics;
		setting_free(&s);
	}
	printf("# %.1f ms, their metrics %.1f ms\n", (double)rows / 1e6, (double)metrics / 1e6);
	ok(metrics < 20 * rows, "the metrics of 20,000 processes cost little more than their rows");
}

/* In an interval of half a second, in which the task was on a CPU for a tenth. */
static void test_rates(void)
{
	struct setting s;

	setting_init(&s);
	add_clock(&s, 100000000)->time = 1.5;
	add(&s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 70)->time = 1.5;
	add_hw(&s, "cycles", PERF_COUNT_HW_CPU_CYCLES, 200000000)->time = 1.5;
	add(&s, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 10)->time = 2.5;
	result_add(&s.result, &(struct item){.name = "duration_time", .unit = "ns"})->time = 1.5;
	s.result.rows[s.result.n - 1].value = (struct value){.type = VALUE_COUNT, .count = 500000000};
	metrics_add(&s.result);
	ok(is_metric(&s, "page-faults per second", 140, "/s"), "a rate of an interval is per second of elapsed time");
	ok(is_metric(&s, "frequency", 2, "GHz"), "the frequency is that of the CPU");
	is_number(count_metrics(&s), 3, "no rate in an interval whose length is unknown");
	setting_free(&s);
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
