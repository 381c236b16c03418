#include "event.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

void event_init(struct event *event, enum event_source source)
{
	*event = (struct event){.source = source, .scale = 1.0, .unit = xstrdup(""), .cpu = -1, .group = -1};
	event->attr.exclude_guest = 1;
}

void event_free(struct event *event)
{
	free(event->name);
	free(event->full_name);
	free(event->pmu);
	free(event->config1_string);
	free(event->filter);
	free(event->unit);
	free(event->cpus);
	*event = (struct event){0};
}

bool event_is_clock(const struct event *event)
{
	return strcmp(event->unit, "ns") == 0;
}

const char *event_source_name(enum event_source source)
{
	static const char *const names[] = {
		[EVENT_ABI] = "kernel",
		[EVENT_TOOL] = "tool",
		[EVENT_RAW] = "raw",
		[EVENT_SYSFS] = "sysfs",
		[EVENT_TRACEPOINT] = "tracepoint",
		[EVENT_BREAKPOINT] = "breakpoint",
		[EVENT_PROBE] = "probe",
		[EVENT_PFM] = "libpfm4",
	};

	return names[source];
}
