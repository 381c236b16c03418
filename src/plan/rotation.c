#include "plan/rotation.h"

bool rotation_excludes(const struct plan *plan, size_t group)
{
	return plan->events[plan->groups[group].members[0]].attr.pinned;
}

uint64_t rotation_pmu(const struct plan *plan, size_t group)
{
	const struct plan_group *g = &plan->groups[group];

	for (size_t i = 0; i < g->n; i++)
		if (event_is_hardware(&plan->events[g->members[i]]))
			return event_pmu_type(&plan->events[g->members[i]]);
	return UINT64_MAX;
}

static bool is_at_once(const struct plan *plan, size_t group)
{
	const struct plan_group *g = &plan->groups[group];

	for (size_t i = 0; i < g->n && plan->at_once; i++)
		if (plan->at_once[g->members[i]])
			return true;
	return false;
}

bool rotation_same(const struct plan *plan, size_t group, size_t other)
{
	return group == other ||
	       (rotation_pmu(plan, group) == rotation_pmu(plan, other) && rotation_pmu(plan, group) != UINT64_MAX &&
		!rotation_excludes(plan, group) && !rotation_excludes(plan, other) && !is_at_once(plan, group));
}

size_t rotation_count(const struct plan *plan, size_t group)
{
	size_t n = 0;

	for (size_t g = 0; g < plan->n_groups; g++)
		n += rotation_same(plan, g, group);
	return n;
}
