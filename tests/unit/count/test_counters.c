/* What is opened where, without opening it: an event is of the CPUs that its PMU names. And what is switched on, on a
 * kernel that only notes it. */
#include "count/counters.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

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

/* ---- a kernel that opens every event, and notes which are switched on ---- */

static int switched_on[8]; /* descriptors */
static size_t n_switched_on;

long syscall(long number, ...)
{
	if (number != SYS_perf_event_open)
		abort();
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int ioctl(int fd, unsigned long request, ...)
{
	if (request == PERF_EVENT_IOC_ENABLE && n_switched_on < ARRAY_SIZE(switched_on))
		switched_on[n_switched_on++] = fd;
	return 0;
}

static void is_switched_on(int fd, const char *what)
{
	is_number(n_switched_on, 1, what);
	is_number(switched_on[0], fd, "... which is the one that came");
	n_switched_on = 0;
}

/* A CPU went and came back. */
static void test_ended(void)
{
	struct event event;
	size_t member = 0;
	int group_of = 0;
	struct plan_group group = {.members = &member, .n = 1};
	const struct plan plan = {
		.events = &event, .n_events = 1, .n_shown = 1, .groups = &group, .n_groups = 1, .group_of = &group_of};
	const struct counters_options options = {.inherit = false};
	struct counters *c = counters_new(&plan, &options);
	struct error e;

	event_init(&event, EVENT_RAW);
	for (int i = 0; i < 2; i++)
		is_number(counters_open(c, &(struct slot){.pid = -1, .cpu = 1}, &e), 0, "the CPU's counter");
	counters_mark_slot(c, 0, false);
	counters_mark_slot(c, 1, true);
	counters_switch_all(c, true);
	is_switched_on(counters_fd(c, 1, 0), "counting begins: of a CPU's two counters, one is switched on");
	is_number(counters_switch(c, 0, true), 0, "one event is switched on");
	is_switched_on(counters_fd(c, 1, 0), "... by one of its two counters");
	counters_free(c);
	event_free(&event);
}

int main(void)
{
	test_elsewhere();
	test_ended();
	return tap_done();
}
