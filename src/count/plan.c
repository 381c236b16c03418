#include "count/plan.h"

#include <errno.h>
#include <string.h>

#include "count/packing.h"
#include "lib/util.h"

static bool stands_alone(const struct event *event)
{
	return event->source == EVENT_BREAKPOINT || event->attr.pinned || event->attr.exclusive || event->cpu >= 0 ||
	       event->not_inherited; /* a group is inherited as a whole or not at all */
}

/* ---- groups ---- */

static void group_new_of(struct plan *plan, const struct indices *members)
{
	struct plan_group *g = ARRAY_PUSH(plan->groups, plan->n_groups);

	for (size_t i = 0; i < members->n; i++) {
		*ARRAY_PUSH(g->members, g->n) = members->v[i];
		plan->group_of[members->v[i]] = (int)plan->n_groups - 1;
	}
}

static struct packing packing_for(const struct plan *plan, const struct plan_options *o)
{
	return (struct packing){.list = plan->list, .probe = o->probe, .probe_arg = o->probe_arg};
}

static void pack(struct plan *plan, const struct plan_options *o, const struct indices *members)
{
	struct packing p = packing_for(plan, o);

	packing_make(&p, members);
	for (size_t i = 0; i < p.n_bins; i++)
		group_new_of(plan, &p.bins[i]);
	packing_free(&p);
}

static bool fits(const struct plan *plan, const struct plan_options *o, const struct indices *members)
{
	const struct packing p = packing_for(plan, o);

	return packing_fits(&p, members, NULL);
}

/* ---- groups in braces ---- */

/* The names of the members that are (or are not) in part: "a, b and c". */
static char *names_of(const struct plan *plan, const struct indices *members, const struct indices *part, bool in)
{
	struct strings names = {0};
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < members->n; i++)
		if (indices_have(part, members->v[i]) == in)
			strings_add(&names, "%s", plan->list->events[members->v[i]].name);
	for (size_t i = 0; i < names.n; i++)
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < names.n ? ", " : " and ", names.v[i]);
	fclose(out);
	strings_free(&names);
	return text;
}

static void describe_too_big(struct plan *plan, const struct plan_options *o, const struct indices *members)
{
	const struct packing p = packing_for(plan, o);
	struct indices part = {0};
	auto_free char *fit = NULL, *left = NULL;
	bool one;

	packing_find_part(&p, &part, members);
	one = members->n - part.n == 1;
	fit = names_of(plan, members, &part, true);
	left = names_of(plan, members, &part, false);
	strings_add(&plan->notes,
		    "the group of %zu events that begins with %s is too much for its PMU: %s fit%s together, but %s "
		    "%s not fit beside them; take %s out, or let the group be split: {...}:W",
		    members->n, plan->list->events[members->v[0]].name, fit, part.n == 1 ? "s" : "", left,
		    one ? "does" : "do", one ? "it" : "them");
	free(part.v);
}

static bool is_counted_itself(const struct event *event)
{
	return event->source != EVENT_TOOL && event->parts == 0;
}

static void plan_braces(struct plan *plan, const struct plan_options *o, int braces)
{
	struct indices members = {0};
	bool weak = plan->list->groups[braces].weak, fit;

	for (size_t i = 0; i < plan->list->n; i++)
		if (plan->list->events[i].group == braces && is_counted_itself(&plan->list->events[i]) &&
		    !plan->list->events[i].not_inherited)
			indices_add(&members, i);
	fit = fits(plan, o, &members);
	if (members.n && !fit && weak) {
		pack(plan, o, &members);
	} else if (members.n) {
		group_new_of(plan, &members);
		plan->groups[plan->n_groups - 1].user = true;
		plan->groups[plan->n_groups - 1].weak = weak;
		if (!fit)
			describe_too_big(plan, o, &members);
	}
	free(members.v);
}

/* ---- events outside braces ---- */

