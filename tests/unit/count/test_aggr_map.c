/* Rows of cgroups at every place of a made-up machine: two sockets of two dies, SMT, a node for each socket. The rows
 * of a cgroup always add up to its total, and its ratios are computed from its counts. */
#include "count/aggr_map.h"

#include <math.h>
#include <stdlib.h>

#include "lib/util.h"
#include "rows/collect.h"
#include "rows/usual_ratios.h"
#include "scratch.h"
#include "tap.h"

enum { CPUS = 16, CGROUPS = 3, EVENTS = 2, CYCLES = 0, INSTRUCTIONS = 1 };

static char root[] = SCRATCH_TEMPLATE;

static void put_number(int cpu, const char *name, int value)
{
	auto_free char *path = xasprintf("cpu/cpu%d/topology/%s", cpu, name);
	auto_free char *text = xasprintf("%d\n", value);

	scratch_put(root, path, text);
}

static int socket_of(int cpu)
{
	return cpu / 4 % 2;
}

/* Threads are numbered last, as x86 has it: CPUs 0 and 8 are the first core's. */
static void put_machine(void)
{
	scratch_make(root);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		int core = cpu % 4, first = cpu % 8 / 2 * 2;
		auto_free char *node = xasprintf("cpu/cpu%d/node%d/x", cpu, socket_of(cpu));
		auto_free char *level = xasprintf("cpu/cpu%d/cache/index0/level", cpu);
		auto_free char *type = xasprintf("cpu/cpu%d/cache/index0/type", cpu);
		auto_free char *shared = xasprintf("cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
		auto_free char *list = xasprintf("%d-%d,%d-%d\n", first, first + 1, first + 8, first + 9);

		put_number(cpu, "physical_package_id", socket_of(cpu));
		put_number(cpu, "die_id", core / 2);
		put_number(cpu, "cluster_id", core / 2);
		put_number(cpu, "core_id", core);
		scratch_put(root, node, "");
		scratch_put(root, level, "2\n");
		scratch_put(root, type, "Unified\n");
		scratch_put(root, shared, list);
	}
}

/* The counts: slots as system opens them, CPU by CPU; then CPU 3 went and came back. */
struct setting {
	struct cgroup_set set;
	struct slot slots[(CPUS + 1) * CGROUPS];
	struct counts counts;
	struct event events[EVENTS];
	struct event_list list;
	struct plan_group groups[1];
	size_t members[EVENTS];
	int group_of[EVENTS];
	struct plan plan;
};

static struct cgroup cgroups[CGROUPS];

static void setting_init(struct setting *s, bool for_each)
{
	static const uint64_t configs[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS};
	static char names[CGROUPS][8] = {"web", "db", "S0"}; /* the last one is called like a place */

	*s = (struct setting){.set = {.v = cgroups, .n = CGROUPS, .for_each = for_each}};
	for (size_t i = 0; i < CGROUPS; i++)
		cgroups[i] = (struct cgroup){.name = names[i], .path = names[i], .fd = -1};
	for (size_t i = 0; i < EVENTS; i++) {
		event_init(&s->events[i], EVENT_ABI);
		s->events[i].name = xstrdup(i == CYCLES ? "cycles" : "instructions");
		s->events[i].attr.type = PERF_TYPE_HARDWARE;
		s->events[i].attr.config = configs[i];
		s->members[i] = i;
	}
	s->list = (struct event_list){.events = s->events, .n = EVENTS};
	s->groups[0] = (struct plan_group){.members = s->members, .n = EVENTS};
	s->plan = (struct plan){
		.list = &s->list,
		.events = s->events,
		.n_events = EVENTS,
		.n_shown = EVENTS,
		.groups = s->groups,
		.n_groups = 1,
		.group_of = s->group_of,
	};
	counts_init(&s->counts, ARRAY_SIZE(s->slots), EVENTS);
	for (size_t i = 0; i < ARRAY_SIZE(s->slots); i++) {
		int cpu = i < CPUS * CGROUPS ? (int)(i / CGROUPS) : 3;
		uint64_t cycles = 1000 + i * i, cgroup = i % CGROUPS;

		s->slots[i] = (struct slot){.pid = -1, .cpu = cpu, .cgroup = &cgroups[cgroup]};
		*counts_at(&s->counts, i, CYCLES) = (struct count){.open = true, .sample = {cycles, 100, 100}};
		*counts_at(&s->counts, i, INSTRUCTIONS) =
			(struct count){.open = true, .sample = {cycles * (i + 1), 100, 100}};
	}
}

