#include "plan/hybrid.h"

#include <string.h>

#include "lib/cpuset.h"
#include "lib/util.h"
#include "plan/instances.h"
#include "pmu/pmu.h"

/* The names of the generic events on arm64 PMUs. Kernels before 6.6 open these on only one of the PMUs, whichever is
 * requested (arch/arm64/kernel/perf_event.c, armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map). */
static const struct own_name {
	uint32_t type;
	uint64_t config;
	const char *names[2];
} own_names[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, {"cpu_cycles"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, {"inst_retired"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, {"l1d_cache"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, {"l1d_cache_refill"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, {"br_retired", "pc_write_retired"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, {"br_mis_pred"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, {"bus_cycles"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, {"stall_frontend"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, {"stall_backend"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, {"l1d_cache"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"l1d_cache_refill"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1I, {"l1i_cache"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1I | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"l1i_cache_refill"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL, {"ll_cache_rd"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"ll_cache_miss_rd"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB, {"l1d_tlb"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"l1d_tlb_refill"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_ITLB, {"l1i_tlb"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"l1i_tlb_refill"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU, {"br_pred"}},
	{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_BPU | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, {"br_mis_pred"}},
};

/* The state of hybrid_expand. */
struct expansion {
	struct plan *plan;
	struct core_pmus pmus;
	struct places places;
	bool *used; /* for each core PMU */
};

static bool is_generic(const struct event *event)
{
	return (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) &&
	       event->attr.config >> PERF_PMU_TYPE_SHIFT == 0;
}

/* True for an event of a core PMU that does not name the PMU. */
static bool names_no_pmu(const struct event *event)
{
	switch (event->source) {
	case EVENT_ABI:
		return is_generic(event);
	case EVENT_RAW:
		return true;
	case EVENT_PFM:
		return event->cpus && !event->instances && !strstr(event->name, "::");
	case EVENT_SYSFS:
	case EVENT_VENDOR:
		return event->any_core;
	default:
		return false;
	}
}

static bool may_be_of_core(const struct event *event)
{
	return names_no_pmu(event) || event->cpus || event->attr.type == PERF_TYPE_RAW ||
	       ((event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) &&
		!is_generic(event));
}

static int core_of(const struct expansion *x, const struct event *event)
{
	for (size_t core = 0; core < x->pmus.n; core++)
		if (x->pmus.v[core].type == event_pmu_type(event))
			return (int)core;
	return -1;
}

/* ---- one part ---- */

/* Gives the part the encoding of this name. Returns false if the PMU has no such event. */
static bool part_encode(struct event *part, const char *name, struct vendor_events *vendor)
{
	struct event_list found = {.vendor = vendor};
	struct error ignored;
	bool good = event_list_parse(&found, name, &ignored) == 0 && found.n == 1;

	if (good) {
		const struct perf_event_attr *attr = &found.events[0].attr;

		part->attr.type = attr->type;
		part->attr.config = attr->config;
		part->attr.config1 = attr->config1;
		part->attr.config2 = attr->config2;
	}
	event_list_free(&found);
	return good;
}

/* Finds the PMU's encoding of the event, for kernels that refuse the generic one. */
static void part_find_own(struct event *part, const struct core_pmu *pmu)
{
	uint64_t config = part->attr.config & UINT32_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(own_names); i++)
		for (size_t k = 0; k < ARRAY_SIZE(own_names[i].names) && own_names[i].names[k]; k++) {
			auto_free char *name = xasprintf("%s/%s/", pmu->name, own_names[i].names[k]);
			struct event own = {0};

			if (part->has_own || own_names[i].type != part->attr.type || own_names[i].config != config ||
			    !part_encode(&own, name, NULL))
				continue;
			part->has_own = true;
			part->own_type = own.attr.type;
			part->own_config = own.attr.config;
		}
}

/* Returns the name as a user would write it; modifiers: with those of the event. */
static char *part_name(const struct event *event, const struct core_pmu *pmu, bool modifiers)
{
	size_t n = strcspn(event->name, ":");
	const char *tail = event->name[n] ? event->name + n + 1 : "";
	const char *pfm = corepmu_pfm_name(pmu->name);

	if (event->source == EVENT_VENDOR) /* its full name has all terms: cpu_core/EVENT,cmask=0x1/ */
		return xasprintf("%s%s%s", pmu->name, strchr(event->full_name, '/'), modifiers ? tail : "");
	if (event->source == EVENT_PFM)
		return pfm ? xasprintf("%s::%s", pfm, event->name) : NULL;
	return xasprintf("%s/%.*s/%s", pmu->name, (int)n, event->name, modifiers ? tail : "");
}

/* Returns false if the PMU has no such event. */
static bool part_make(struct event *part, const struct event *event, const struct core_pmu *pmu,
		      struct vendor_events *vendor)
{
	auto_free char *name = part_name(event, pmu, false);
	bool good = true;

	event_copy(part, event);
	part->parts = 0;
	if (is_generic(event)) {
		part->attr.config |= (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
		part_find_own(part, pmu);
	} else if (event->source == EVENT_RAW) {
		part->attr.type = pmu->type;
	} else if (event->attr.type != pmu->type) {
		good = name && part_encode(part, name, vendor) && part->attr.type == pmu->type;
	}
	if (!good) {
		event_free(part);
		return false;
	}
	free(part->name);
	free(part->full_name);
	free(part->pmu);
	free(part->cpus);
	part->name = part_name(event, pmu, true);
	if (!part->name)
		part->name = xstrdup(event->name);
	part->full_name = xstrdup(part->name);
	part->pmu = xstrdup(pmu->name);
	part->cpus = xstrdup(pmu->cpus);
	return true;
}

/* ---- all events ---- */

static void assign_core(struct expansion *x, struct event *event, int core)
{
	event->core = core;
	x->used[core] = true;
	if (event->group >= 0)
		event->group = places_group(&x->places, x->plan, event->group, x->pmus.v[core].name);
}

/* Returns the CPUs of a core PMU on which the event is counted, as a cpulist that the caller frees; "" if there are
 * none. */
static char *cpus_on_pmu(const struct event *event, const struct core_pmu *pmu)
{
	auto_cpuset struct cpuset own = {0}, only = {0}, both = {0};
	struct error ignored;

	cpuset_parse(&own, pmu->cpus, &ignored);
	if (event->cpu >= 0)
		cpuset_add(&only, event->cpu);
	else if (event->only_cpus)
		cpuset_parse(&only, event->only_cpus, &ignored);
	else
		return xstrdup(pmu->cpus);
	for (size_t i = 0; i < only.n; i++)
		if (cpuset_has(&own, only.cpus[i]))
			cpuset_add(&both, only.cpus[i]);
	return cpuset_text(&both);
}

/* An event of one CPU belongs to the PMU of that CPU. */
static void assign_pmu_of_cpu(struct expansion *x, size_t i)
{
	struct event *event = &x->plan->events[i], part;

	for (size_t core = 0; core < x->pmus.n; core++) {
		auto_free char *cpus = cpus_on_pmu(event, &x->pmus.v[core]);

		if (!*cpus || !part_make(&part, event, &x->pmus.v[core], x->plan->list->vendor))
			continue;
		free(part.name);
		part.name = xstrdup(event->name);
		assign_core(x, &part, (int)core);
		event_free(event);
		*event = part;
		return;
	}
}

/* True if another of the core PMUs was chosen. */
static bool is_left_out(const struct expansion *x, size_t core)
{
	const char *only = x->plan->only_pmu;

	for (size_t i = 0; i < x->pmus.n && only; i++)
		if (strcmp(x->pmus.v[i].name, only) == 0)
			return i != core;
	return false;
}

static void expand_to_cores(struct expansion *x, size_t i)
{
	x->plan->events[i].first_part = x->plan->n_events;
	for (size_t core = 0; core < x->pmus.n; core++) {
		auto_free char *cpus = cpus_on_pmu(&x->plan->events[i], &x->pmus.v[core]);
		struct event part;

		if (!*cpus || is_left_out(x, core))
			continue;
		if (!part_make(&part, &x->plan->events[i], &x->pmus.v[core], x->plan->list->vendor)) {
			strings_add(&x->plan->notes, "%s is not counted on %s, which has no such event",
				    x->plan->events[i].name, x->pmus.v[core].name);
			continue;
		}
		free(part.only_cpus);
		part.only_cpus = x->plan->events[i].only_cpus ? xstrdup(cpus) : NULL;
		part.parent = (int)i;
		assign_core(x, &part, (int)core);
		x->plan->events[i].parts++;
		plan_add_event(x->plan, &part);
		event_free(&part);
	}
}

/* In a group of a core PMU, a software event would not count while the task is on other cores. */
static void free_software(struct expansion *x)
{
	for (size_t i = 0; i < x->plan->n_events; i++) {
		struct event *event = &x->plan->events[i];

		for (size_t p = 0; p < x->places.n && !event_is_hardware(event); p++)
			if (x->places.v[p].braces == event->group)
				event->group = -1;
	}
}

static void add_core_clock(struct expansion *x, int core, int cpu)
{
	struct event event;

	event_init(&event, EVENT_ABI);
	event.name = xasprintf("%s on CPU %d", x->pmus.v[core].name, cpu);
	event.full_name = xstrdup("dummy");
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = PERF_COUNT_SW_DUMMY;
	event.pmu = xstrdup("software");
	event.attr.exclude_kernel = event.attr.exclude_hv = event.modes_given = true;
	event.core_clock = true;
	event.core = core;
	event.cpu = cpu;
	plan_add_event(x->plan, &event);
	event_free(&event);
}

static void add_core_clocks(struct expansion *x)
{
	for (size_t core = 0; core < x->pmus.n; core++) {
		auto_cpuset struct cpuset cpus = {0};
		struct error ignored;

		if (x->used[core] && cpuset_parse(&cpus, x->pmus.v[core].cpus, &ignored) == 0)
			for (size_t i = 0; i < cpus.n; i++)
				add_core_clock(x, (int)core, cpus.cpus[i]);
	}
}

static void expand_events(struct expansion *x, bool on_task)
{
	size_t n = x->plan->n_events;

	x->used = xcalloc(x->pmus.n, sizeof(*x->used));
	for (size_t i = 0; i < n; i++) {
		struct event *event = &x->plan->events[i];

		if (event->parts)
			continue;
		if (names_no_pmu(event) && event->cpu >= 0)
			assign_pmu_of_cpu(x, i);
		else if (names_no_pmu(event))
			expand_to_cores(x, i);
		else if (may_be_of_core(event) && core_of(x, event) >= 0) {
			part_find_own(event, &x->pmus.v[core_of(x, event)]);
			assign_core(x, event, core_of(x, event));
		}
	}
	x->plan->n_shown = x->plan->n_events;
	free_software(x);
	if (on_task)
		add_core_clocks(x);
	places_free(&x->places);
	free(x->used);
}

void hybrid_expand(struct plan *plan, bool on_task)
{
	struct expansion x = {.plan = plan};
	bool wanted = false;

	for (size_t i = 0; i < plan->n_events && !wanted; i++)
		wanted = may_be_of_core(&plan->events[i]);
	if (!wanted)
		return;
	core_pmus_read(&x.pmus);
	if (x.pmus.n > 1)
		expand_events(&x, on_task);
	core_pmus_free(&x.pmus);
}
