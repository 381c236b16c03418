/* What is opened where, without opening it: an event is of the CPUs that its PMU names. */
#include "count/counters.h"

#include <stdlib.h>

#include "lib/util.h"
#include "tap.h"

static void test_elsewhere(void)
{
	struct event events[2];
	size_t members[] = {0, 1};
	int group_of[] = {0, 0};
	struct plan_group group = {.members = members, .n = 2};
	const struct plan plan = {
		.events = events, .n_events = 2, .groups = &group, .n_groups = 1, .group_of = group_of};
	const struct counters_options options = {.inherit = false};
	struct counters *c;

	for (size_t i = 0; i < 2; i++) {
		event_init(&events[i], EVENT_SYSFS);
		events[i].name = xstrdup(i ? "any" : "uncore");
	}
	events[0].cpus = xstrdup("0,8-9");
	c = counters_new(&plan, &options);
	is_number(counters_slot_size(c, &(struct slot){.pid = -1, .cpu = 0}), 2, "on a CPU that its PMU counts on");
	is_number(counters_slot_size(c, &(struct slot){.pid = -1, .cpu = 1}), 1, "on another: only what any CPU has");
	is_number(counters_slot_size(c, &(struct slot){.pid = -1, .cpu = 9}), 2, "on the last one of the list");
	is_number(counters_slot_size(c, &(struct slot){.pid = 1, .cpu = -1}), 2, "a task: the kernel decides");
	events[1].cpu = 1;
	is_number(counters_slot_size(c, &(struct slot){.pid = -1, .cpu = 0}), 1, "bound to a CPU: not on another");
	is_number(counters_slot_size(c, &(struct slot){.pid = -1, .cpu = 1}), 1, "but on that");
	counters_free(c);
	for (size_t i = 0; i < 2; i++)
		event_free(&events[i]);
}

int main(void)
{
	test_elsewhere();
	return tap_done();
}
