#include "plan.h"

#include <string.h>

#include "util.h"

bool plan_is_hardware(const struct event *event)
{
	switch (event->source) {
	case EVENT_TOOL:
	case EVENT_TRACEPOINT:
	case EVENT_BREAKPOINT:
	case EVENT_PROBE:
		return false;
	default:
		return event->attr.type != PERF_TYPE_SOFTWARE && event->attr.type != PERF_TYPE_TRACEPOINT &&
		       event->attr.type != PERF_TYPE_BREAKPOINT;
	}
}

/* The PMU an event counts on, as one number: the core PMU has three types in the kernel's interface. */
static uint64_t pmu_of(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) {
		uint64_t pmu = attr->config >> PERF_PMU_TYPE_SHIFT; /* hybrid machines: which core PMU */

		return pmu ? pmu : PERF_TYPE_RAW;
	}
	return attr->type;
}

static bool stands_alone(const struct event *event)
{
	return event->source == EVENT_BREAKPOINT || event->attr.pinned || event->attr.exclusive || event->cpu >= 0;
}

/* Counts that are divided by one another: the events of one row are wanted in one group. */
static bool are_partners(const struct event *a, const struct event *b)
{
	static const uint64_t families[][4] = {
		{PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
		{PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_MISSES,
		 PERF_COUNT_HW_BRANCH_MISSES},
		{PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_CACHE_MISSES,
		 PERF_COUNT_HW_CACHE_MISSES},
	};

	if (a->attr.type != b->attr.type || pmu_of(a) != pmu_of(b))
		return false;
	if (a->attr.type == PERF_TYPE_HW_CACHE) /* the same cache and operation: accesses and misses */
		return (a->attr.config & 0xffff) == (b->attr.config & 0xffff);
	if (a->attr.type != PERF_TYPE_HARDWARE)
		return false;
	for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
		bool has_a = false, has_b = false;

		for (size_t i = 0; i < ARRAY_SIZE(families[f]); i++) {
			has_a |= families[f][i] == (a->attr.config & UINT32_MAX);
			has_b |= families[f][i] == (b->attr.config & UINT32_MAX);
		}
		if (has_a && has_b)
			return true;
	}
	return false;
}

/* ---- groups ---- */

static void group_add(struct plan *plan, struct plan_group *g, size_t event)
{
	*ARRAY_PUSH(g->members, g->n) = event;
	plan->group_of[event] = (int)(g - plan->groups);
}

static struct plan_group *group_new(struct plan *plan)
{
	return ARRAY_PUSH(plan->groups, plan->n_groups);
}

static bool events_fit(const struct plan *plan, const struct plan_options *o, const size_t *members, size_t n)
{
	const struct event **events;
	bool fit;

	if (!o->probe || n < 2)
		return true;
	events = xcalloc(n, sizeof(*events));
	for (size_t i = 0; i < n; i++)
		events[i] = &plan->list->events[members[i]];
	fit = o->probe(o->probe_arg, events, n);
	free(events);
	return fit;
}

static bool group_takes(const struct plan *plan, const struct plan_options *o, const struct plan_group *g,
			const size_t *unit, size_t n)
{
	size_t *members = xcalloc(g->n + n, sizeof(*members));
	bool fit;

	memcpy(members, g->members, g->n * sizeof(*members));
	memcpy(members + g->n, unit, n * sizeof(*members));
	fit = events_fit(plan, o, members, g->n + n);
	free(members);
	return fit;
}

/* Put a unit (events wanted together) into the first of the groups from `first` on that takes it, or a new one. */
static void unit_place(struct plan *plan, const struct plan_options *o, size_t first, const size_t *unit, size_t n)
{
	struct plan_group *g = NULL;

	for (size_t i = first; i < plan->n_groups && !g; i++)
		if (group_takes(plan, o, &plan->groups[i], unit, n))
			g = &plan->groups[i];
	if (!g && n > 1 && !events_fit(plan, o, unit, n)) { /* too big for any group: one by one */
		for (size_t i = 0; i < n; i++)
			unit_place(plan, o, first, &unit[i], 1);
		return;
	}
	if (!g)
		g = group_new(plan);
	for (size_t i = 0; i < n; i++)
		group_add(plan, g, unit[i]);
}