static void setting_free(struct setting *s)
{
	for (size_t i = 0; i < EVENTS; i++)
		event_free(&s->events[i]);
	counts_free(&s->counts);
}

static void make_rows(struct setting *s, enum aggr_mode scope, struct result *result)
{
	const struct collect_context context = {.machine = &(struct advice_machine){0}, .time = NAN};
	const struct cpuset cpus = {.cpus = (int[]){0}, .n = 1};
	struct aggr_map map;
	struct topology t;
	struct error e;

	*result = (struct result){0};
	result->session.plan = &s->plan;
	is_number(topology_open(&t, root, scope, 0, &cpus, &e), 0, aggr_mode_name(scope));
	aggr_map_cpus(&map, &t, &s->set, s->slots, ARRAY_SIZE(s->slots));
	collect_counts(result, &s->plan, &s->counts, &map, &context);
	metrics_add(result);
	aggr_map_free(&map);
	topology_free(&t);
}

/* A count, or the time, of all slots of the cgroup. */
static uint64_t total_of(const struct setting *s, size_t cgroup, size_t event, bool time)
{
	uint64_t sum = 0;

	for (size_t i = cgroup; i < s->counts.n_slots; i += CGROUPS) {
		struct sample sample = counts_at(&s->counts, i, event)->sample;

		sum += time ? sample.enabled : sample.value;
	}
	return sum;
}

static void check_sums(const struct setting *s, const struct result *result, enum aggr_mode scope)
{
	bool counts = scope != AGGR_CPU && scope != AGGR_TOTAL, same_scope = true;

	for (size_t cgroup = 0; cgroup < CGROUPS; cgroup++)
		for (size_t event = 0; event < EVENTS; event++) {
			uint64_t value = 0, enabled = 0, cpus = 0;

			for (size_t i = 0; i < result->n; i++) {
				const struct row *row = &result->rows[i];

				if (row->item->event != &s->events[event] ||
				    strcmp(row->subject->cgroup, cgroups[cgroup].name) != 0)
					continue;
				value += row->value.count;
				enabled += row->raw.enabled;
				cpus += row->scope_count;
				same_scope &= row->subject->scope == (scope == AGGR_TOTAL ? AGGR_CGROUP : scope);
			}
			is_number(value, total_of(s, cgroup, event, false), "the rows add up to the cgroup's count");
			is_number(enabled, total_of(s, cgroup, event, true), "and to its time");
			is_number(cpus, counts ? CPUS : 0, "the CPUs, each once");
		}
	ok(same_scope, "all rows have the requested scope");
}

static bool are_of_same(const struct row *a, const struct row *b)
{
	return strcmp(a->subject->id, b->subject->id) == 0 && strcmp(a->subject->cgroup, b->subject->cgroup) == 0;
}

static const struct row *find_beside(const struct result *result, const struct row *metric)
{
	for (size_t i = 0; i < result->n; i++)
		if (result->rows[i].item->event == metric->item->beside && are_of_same(&result->rows[i], metric))
			return &result->rows[i];
	return NULL;
}

