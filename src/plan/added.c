/* Software events without rows, which the plan needs itself. */
#include "lib/util.h"
#include "plan/plan.h"

static size_t add_software(struct plan *plan, const char *name, enum perf_sw_ids config)
{
	struct event event;
	size_t at;

	event_init(&event, EVENT_ABI);
	event.name = xstrdup(name);
	event.full_name = xstrdup(name);
	event.pmu = xstrdup("software");
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = config;
	at = plan_add_event(plan, &event);
	event_free(&event);
	return at;
}

void plan_add_clock(struct plan *plan)
{
	plan->has_clock = true;
	plan->clock = add_software(plan, "task-clock", PERF_COUNT_SW_TASK_CLOCK);
}

void plan_add_faults(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_events; i++)
		if (event_counts_faults(&plan->events[i]))
			return;
	add_software(plan, "page-faults", PERF_COUNT_SW_PAGE_FAULTS);
}
