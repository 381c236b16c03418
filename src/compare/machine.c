#include "compare/machine.h"

#include <string.h>

#include "event/simulated.h"
#include "metric/metric.h"

static bool is_retired(const struct event *event)
{
	uint32_t config = (uint32_t)event->attr.config; /* without the type of a hybrid machine's PMU */

	return event_is_opened(event) && event->attr.type == PERF_TYPE_HARDWARE &&
	       (config == PERF_COUNT_HW_INSTRUCTIONS || config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

static bool is_retired_in_user_space(const struct event *event)
{
	return is_retired(event) && event->attr.exclude_kernel;
}

static bool is_simulated(const struct event *event)
{
	return event->source == EVENT_SIMULATED && !simulated_is_baseline(event);
}

/* The first kind that matches an event decides. Software counts (faults, switches, system calls, calls of functions)
 * depend on the command's requests, and hardly on the machine. */
static const struct {
	bool (*is)(const struct event *event);
	unsigned components;
} kinds[] = {
	{is_simulated, MACHINE_CPU},             /* libraries choose functions by the CPU model */
	{is_retired_in_user_space, MACHINE_CPU}, /* also */
	{is_retired, MACHINE_CPU | MACHINE_KERNEL},
	{event_is_clock, MACHINE_ANY},
	{event_is_hardware, MACHINE_ANY}, /* clock rates, caches, memory, and events that each CPU model defines */
};

/* event NULL: a time that pfmstat measures. */
static unsigned components_of_event(const struct event *event)
{
	size_t i = 0;

	while (event && i < ARRAY_SIZE(kinds) && !kinds[i].is(event))
		i++;
	return !event ? MACHINE_ANY : i < ARRAY_SIZE(kinds) ? kinds[i].components : 0;
}

unsigned machine_components_of(const struct row *row)
{
	unsigned components = 0;

	if (row->item->metric && row->item->metric->events) {
		for (size_t i = 0; i < row->item->metric->n_events; i++)
			components |= components_of_event(row->item->metric->events[i]);
		return components;
	}
	if (!row->item->event && row->item->clock >= CLOCK_MAX_RSS)
		return 0;
	return components_of_event(row->item->event);
}

const char *machine_components_words(unsigned components)
{
	static const char *const words[] = {
		[MACHINE_HOST] = "host",
		[MACHINE_KERNEL] = "kernel",
		[MACHINE_HOST | MACHINE_KERNEL] = "host and kernel",
		[MACHINE_CPU] = "CPU model",
		[MACHINE_HOST | MACHINE_CPU] = "host and CPU model",
		[MACHINE_KERNEL | MACHINE_CPU] = "kernel and CPU model",
		[MACHINE_ANY] = "host, kernel and CPU model",
	};

	return components & MACHINE_ARCHITECTURE ? "architecture" : words[components];
}
