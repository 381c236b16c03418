#include "count/free_counters.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "count/counters.h"
#include "count/hybrid.h"
#include "count/schedulability.h"
#include "event/pmu.h"
#include "lib/descriptors.h"
#include "lib/util.h"

/* More than any PMU has. */
#define MOST_COUNTERS    40
#define MOST_BREAKPOINTS 32

/* In user space only, which every user may count. The first ones are those of free_own_names; the others have no
 * counter of their own. Arm's SW_INCR (0) is there even where a virtual PMU has cycles and nothing else. */
#define TRIED "cycles:u,instructions:u,ref-cycles:u,branches:u,branch-misses:u,cache-references:u,cache-misses:u"
#ifdef __aarch64__
#define TRIED_RAW   ",r0:u"
#define TRIED_RAW_N 1
#else
#define TRIED_RAW   ""
#define TRIED_RAW_N 0
#endif
#define TRIED_N       (7 + TRIED_RAW_N)
#define HAS_NO_OTHERS 2 /* ref-cycles: some PMUs have one counter for it, and no other may count it */

const char *const free_own_names[FREE_OWN] = {"cycles", "instructions", "ref-cycles"};

/* Open events, each in a group of its own. NULL, with the errno: the slot could not be opened. */
static struct counters *open_singly(struct plan *plan, const struct slot *slot, int *error)
{
	const struct counters_options options = {.inherit = false};
	struct counters *c;
	struct error e = {0};

	for (size_t i = 0; i < plan->n_events; i++)
		plan_add_member(plan, plan_add_group(plan), i);
	c = counters_new(plan, &options);
	*error = -counters_open(c, slot, &e);
	if (*error) {
		counters_free(c);
		c = NULL;
	}
	return c;
}

int event_try(const struct event *event, bool on_task, const struct cgroup *cgroup)
{
	const struct slot slot = {.pid = on_task ? 0 : -1, .cpu = on_task ? -1 : sched_getcpu(), .cgroup = cgroup};
	struct plan plan = {.list = NULL};
	struct counters *c;
	int error;

	plan_add_event(&plan, event);
	c = open_singly(&plan, &slot, &error);
	if (c && !counters_get(c, 0, 0)->open)
		error = counters_get(c, 0, 0)->error;
	counters_free(c);
	plan_free(&plan);
	return error;
}

/* ---- the counters of a core PMU ---- */

/* The events that are tried on one PMU; NULL: it does not have them. */
struct tries {
	const struct event *events[TRIED_N];
};

static bool gets_on(const struct event *const *events, size_t n)
{
	return schedulability_probe(NULL, events, n, NULL);
}

/* How many copies of an event get on together. group has room for them. */
static size_t count_copies(const struct event *event, const struct event **group)
{
	size_t n = 0;

	do
		group[n++] = event;
	while (n < MOST_COUNTERS && gets_on(group, n));
	return n < MOST_COUNTERS ? n - 1 : n;
}

/* On the CPU where this task is. The event of which the fewest get on has no counter of its own. */
static void find_set(const struct tries *tries, struct free_set *set)
{
	const struct event *group[MOST_COUNTERS + FREE_OWN];
	const struct event *general = NULL;

	set->any = 0;
	for (size_t i = 0; i < TRIED_N; i++) {
		size_t n;

		if (!tries->events[i] || i == HAS_NO_OTHERS)
			continue;
		n = count_copies(tries->events[i], group);
		if (!general || n < set->any) {
			general = tries->events[i];
			set->any = n;
		}
	}
	for (size_t i = 0; i < set->any; i++)
		group[i] = general;
	for (size_t i = 0, n = set->any; i < FREE_OWN; i++) {
		group[n] = tries->events[i];
		set->own[i] = group[n] && gets_on(group, n + 1);
		n += set->own[i];
	}
}

size_t free_set_sum(const struct free_set *set)
{
	size_t sum = set->any;

	for (size_t i = 0; i < FREE_OWN; i++)
		sum += set->own[i];
	return sum;
}

static bool set_is_same(const struct free_set *a, const struct free_set *b)
{
	return a->any == b->any && memcmp(a->own, b->own, sizeof(a->own)) == 0;
}

static void add_cpu(struct free_pmu *pmu, const struct free_set *set, int cpu)
{
	size_t i = 0;

	while (i < pmu->n && !set_is_same(&pmu->sets[i], set))
		i++;
	if (i == pmu->n)
		*ARRAY_PUSH(pmu->sets, pmu->n) = *set;
	cpuset_add(&pmu->sets[i].cpus, cpu);
}

static int set_compare(const void *a, const void *b)
{
	size_t x = free_set_sum(a), y = free_set_sum(b);

	return (x < y) - (x > y);
}

