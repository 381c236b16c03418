#include "event/tool.h"

#include <string.h>

#include "lib/util.h"

static const struct tool_name {
	const char *name, *description, *unit;
} names[] = {
	{"num_cpus", "CPUs that are present", ""},
	{"num_cpus_online", "CPUs that are online", ""},
	{"num_cores", "cores with CPUs online", ""},
	{"num_dies", "dies with CPUs online", ""},
	{"num_packages", "sockets with CPUs online", ""},
	{"slots", "operations that a core can start in a cycle", ""},
	{"smt_on", "1 if cores run several threads", ""},
	{"system_tsc_freq", "frequency of the time-stamp counter", "Hz"},
	{"core_wide", "1 if all threads of a core are counted", ""},
	{"target_cpu", "1 if CPUs are counted, not tasks", ""},
	{"has_pmem", "1 if the machine has persistent memory", ""},
};

int tool_resolve(const char *name, struct event *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, name) != 0)
			continue;
		event_init(event, EVENT_TOOL);
		event->pmu = xstrdup("tool");
		event->full_name = xasprintf("tool/%s/", name);
		event->tool = TOOL_MACHINE;
		event->attr.type = PERF_TYPE_SOFTWARE;
		event->attr.config = PERF_COUNT_SW_DUMMY;
		free(event->unit);
		event->unit = xstrdup(names[i].unit);
		return (int)strlen(name);
	}
	return 0;
}

void tool_each(event_each *each, void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *name = xasprintf("tool/%s/", names[i].name);

		each(arg, &(struct event_entry){name, event_source_name(EVENT_TOOL), "tool", "", names[i].description});
	}
}
