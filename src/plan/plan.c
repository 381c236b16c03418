#include "plan/plan.h"

#include <errno.h>
#include <string.h>

#include "event/simulated.h"
#include "host/environment.h"
#include "lib/util.h"
#include "plan/packing.h"
#include "plan/rotation.h"

static bool stands_alone(const struct event *event)
{
	return event->source == EVENT_BREAKPOINT || event->attr.pinned || event->attr.exclusive || event->cpu >= 0 ||
	       event->not_inherited; /* a group is inherited as a whole or not at all */
}

static bool is_counted_itself(const struct event *event)
{
	return event_is_opened(event) && event->parts == 0;
}

/* ---- sets of events ---- */

void indices_add(struct indices *set, size_t i)
{
	*ARRAY_PUSH(set->v, set->n) = i;
}

void indices_free(struct indices *sets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(sets[i].v);
	free(sets);
}

bool indices_have(const struct indices *set, size_t i)
{
	for (size_t k = 0; k < set->n; k++)
		if (set->v[k] == i)
			return true;
	return false;
}

/* ---- groups ---- */

size_t plan_add_event(struct plan *plan, const struct event *event)
{
	size_t at = plan->n_events;

	plan->group_of = xreallocarray(plan->group_of, at + 1, sizeof(*plan->group_of));
	plan->group_of[at] = -1;
	plan->at_once = xreallocarray(plan->at_once, at + 1, sizeof(*plan->at_once));
	plan->at_once[at] = false;
	plan->left_out = xreallocarray(plan->left_out, at + 1, sizeof(*plan->left_out));
	plan->left_out[at] = false;
	event_copy(ARRAY_PUSH(plan->events, plan->n_events), event);
	return at;
}

bool plan_is_simulated(const struct plan *plan)
{
	return simulated_first(plan->events, plan->n_events);
}

bool plan_has_pinned(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].attr.pinned && event_is_hardware(&plan->events[i]))
			return true;
	return false;
}

void plan_init(struct plan *plan, const struct event_list *list)
{
	*plan = (struct plan){.list = list, .next_braces = (int)list->n_groups};
	for (size_t i = 0; i < list->n; i++)
		plan_add_event(plan, &list->events[i]);
	plan->n_shown = plan->n_events;
}

void plan_want_together(struct plan *plan, struct indices set)
{
	*ARRAY_PUSH(plan->together, plan->n_together) = set;
}

struct plan_group *plan_add_group(struct plan *plan)
{
	return ARRAY_PUSH(plan->groups, plan->n_groups);
}

void plan_add_member(struct plan *plan, struct plan_group *group, size_t event)
{
	*ARRAY_PUSH(group->members, group->n) = event;
	plan->group_of[event] = (int)(group - plan->groups);
}

static void group_new_of(struct plan *plan, const struct indices *members)
{
	struct plan_group *g = plan_add_group(plan);

	for (size_t i = 0; i < members->n; i++)
		plan_add_member(plan, g, members->v[i]);
}

#define SOFTWARE_GROUP_MOST 128

/* Software events always fit together. At each opening the kernel checks every member of the group, and it refuses
 * groups whose read is larger than 16 kB (perf_event_validate_size), so that a group is not made too large. */
static void group_software(struct plan *plan, const struct indices *members)
{
	for (size_t i = 0; i < members->n; i++) {
		struct plan_group *g =
			i % SOFTWARE_GROUP_MOST ? &plan->groups[plan->n_groups - 1] : plan_add_group(plan);

		plan_add_member(plan, g, members->v[i]);
	}
}

static void pack(struct plan *plan, const struct plan_options *o, const struct indices *members)
{
	struct packing p = {.plan = plan, .options = o, .at_once = plan->at_once};

	packing_make(&p, members);
	for (size_t i = 0; i < p.n_bins; i++)
		group_new_of(plan, &p.bins[i]);
	packing_free(&p);
}

/* ---- groups in braces ---- */

/* Returns the names of the members that are (or are not) in kept: "a, b and c". */
static char *names_of(const struct plan *plan, const struct indices *members, const struct indices *kept, bool in)
{
	struct strings names = {0};
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	for (size_t i = 0; i < members->n; i++)
		if (indices_have(kept, members->v[i]) == in)
			strings_add(&names, "%s", plan->events[members->v[i]].name);
	for (size_t i = 0; i < names.n; i++)
		fprintf(out, "%s%s", i == 0 ? "" : i + 1 < names.n ? ", " : " and ", names.v[i]);
	fclose(out);
	strings_free(&names);
	return text;
}