/* As few groups as the PMU schedules: all in one if that fits, else first fit, partners first. */
static void pack(struct plan *plan, const struct plan_options *o, const size_t *members, size_t n)
{
	size_t first = plan->n_groups;
	size_t *unit = xcalloc(n, sizeof(*unit));
	bool whole = events_fit(plan, o, members, n);

	if (whole)
		unit_place(plan, o, first, members, n);
	for (size_t i = 0; i < n && !whole; i++) {
		size_t in_unit = 0;

		if (plan->group_of[members[i]] >= 0)
			continue;
		unit[in_unit++] = members[i];
		for (size_t k = i + 1; k < n; k++)
			if (plan->group_of[members[k]] < 0 &&
			    are_partners(&plan->list->events[members[i]], &plan->list->events[members[k]]))
				unit[in_unit++] = members[k];
		unit_place(plan, o, first, unit, in_unit);
	}
	free(unit);
}

/* ---- the parts of the list ---- */

static void describe_too_big(struct plan *plan, const struct plan_options *o, const struct plan_group *g)
{
	size_t fits = g->n - 1;

	while (fits > 1 && !events_fit(plan, o, g->members, fits))
		fits--;
	strings_add(&plan->notes,
		    "the group of %zu events that begins with '%s' never gets on the PMU: its first %zu fit together, "
		    "'%s' does not; take it out, or let the group be split with {...}:W",
		    g->n, plan->list->events[g->members[0]].name, fits, plan->list->events[g->members[fits]].name);
}

static bool is_all_software(const struct plan *plan, const struct plan_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (plan_is_hardware(&plan->list->events[g->members[i]]))
			return false;
	return true;
}

static void plan_braces(struct plan *plan, const struct plan_options *o, const struct event_group *braces)
{
	struct plan_group *g = group_new(plan);

	g->user = true;
	g->weak = braces->weak;
	for (size_t i = braces->first; i < braces->first + braces->n; i++)
		if (plan->list->events[i].source != EVENT_TOOL)
			group_add(plan, g, i);
	if (g->n == 0) {
		plan->n_groups--;
	} else if (!is_all_software(plan, g) && !events_fit(plan, o, g->members, g->n)) {
		if (g->weak) {
			size_t n = g->n;
			size_t *members = g->members;

			for (size_t i = 0; i < n; i++)
				plan->group_of[members[i]] = -1;
			plan->n_groups--;
			pack(plan, o, members, n);
			free(members);
		} else {
			describe_too_big(plan, o, g);
		}
	}
}

/* The events outside braces that are like the i-th, itself included, in order. */
static size_t collect_like(const struct plan *plan, size_t i, size_t *members)
{
	const struct event_list *list = plan->list;
	bool hardware = plan_is_hardware(&list->events[i]);
	size_t n = 0;

	for (size_t k = i; k < list->n; k++) {
		const struct event *event = &list->events[k];

		if (event->group >= 0 || plan->group_of[k] >= 0 || event->source == EVENT_TOOL || stands_alone(event) ||
		    plan_is_hardware(event) != hardware || (hardware && pmu_of(event) != pmu_of(&list->events[i])))
			continue;
		members[n++] = k;
	}
	return n;
}

static void plan_event(struct plan *plan, const struct plan_options *o, size_t i)
{
	const struct event *event = &plan->list->events[i];
	size_t *members;
	size_t n;

	if (event->source == EVENT_TOOL || plan->group_of[i] >= 0)
		return;
	if (o->no_group || stands_alone(event) || (o->single_software && !plan_is_hardware(event))) {
		group_add(plan, group_new(plan), i);
		return;
	}
	members = xcalloc(plan->list->n, sizeof(*members));
	n = collect_like(plan, i, members);
	if (plan_is_hardware(event)) {
		pack(plan, o, members, n);
	} else {
		struct plan_group *g = group_new(plan);

		for (size_t k = 0; k < n; k++)
			group_add(plan, g, members[k]);
	}
	free(members);
}

void plan_build(struct plan *plan, const struct event_list *list, const struct plan_options *options)
{
	*plan = (struct plan){.list = list, .group_of = xcalloc(list->n, sizeof(int))};
	for (size_t i = 0; i < list->n; i++)
		plan->group_of[i] = -1;
	for (size_t i = 0; i < list->n; i++) {
		int braces = list->events[i].group;

		if (braces < 0 || options->no_group)
			plan_event(plan, options, i);
		else if (list->groups[braces].first == i)
			plan_braces(plan, options, &list->groups[braces]);
	}
}

void plan_free(struct plan *plan)
{
	for (size_t g = 0; g < plan->n_groups; g++)
		free(plan->groups[g].members);
	free(plan->groups);
	free(plan->group_of);
	strings_free(&plan->notes);
	*plan = (struct plan){0};
}
