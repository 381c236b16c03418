#include "plan/instances.h"

#include <string.h>

#include "lib/cpuset.h"
#include "lib/util.h"
#include "pmu/pmu_kind.h"
#include "resolve/resolve.h"

struct expansion {
	struct plan *plan;
	struct places places;
};

int places_group(struct places *places, struct plan *plan, int braces, const char *pmu)
{
	bool first = true;

	for (size_t i = 0; i < places->n; i++) {
		if (places->v[i].braces == braces && strcmp(places->v[i].pmu, pmu) == 0)
			return places->v[i].group;
		first &= places->v[i].braces != braces;
	}
	*ARRAY_PUSH(places->v, places->n) =
		(struct group_place){braces, first ? braces : plan->next_braces++, xstrdup(pmu)};
	return places->v[places->n - 1].group;
}

void places_free(struct places *places)
{
	for (size_t i = 0; i < places->n; i++)
		free(places->v[i].pmu);
	free(places->v);
}

/* where: the PMU or the CPU. */
static void add_part(struct expansion *x, size_t i, struct event *part, const char *where)
{
	struct event *event = &x->plan->events[i];

	if (event->parts++ == 0)
		event->first_part = x->plan->n_events;
	part->parts = 0;
	part->parent = (int)i;
	if (event->group >= 0)
		part->group = places_group(&x->places, x->plan, event->group, where);
	plan_add_event(x->plan, part);
	event_free(part);
}

/* Keeps the chosen PMU if it is one of the event's. */
static void choose_pmu(struct event *event, const char *only)
{
	auto_strings struct strings pmus = {0};

	instance_list(event, &pmus);
	for (size_t i = 0; i < pmus.n && only; i++) {
		if (strcmp(pmus.v[i], only) != 0)
			continue;
		free(event->instances);
		event->instances = xstrdup(only);
	}
}

static void expand_to_pmus(struct expansion *x, size_t i)
{
	auto_strings struct strings pmus = {0};

	choose_pmu(&x->plan->events[i], x->plan->only_pmu);
	instance_list(&x->plan->events[i], &pmus);
	for (size_t k = 0; k < pmus.n; k++) {
		struct event part;

		resolve_instance(&part, &x->plan->events[i], pmus.v[k]);
		add_part(x, i, &part, pmus.v[k]);
	}
}

/* A task's event is opened on one CPU or on all. */
static void bind_to_cpus(struct expansion *x, size_t i)
{
	auto_cpuset struct cpuset cpus = {0};
	auto_strings struct strings names = {0};
	struct error ignored;

	cpuset_parse(&cpus, x->plan->events[i].only_cpus, &ignored);
	if (cpus.n == 1)
		x->plan->events[i].cpu = cpus.cpus[0];
	for (size_t k = 0; k < cpus.n && cpus.n > 1; k++) {
		struct event part;

		strings_add(&names, "CPU %d", cpus.cpus[k]);
		instance_of_cpu(&part, &x->plan->events[i], cpus.cpus[k]);
		add_part(x, i, &part, names.v[k]);
	}
	x->plan->events[i].instances = strings_join(&names, ",");
}

void instances_expand(struct plan *plan, bool on_task)
{
	struct expansion x = {.plan = plan};
	size_t n = plan->n_events;

	for (size_t i = 0; i < n; i++)
		if (plan->events[i].instances)
			expand_to_pmus(&x, i);
		else if (plan->events[i].only_cpus && on_task)
			bind_to_cpus(&x, i);
	plan->n_shown = plan->n_events;
	places_free(&x.places);
}