/* insn per cycle: each of the rows beside it, no other CPU's and no other cgroup's. */
static void check_ratios(const struct setting *s, const struct result *result, size_t rows)
{
	size_t ratios = 0, right = 0;

	for (size_t i = 0; i < result->n; i++) {
		const struct row *metric = &result->rows[i], *of;

		if (metric->item->kind != ITEM_METRIC)
			continue;
		ratios++;
		of = find_beside(result, metric);
		for (size_t k = 0; k < result->n; k++) {
			const struct row *cycles = &result->rows[k];

			if (cycles->item->event == &s->events[CYCLES] && are_of_same(metric, cycles))
				right += of &&
					 metric->value.real == (double)of->value.count / (double)cycles->value.count;
		}
	}
	is_number(ratios, rows, "a ratio for each place and cgroup");
	is_number(right, rows, "computed from the counts of the same place and cgroup");
}

static void test_scopes(bool for_each)
{
	static const struct {
		enum aggr_mode scope;
		size_t rows; /* of a cgroup */
	} cases[] = {
		{AGGR_TOTAL, 1}, {AGGR_CPU, 16}, {AGGR_CORE, 8}, {AGGR_CLUSTER, 4},
		{AGGR_CACHE, 4}, {AGGR_DIE, 4},  {AGGR_NODE, 2}, {AGGR_SOCKET, 2},
	};
	struct setting s;

	setting_init(&s, for_each);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t counts = cases[i].rows * CGROUPS * EVENTS;
		struct result result;

		make_rows(&s, cases[i].scope, &result);
		is_number(result.n, counts + cases[i].rows * CGROUPS, "rows and ratios");
		check_sums(&s, &result, cases[i].scope);
		check_ratios(&s, &result, cases[i].rows * CGROUPS);
		result_free(&result);
	}
	setting_free(&s);
}

/* The count rows from the n-th on, as "ID CGROUP EVENT, …". */
static void check_order(struct setting *s, enum aggr_mode scope, size_t from, const char *expected, const char *what)
{
	auto_free char *text = NULL;
	struct result result;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	make_rows(s, scope, &result);
	for (size_t i = from; i < from + 4; i++)
		fprintf(out, "%s%s %s %s", i > from ? ", " : "", result.rows[i].subject->id,
			result.rows[i].subject->cgroup, result.rows[i].item->name);
	fclose(out);
	is_string(text, expected, what);
	result_free(&result);
}

static void test_order(void)
{
	struct setting s;

	setting_init(&s, true);
	check_order(&s, AGGR_CPU, 14, "14 web cycles, 15 web cycles, 0 web instructions, 1 web instructions",
		    "CPUs: by cgroup, event, CPU");
	check_order(&s, AGGR_CPU, 30, "14 web instructions, 15 web instructions, 0 db cycles, 1 db cycles",
		    "one cgroup after the other");
	check_order(&s, AGGR_SOCKET, 2, "S1 web cycles, S1 web instructions, S0 db cycles, S0 db instructions",
		    "others: by cgroup, place, event");
	check_order(&s, AGGR_TOTAL, 2, "db db cycles, db db instructions, S0 S0 cycles, S0 S0 instructions",
		    "a cgroup by itself is a scope");
	setting_free(&s);
}

/* -G web,: the first event is of one cgroup, the second of all tasks; no slot has an event of another. */
static void test_own_events(void)
{
	struct setting s;

	setting_init(&s, false);
	cgroups[1].path = NULL;
	cgroups[1].name[0] = '\0';
	for (size_t i = 0; i < s.counts.n_slots; i++)
		for (size_t event = 0; event < EVENTS; event++)
			if (event != i % CGROUPS)
				*counts_at(&s.counts, i, event) = (struct count){.elsewhere = true};
	check_order(&s, AGGR_CPU, 14, "14 web cycles, 15 web cycles, 0  instructions, 1  instructions",
		    "CPUs: by event, CPU");
	check_order(&s, AGGR_CORE, 0,
		    "S0-D0-C0 web cycles, S0-D0-C0  instructions, S0-D0-C1 web cycles, S0-D0-C1  instructions",
		    "others: by place, event");
	strcpy(cgroups[1].name, "db");
	setting_free(&s);
}

int main(void)
{
	put_machine();
	test_scopes(true);
	test_scopes(false);
	test_order();
	test_own_events();
	scratch_remove(root);
	return tap_done();
}