/* On each CPU that the PMU has, and that this task may run on. cpus NULL: the PMU has all. */
static void find_on_cpus(struct free_pmu *pmu, const struct tries *tries, const char *cpus)
{
	auto_cpuset struct cpuset own = {0};
	cpu_set_t before, one;
	struct error ignored;

	if (sched_getaffinity(0, sizeof(before), &before) < 0 || (cpus && cpuset_parse(&own, cpus, &ignored) < 0))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		struct free_set set = {.any = 0};

		if (!CPU_ISSET((size_t)cpu, &before) || (cpus && !cpuset_has(&own, cpu)))
			continue;
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) < 0)
			continue;
		find_set(tries, &set);
		add_cpu(pmu, &set, cpu);
	}
	sched_setaffinity(0, sizeof(before), &before);
	if (pmu->n)
		qsort(pmu->sets, pmu->n, sizeof(*pmu->sets), set_compare);
}

/* events: TRIED_N, NULL for those that the PMU does not have. */
static void find_pmu(struct free_counters *found, const char *name, const struct tries *candidates)
{
	struct free_pmu *pmu = ARRAY_PUSH(found->v, found->n);
	struct tries tries = {{NULL}};
	const struct event *first = NULL;
	bool any = false;
	struct error e;

	pmu->name = xstrdup(name);
	pmu->error = -descriptors_reserve(MOST_COUNTERS, "finding free counters", "raise the limit: ulimit -n", &e);
	for (size_t i = 0; i < TRIED_N && (i == 0 || pmu->error != EMFILE); i++) {
		int error;

		if (!candidates->events[i])
			continue;
		error = event_try(candidates->events[i], true, NULL);
		tries.events[i] = error ? NULL : candidates->events[i];
		any |= !error;
		if (!first) {
			first = candidates->events[i];
			pmu->error = error;
		}
	}
	if (first)
		event_copy(&pmu->event, first);
	if (any) {
		pmu->error = 0;
		find_on_cpus(pmu, &tries, first->cpus);
	}
}

/* The core PMU of a machine with one kind of core, as the kernel calls it. */
static void find_only_pmu(struct free_counters *found, const struct event_list *list)
{
	auto_strings struct strings pmus = {0};
	struct tries tries;
	size_t i = 0;

	(void)directory_list(SYSFS_ROOT, &pmus);
	while (i < pmus.n && !pmu_is_core(SYSFS_ROOT, pmus.v[i]))
		i++;
	for (size_t k = 0; k < TRIED_N; k++)
		tries.events[k] = &list->events[k];
	find_pmu(found, i < pmus.n ? pmus.v[i] : "cpu", &tries);
}

void free_counters_find(struct free_counters *found)
{
	struct event_list list = {0};
	struct plan plan = {.list = NULL};
	struct error e;
	int cores = 0;

	if (event_list_parse(&list, TRIED TRIED_RAW, &e) < 0 || list.n != TRIED_N)
		return; /* cannot be: they are names of the kernel's */
	plan_init(&plan, &list);
	hybrid_expand(&plan, false);
	for (size_t i = 0; i < plan.n_events; i++)
		if (plan.events[i].core >= cores)
			cores = plan.events[i].core + 1;
	for (int core = 0; core < cores; core++) {
		struct tries tries = {{NULL}};
		const char *name = NULL;

		for (size_t i = list.n; i < plan.n_events; i++)
			if (plan.events[i].core == core && plan.events[i].parent >= 0) {
				tries.events[plan.events[i].parent] = &plan.events[i];
				name = plan.events[i].pmu;
			}
		if (name)
			find_pmu(found, name, &tries);
	}
	if (!cores)
		find_only_pmu(found, &list);
	plan_free(&plan);
	event_list_free(&list);
}

void free_counters_free(struct free_counters *found)
{
	for (size_t i = 0; i < found->n; i++) {
		for (size_t k = 0; k < found->v[i].n; k++)
			cpuset_free(&found->v[i].sets[k].cpus);
		free(found->v[i].sets);
		free(found->v[i].name);
		event_free(&found->v[i].event);
	}
	free(found->v);
	*found = (struct free_counters){0};
}

/* ---- breakpoints ---- */

size_t free_breakpoints(struct event *first, int *error)
{
	static const uint64_t cells[MOST_BREAKPOINTS];
	struct event_list list = {0};
	struct plan plan = {.list = NULL};
	struct counters *c;
	struct error e;
	size_t n = 0;

	for (size_t i = 0; i < MOST_BREAKPOINTS; i++) {
		auto_free char *name = xasprintf("mem:%p/8:w:u", (const void *)&cells[i]);

		(void)event_list_parse(&list, name, &e);
	}
	for (size_t i = 0; i < list.n; i++)
		plan_add_event(&plan, &list.events[i]);
	event_copy(first, &list.events[0]);
	c = open_singly(&plan, &(struct slot){.pid = 0, .cpu = -1}, error);
	for (size_t i = 0; c && i < list.n; i++)
		n += counters_get(c, 0, i)->open;
	if (c)
		*error = counters_get(c, 0, 0)->error;
	counters_free(c);
	plan_free(&plan);
	event_list_free(&list);
	return n;
}