/* The events outside braces that are like the i-th, itself included, in order. */
static void collect_like(const struct plan *plan, size_t i, struct indices *members)
{
	const struct event_list *list = plan->list;
	bool hardware = event_is_hardware(&list->events[i]);

	for (size_t k = i; k < list->n; k++) {
		const struct event *event = &list->events[k];

		if (event->group >= 0 || plan->group_of[k] >= 0 || !is_counted_itself(event) || stands_alone(event) ||
		    event_is_hardware(event) != hardware ||
		    (hardware && event_pmu_type(event) != event_pmu_type(&list->events[i])))
			continue;
		indices_add(members, k);
	}
}

static void plan_event(struct plan *plan, const struct plan_options *o, size_t i)
{
	const struct event *event = &plan->list->events[i];
	struct indices members = {0};

	if (!is_counted_itself(event) || plan->group_of[i] >= 0)
		return;
	if (o->no_group || stands_alone(event) || (o->single_software && !event_is_hardware(event))) {
		indices_add(&members, i);
		group_new_of(plan, &members);
	} else {
		collect_like(plan, i, &members);
		pack(plan, o, &members);
	}
	free(members.v);
}

void plan_build(struct plan *plan, const struct event_list *list, const struct plan_options *options)
{
	bool *done = xcalloc(list->n_groups, sizeof(*done));

	*plan = (struct plan){.list = list, .group_of = xcalloc(list->n, sizeof(int))};
	for (size_t i = 0; i < list->n; i++)
		plan->group_of[i] = -1;
	for (size_t i = 0; i < list->n; i++) {
		int braces = list->events[i].group;

		if (braces < 0 || options->no_group)
			plan_event(plan, options, i);
		else if (!done[braces])
			plan_braces(plan, options, braces);
		if (braces >= 0)
			done[braces] = true;
		if (list->events[i].not_inherited)
			plan_event(plan, options, i);
	}
	free(done);
}

/* ---- room ---- */

static int check_pmu(const struct plan *plan, const struct plan_options *o, const struct indices *members,
		     struct error *e)
{
	const struct packing p = packing_for(plan, o);
	struct indices part = {0};
	auto_free char *left = NULL;

	if (packing_fits(&p, members, NULL))
		return 0;
	packing_find_part(&p, &part, members);
	left = names_of(plan, members, &part, false);
	free(part.v);
	error_set(e, EAGAIN, "not all events get on the PMU together: no counter is left for %s", left);
	error_hint(e, "count fewer events at a time, or each group in a run of its own: --no-multiplex");
	return -EAGAIN;
}

int plan_check_room(const struct plan *plan, const struct plan_options *options, struct error *e)
{
	const struct event_list *list = plan->list;
	bool *done = xcalloc(list->n, sizeof(*done));
	int error = 0;

	for (size_t i = 0; i < list->n && error == 0; i++) {
		struct indices members = {0};

		for (size_t k = i; k < list->n; k++) {
			if (done[k] || plan->group_of[k] < 0 || !event_is_hardware(&list->events[k]) ||
			    event_pmu_type(&list->events[k]) != event_pmu_type(&list->events[i]))
				continue;
			done[k] = true;
			indices_add(&members, k);
		}
		if (members.n)
			error = check_pmu(plan, options, &members, e);
		free(members.v);
	}
	free(done);
	return error;
}

/* ---- groups that take turns ---- */

uint64_t rotation_pmu(const struct plan *plan, size_t group)
{
	const struct plan_group *g = &plan->groups[group];

	for (size_t i = 0; i < g->n; i++)
		if (event_is_hardware(&plan->list->events[g->members[i]]))
			return event_pmu_type(&plan->list->events[g->members[i]]);
	return UINT64_MAX;
}

static bool is_pinned(const struct plan *plan, size_t group)
{
	return plan->list->events[plan->groups[group].members[0]].attr.pinned;
}

bool rotation_share(const struct plan *plan, size_t group, size_t other)
{
	if (group == other)
		return true;
	return rotation_pmu(plan, group) == rotation_pmu(plan, other) && rotation_pmu(plan, group) != UINT64_MAX &&
	       !is_pinned(plan, group) && !is_pinned(plan, other);
}

size_t rotation_count(const struct plan *plan, size_t group)
{
	size_t n = 0;

	for (size_t g = 0; g < plan->n_groups; g++)
		n += rotation_share(plan, g, group);
	return n;
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
