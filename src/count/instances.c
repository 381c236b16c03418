#include "count/instances.h"

#include <string.h>

#include "event/instance.h"
#include "lib/util.h"

/* Which group the parts of a group's members are in on a PMU. */
struct place {
	int braces, group;
	char *pmu;
};

struct expansion {
	struct plan *plan;
	struct place *places;
	size_t n_places;
};

/* On the first PMU the user's own, on each other one a new one. */
static int group_on(struct expansion *x, int braces, const char *pmu)
{
	bool first = true;

	for (size_t i = 0; i < x->n_places; i++) {
		if (x->places[i].braces == braces && strcmp(x->places[i].pmu, pmu) == 0)
			return x->places[i].group;
		first &= x->places[i].braces != braces;
	}
	*ARRAY_PUSH(x->places, x->n_places) =
		(struct place){braces, first ? braces : x->plan->next_braces++, xstrdup(pmu)};
	return x->places[x->n_places - 1].group;
}

static void expand_event(struct expansion *x, size_t i)
{
	auto_strings struct strings pmus = {0};
	int braces = x->plan->events[i].group;

	instance_list(&x->plan->events[i], &pmus);
	x->plan->events[i].first_part = x->plan->n_events;
	x->plan->events[i].parts = pmus.n;
	for (size_t k = 0; k < pmus.n; k++) {
		struct event part;

		instance_make(&part, &x->plan->events[i], pmus.v[k]);
		part.parts = 0;
		part.parent = (int)i;
		if (braces >= 0)
			part.group = group_on(x, braces, pmus.v[k]);
		plan_add_event(x->plan, &part);
		event_free(&part);
	}
}

void instances_expand(struct plan *plan)
{
	struct expansion x = {.plan = plan};
	size_t n = plan->n_events;

	for (size_t i = 0; i < n; i++)
		if (plan->events[i].instances)
			expand_event(&x, i);
	plan->n_shown = plan->n_events;
	for (size_t i = 0; i < x.n_places; i++)
		free(x.places[i].pmu);
	free(x.places);
}
