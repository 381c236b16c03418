/* The questions of a plan to its probe: whether events fit beside the pinned events of the plan, as it is so far. */
#include "lib/util.h"
#include "plan/plan.h"

static bool is_among(const struct event *event, const struct event *const *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (events[i] == event)
			return true;
	return false;
}

/* A group is pinned if its leader is; the leader of a group that is not planned yet is the first event in its braces.
 */
static bool is_pinned(const struct plan *plan, size_t event)
{
	int group = plan->group_of[event], braces = plan->events[event].group;
	size_t leader = group < 0 ? event : plan->groups[group].members[0];

	for (size_t i = event; i-- > 0 && group < 0 && braces >= 0;)
		if (plan->events[i].group == braces && !plan->events[i].parts)
			leader = i;
	return plan->events[leader].attr.pinned;
}

bool plan_ask(const struct plan *plan, const struct plan_options *options, const struct event *const *events, size_t n,
	      bool *refused)
{
	auto_free const struct event **held = xcalloc(plan->n_events, sizeof(*held));
	struct plan_question question = {.events = events, .n = n, .held = held};

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct event *event = &plan->events[i];

		if (is_pinned(plan, i) && event_is_hardware(event) && !event->parts && !plan->left_out[i] &&
		    !is_among(event, events, n))
			held[question.n_held++] = event;
	}
	return options->probe(options->probe_arg, &question, refused);
}

bool plan_fits(const struct plan *plan, const struct plan_options *options, const struct plan_group *group,
	       const struct event *further)
{
	auto_free const struct event **events = xcalloc(group->n + 1, sizeof(*events));

	for (size_t i = 0; i < group->n; i++)
		events[i] = &plan->events[group->members[i]];
	events[group->n] = further;
	return plan_ask(plan, options, events, group->n + (further != NULL), NULL);
}