static void describe_too_big(struct plan *plan, const struct indices *members, const struct indices *kept)
{
	auto_free char *fit = names_of(plan, members, kept, true), *left = names_of(plan, members, kept, false);
	bool one = members->n - kept->n == 1, fits_one = kept->n == 1;

	strings_add(&plan->too_big,
		    "the group of %zu events that begins with %s is too large for its PMU: %s fit%s, but %s %s not fit "
		    "with %s; fix: remove %s, or allow the group to be split: {...}:W",
		    members->n, plan->events[members->v[0]].name, fit, fits_one ? "s" : " together", left,
		    one ? "does" : "do", fits_one ? "it" : "them", one ? "it" : "them");
}

/* Adds a group of all members, or of the part that fits. If no member fits, others hold all counters: the group is not
 * too large, and stays whole. */
static void plan_one_group(struct plan *plan, const struct plan_options *o, const struct indices *members)
{
	struct packing p = {.plan = plan, .options = o, .at_once = plan->at_once};
	bool fit = packing_fits(&p, members, NULL);
	struct indices found = {0};
	const struct indices *kept;

	p.ask_of_single = true; /* possibly none fits */
	if (!fit)
		packing_find_largest(&p, &found, members);
	kept = found.n ? &found : members;
	group_new_of(plan, kept);
	if (kept->n < members->n && !plan->events[members->v[0]].by_default)
		describe_too_big(plan, members, kept);
	for (size_t i = 0; i < members->n; i++)
		if (!indices_have(kept, members->v[i])) {
			plan->group_of[members->v[i]] = (int)plan->n_groups - 1;
			plan->left_out[members->v[i]] = true;
		}
	free(found.v);
}

static void plan_braces(struct plan *plan, const struct plan_options *o, int braces)
{
	struct indices members = {0};
	bool weak = false;
	size_t first;

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct event *event = &plan->events[i];

		if (event->group != braces || !is_counted_itself(event) || event->not_inherited)
			continue;
		weak = event->weak; /* as for all members */
		indices_add(&members, i);
	}
	first = plan->n_groups;
	if (weak)
		pack(plan, o, &members);
	else if (members.n)
		plan_one_group(plan, o, &members);
	if (plan->n_groups == first + 1) { /* not split */
		plan->groups[first].user = true;
		plan->groups[first].weak = weak;
	}
	free(members.v);
}

/* ---- events outside braces ---- */

/* Collects the events outside braces that are like the i-th, including itself, in order. */
static void collect_like(const struct plan *plan, size_t i, struct indices *members)
{
	bool hardware = event_is_hardware(&plan->events[i]);

	for (size_t k = i; k < plan->n_events; k++) {
		const struct event *event = &plan->events[k];

		if (event->group >= 0 || plan->group_of[k] >= 0 || !is_counted_itself(event) || stands_alone(event) ||
		    event_is_hardware(event) != hardware ||
		    (hardware && event_pmu_type(event) != event_pmu_type(&plan->events[i])))
			continue;
		indices_add(members, k);
	}
}

static void plan_event(struct plan *plan, const struct plan_options *o, size_t i)
{
	const struct event *event = &plan->events[i];
	struct indices members = {0};

	if (!is_counted_itself(event) || plan->group_of[i] >= 0)
		return;
	if (o->no_group || stands_alone(event) || (o->single_software && !event_is_hardware(event))) {
		indices_add(&members, i);
		group_new_of(plan, &members);
	} else {
		collect_like(plan, i, &members);
		if (!event_is_hardware(event))
			group_software(plan, &members);
		else if (o->no_rotation && event->by_default)
			plan_one_group(plan, o, &members);
		else
			pack(plan, o, &members);
	}
	free(members.v);
}

static bool is_first_of_braces(const struct plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (plan->events[k].group == plan->events[i].group)
			return false;
	return true;
}

/* ---- all at once ---- */

/* Collects the counted events of the PMU of the i-th event. Collects none if there is nothing to ask: that PMU was
 * probed before, all its events will be one group, or one of them excludes others. */
