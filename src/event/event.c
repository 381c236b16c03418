#include "event/event.h"

#include <string.h>

#include "lib/text.h"
#include "lib/util.h"

void event_init(struct event *event, enum event_source source)
{
	*event = (struct event){.source = source, .scale = 1.0, .cpu = -1, .group = -1, .parent = -1, .core = -1};
	event->unit = xstrdup("");
	event->attr.exclude_guest = 1;
}

/* Pointers to the strings of an event, any of which may be NULL. */
struct event_strings {
	char **v[15];
};

static struct event_strings event_strings(struct event *event)
{
	return (struct event_strings){{&event->name, &event->full_name, &event->pmu, &event->config1_string,
				       &event->not_inherited, &event->profile, &event->filter, &event->unit,
				       &event->cpus, &event->origin, &event->remark, &event->fields, &event->instances,
				       &event->only_cpus, &event->folded}};
}

void event_copy(struct event *copy, const struct event *event)
{
	struct event_strings strings = event_strings(copy);

	*copy = *event;
	for (size_t i = 0; i < ARRAY_SIZE(strings.v); i++)
		if (*strings.v[i])
			*strings.v[i] = xstrdup(*strings.v[i]);
	if (copy->config1_string)
		copy->attr.config1 = (uintptr_t)copy->config1_string;
}

void event_free(struct event *event)
{
	struct event_strings strings = event_strings(event);

	for (size_t i = 0; i < ARRAY_SIZE(strings.v); i++)
		free(*strings.v[i]);
	*event = (struct event){0};
}

void event_remark(struct event *event, const char *text)
{
	char *before = event->remark;

	event->remark = before ? xasprintf("%s\n%s", before, text) : xstrdup(text);
	free(before);
}

bool event_is_opened(const struct event *event)
{
	return event->source != EVENT_TOOL && event->source != EVENT_SIMULATED;
}

bool event_is_clock(const struct event *event)
{
	return strcmp(event->unit, "ns") == 0;
}

bool event_is_tool_time(const struct event *event)
{
	return event->tool >= TOOL_DURATION_TIME && event->tool <= TOOL_SYSTEM_TIME;
}

bool event_is_excluded(const struct event *event)
{
	bool user = !event->attr.exclude_user, kernel = !event->attr.exclude_kernel;

	if (event->user_side || event->kernel_side)
		return !(event->user_side ? user : kernel);
	/* only hardware counts in the hypervisor, and clocks run in all modes */
	return !user && !kernel && event_is_opened(event) && !event_is_hardware(event) && !event_is_clock(event);
}

bool event_counts_faults(const struct event *event)
{
	return event_is_opened(event) && event->cpu < 0 && event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_PAGE_FAULTS && !event->attr.exclude_user;
}

bool event_is_hardware(const struct event *event)
{
	uint32_t type = event->attr.type;

	return event_is_opened(event) && event->source != EVENT_TRACEPOINT && event->source != EVENT_BREAKPOINT &&
	       event->source != EVENT_PROBE && type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
	       type != PERF_TYPE_BREAKPOINT;
}

bool event_is_core(const struct event *event)
{
	return event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE ||
	       event->attr.type == PERF_TYPE_RAW || event->core >= 0 || event->only_core;
}

bool event_is_user_probe(const struct event *event)
{
	return event->source == EVENT_PROBE && event->user_side && event->parts == 0;
}

bool event_has_file_of(const struct event *event, const struct event *other)
{
	return event->file.device == other->file.device && event->file.inode == other->file.inode;
}

bool event_has_place_of(const struct event *event, const struct event *other)
{
	return event_has_file_of(event, other) && event->attr.config2 == other->attr.config2;
}

bool event_is_slots(const struct event *event)
{
	return event_is_hardware(event) && event->attr.type >= PERF_TYPE_RAW && event->attr.config == 0x400;
}

bool event_needs_slots(const struct event *event)
{
	uint64_t config = event->attr.config;

	return event_is_hardware(event) && event->attr.type >= PERF_TYPE_RAW && config >= 0x8000 && config <= 0x8700 &&
	       (config & 0xff) == 0;
}

bool event_modes_equal(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv && a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest && a->exclude_idle == b->exclude_idle;
}

static bool texts_differ(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

/* True if the name means the same everywhere, or contains terms or an encoding from the user. */
static bool has_own_name(const struct event *event)
{
	return event->source == EVENT_ABI || event->source == EVENT_TRACEPOINT || event->source == EVENT_SYSFS ||
	       event->source == EVENT_RAW || event->source == EVENT_SIMULATED;
}

bool event_differs(const struct event *a, const struct event *b)
{
	return texts_differ(a->filter, b->filter) || texts_differ(a->unit, b->unit) ||
	       texts_differ(a->only_cpus, b->only_cpus) || a->attr.precise_ip != b->attr.precise_ip ||
	       !event_modes_equal(&a->attr, &b->attr) ||
	       ((has_own_name(a) || has_own_name(b)) && a->full_name && b->full_name &&
		strcmp(a->full_name, b->full_name) != 0);
}

/* False for tracepoints and similar events, whose numbers in the kernel change each time. */
static bool has_stable_bits(const struct event *event)
{
	return event->source == EVENT_RAW || event->source == EVENT_SYSFS || event->source == EVENT_PFM ||
	       event->source == EVENT_VENDOR;
}

bool event_bits_differ(const struct event *a, const struct event *b)
{
	const struct perf_event_attr *x = &a->attr, *y = &b->attr;

	return has_stable_bits(a) && has_stable_bits(b) &&
	       (x->config != y->config || x->config1 != y->config1 || x->config2 != y->config2 ||
		x->config3 != y->config3 || x->config4 != y->config4);
}

void event_modes_copy(struct perf_event_attr *attr, const struct perf_event_attr *from)
{
	attr->exclude_user = from->exclude_user;
	attr->exclude_kernel = from->exclude_kernel;
	attr->exclude_hv = from->exclude_hv;
	attr->exclude_host = from->exclude_host;
	attr->exclude_guest = from->exclude_guest;
	attr->exclude_idle = from->exclude_idle;
}

uint64_t event_pmu_type(const struct event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE) {
		uint64_t pmu = attr->config >> PERF_PMU_TYPE_SHIFT; /* hybrid machines: the type of the core PMU */

		return pmu ? pmu : PERF_TYPE_RAW;
	}
	return event->only_core ? PERF_TYPE_RAW : attr->type;
}

void event_offer(void *suggest, const struct event_entry *entry)
{
	const char *slash = strchr(entry->name, '/'), *alias = entry->aliases;

	suggest_offer(suggest, entry->name);
	if (slash) {
		auto_free char *bare = xstrndup(slash + 1, strcspn(slash + 1, "/"));

		suggest_offer(suggest, bare);
	}
	for (size_t n; *alias; alias += n + (alias[n] == ',')) {
		auto_free char *one = xstrndup(alias, n = strcspn(alias, ","));

		suggest_offer(suggest, one);
	}
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
		[EVENT_VENDOR] = "file",
		[EVENT_SIMULATED] = "simulated",
	};

	return names[source];
}