static void collect_of_pmu(const struct plan *plan, const struct plan_options *o, size_t i, struct indices *members)
{
	bool several = o->no_group, never = false;
	int braces = plan->events[i].group;

	for (size_t k = 0; k < plan->n_events; k++) {
		const struct event *event = &plan->events[k];

		if (!event_is_hardware(event) || !is_counted_itself(event) ||
		    event_pmu_type(event) != event_pmu_type(&plan->events[i]))
			continue;
		never |= k < i || event->attr.exclusive || event->cpu >= 0;
		several |= event->group != braces || stands_alone(event);
		indices_add(members, k);
	}
	if (never || !several || members->n < 2)
		members->n = 0;
}

static void find_at_once(struct plan *plan, const struct plan_options *o)
{
	const struct packing p = {.plan = plan, .options = o, .at_once = plan->at_once};

	for (size_t i = 0; i < plan->n_events; i++) {
		struct indices members = {0};

		if (event_is_hardware(&plan->events[i]) && is_counted_itself(&plan->events[i]))
			collect_of_pmu(plan, o, i, &members);
		if (members.n && packing_fits(&p, &members, NULL))
			for (size_t k = 0; k < members.n; k++)
				plan->at_once[members.v[k]] = true;
		free(members.v);
	}
}

void plan_build(struct plan *plan, const struct plan_options *options)
{
	find_at_once(plan, options);
	for (size_t i = 0; i < plan->n_events; i++) {
		int braces = plan->events[i].group;

		if (braces < 0 || options->no_group)
			plan_event(plan, options, i);
		else if (is_first_of_braces(plan, i))
			plan_braces(plan, options, braces);
		if (plan->events[i].not_inherited)
			plan_event(plan, options, i);
	}
	for (size_t g = 0; g < plan->n_groups; g++)
		members_put_leader(plan->events, plan->groups[g].members, plan->groups[g].n);
	strings_merge(&plan->notes, &plan->too_big);
}

/* ---- room ---- */

static int check_pmu(const struct plan *plan, const struct plan_options *o, const struct indices *members,
		     struct error *e)
{
	/* not at_once, which may have been found on another CPU */
	struct packing p = {.plan = plan, .options = o, .ask_of_single = true};
	struct indices kept = {0};
	auto_free char *left = NULL;

	if (packing_fits(&p, members, NULL))
		return 0;
	packing_find_largest(&p, &kept, members);
	left = names_of(plan, members, &kept, false);
	if (kept.n == 0) {
		error_set(e, EAGAIN, "no counter is free for %s: other processes hold them all", left);
		error_hint(e,
			   "counters may be held by other users' pinned events, or by the NMI watchdog: " WATCHDOG_OFF);
	} else {
		error_set(e, EAGAIN, "the events do not all fit on the PMU at once: no counter is free for %s", left);
		error_hint(e, "count fewer events, or each group in a separate run: --no-multiplex (not with --by)");
	}
	free(kept.v);
	return -EAGAIN;
}

int plan_check_room(const struct plan *plan, const struct plan_options *options, struct error *e)
{
	auto_free bool *done = xcalloc(plan->n_events, sizeof(*done));
	int error = 0;

	for (size_t i = 0; i < plan->n_events && error == 0; i++) {
		struct indices members = {0};

		for (size_t k = i; k < 2 * plan->n_events; k++) { /* pinned events get their counters first */
			size_t event = k % plan->n_events;

			if (done[event] || plan->group_of[event] < 0 || plan->left_out[event] ||
			    !event_is_hardware(&plan->events[event]) ||
			    event_pmu_type(&plan->events[event]) != event_pmu_type(&plan->events[i]) ||
			    (k == event && !rotation_excludes(plan, (size_t)plan->group_of[event])))
				continue;
			done[event] = true;
			indices_add(&members, event);
		}
		error = check_pmu(plan, options, &members, e);
		free(members.v);
	}
	return error;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		event_free(&plan->events[i]);
	free(plan->events);
	for (size_t g = 0; g < plan->n_groups; g++)
		free(plan->groups[g].members);
	free(plan->groups);
	indices_free(plan->together, plan->n_together);
	free(plan->group_of);
	free(plan->at_once);
	free(plan->left_out);
	strings_free(&plan->too_big);
	strings_free(&plan->notes);
	*plan = (struct plan){0};
}
