/* Which events are opened on which CPUs, without opening them: those of the event's PMU. And which are switched on, on
 * a kernel that only records it. */
#include "count/counters_internal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	ok(!slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 0}, 0), "on a CPU that its PMU counts on");
	ok(slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 1}, 0), "not on another");
	ok(!slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 1}, 1), "... which other events have");
	ok(!slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 9}, 0), "on the last CPU of the list");
	ok(!slot_is_elsewhere(c, &(struct slot){.pid = 1, .cpu = -1}, 0), "a task: the kernel decides");
	events[1].cpu = 1;
	ok(slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 0}, 1), "bound to a CPU: not on another");
	ok(!slot_is_elsewhere(c, &(struct slot){.pid = -1, .cpu = 1}, 1), "but on that");
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

static const uint64_t *next_id; /* NULL: none is known */

int ioctl(int fd, unsigned long request, ...)
{
	if (request == PERF_EVENT_IOC_ID) {
		va_list args;

		va_start(args, request);
		if (next_id)
			*va_arg(args, uint64_t *) = *next_id++;
		va_end(args);
		return next_id ? 0 : -1;
	}
	if (request == PERF_EVENT_IOC_ENABLE && n_switched_on < ARRAY_SIZE(switched_on))
		switched_on[n_switched_on++] = fd;
	return 0;
}

static const uint64_t (*next_read)[4]; /* {1, enabled, running, value}; NULL: there is nothing to read */

ssize_t read(int fd, void *buf, size_t size)
{
	(void)fd;
	if (!next_read || size < sizeof(*next_read))
		return 0;
	memcpy(buf, *next_read++, sizeof(*next_read));
	return sizeof(*next_read);
}

static void is_switched_on(int fd, const char *what)
{
	is_number(n_switched_on, 1, what);
	is_number(switched_on[0], fd, "... the event on the CPU that came online");
	n_switched_on = 0;
}

/* A plan of one event. */
static struct event event;
static size_t first;
static int group_of_first;
static struct plan_group single = {.members = &first, .n = 1};
static const struct plan plan_of_one = {
	.events = &event, .n_events = 1, .n_shown = 1, .groups = &single, .n_groups = 1, .group_of = &group_of_first};

/* A CPU went and came back. */
static void test_slot_marks(void)
{
	const struct counters_options options = {.inherit = false};
	struct counters *c = counters_new(&plan_of_one, &options);
	struct error e;

	event_init(&event, EVENT_RAW);
	for (int i = 0; i < 2; i++)
		is_number(counters_open(c, &(struct slot){.pid = -1, .cpu = 1}, &e), 0, "the CPU's counter");
	counters_mark_slot(c, 0, SLOT_GONE);
	counters_mark_slot(c, 1, SLOT_CAME);
	counters_switch_all(c, true);
	is_switched_on(counters_fd(c, 1, 0), "counting begins: of a CPU's two counters, one is switched on");
	is_number(counters_switch(c, 0, true), 0, "one event is switched on");
	is_switched_on(counters_fd(c, 1, 0), "... by one of its two counters");
	counters_free(c);
	event_free(&event);
}

/* A cgroup's events on a CPU: the kernel adds the time before they were enabled to their times. */
static void test_cgroup_times(void)
{
	static const uint64_t reads[][4] = {{1, 0, 0, 0},     {1, 700, 200, 0}, {1, 800, 300, 5},
					    {1, 800, 300, 5}, {1, 900, 400, 5}, {1, 910, 410, 7}};
	char path[] = "/sys/fs/cgroup/web";
	const struct cgroup web = {.path = path, .fd = -1};
	const struct counters_options options = {.inherit = false};
	struct counters *c = counters_new(&plan_of_one, &options);
	const struct sample *s;
	struct error e;

	event_init(&event, EVENT_ABI);
	event.attr.type = PERF_TYPE_SOFTWARE;
	is_number(counters_open(c, &(struct slot){.pid = -1, .cpu = 1, .cgroup = &web}, &e), 0, "a cgroup's counter");
	s = &counters_get(c, 0, 0)->sample;
	next_read = reads;
	counters_switch_all(c, true);
	counters_read(c, NULL);
	is_number(s->value, 5, "the count since it was enabled");
	is_number(s->enabled, 100, "the enabled time includes no earlier time");
	is_number(s->running, 100, "... nor does the running time");
	is_number(counters_switch(c, 0, false), 0, "switched off");
	is_number(counters_switch(c, 0, true), 0, "... and on again");
	counters_read(c, NULL);
	is_number(s->value, 7, "the count while it was on");
	is_number(s->enabled, 110, "the times exclude the time between");
	is_number(s->running, 110, "... both of them");
	next_read = NULL;
	counters_free(c);
	event_free(&event);
}

#define MS 1000000

/* A pinned event of a task, and the clock that its time is compared with; read one after the other. */
static bool is_lost(uint64_t enabled, uint64_t clock)
{
	const uint64_t reads[][4] = {{1, enabled, enabled, 9}, {1, clock, clock, clock}};
	struct event events[2];
	size_t members[] = {0, 1};
	int group_of[] = {0, 1};
	struct plan_group groups[] = {{.members = &members[0], .n = 1}, {.members = &members[1], .n = 1}};
	const struct plan plan = {.events = events,
				  .n_events = 2,
				  .n_shown = 1,
				  .has_clock = true,
				  .clock = 1,
				  .groups = groups,
				  .n_groups = 2,
				  .group_of = group_of};
	struct counters *c = counters_new(&plan, &(struct counters_options){.untested = true});
	struct error e;
	bool lost;

	event_init(&events[0], EVENT_RAW);
	events[0].attr.type = PERF_TYPE_RAW;
	events[0].attr.pinned = 1;
	event_init(&events[1], EVENT_ABI);
	events[1].attr.type = PERF_TYPE_SOFTWARE;
	is_number(counters_open(c, &(struct slot){.pid = 1, .cpu = -1}, &e), 0, "a pinned event and the clock");
	next_read = reads;
	counters_read(c, NULL);
	next_read = NULL;
	lost = counters_get(c, 0, 0)->no_counter;
	counters_free(c);
	for (size_t i = 0; i < 2; i++)
		event_free(&events[i]);
	return lost;
}

static void test_pinned(void)
{
	ok(is_lost(0, MS), "a pinned event that was never enabled in 1 ms had no counter");
	ok(!is_lost(0, MS / 10), "... in 0.1 ms it may have been read before the task ran");
	ok(is_lost(95 * MS, 200 * MS), "a pinned event that was enabled for a part of the time has lost its counter");
	ok(!is_lost(95 * MS, 100 * MS), "... except for a time slice between the reads");
	ok(!is_lost(1990 * MS, 2010 * MS), "... and a hundredth");
}

static void test_forks(void)
{
	static const uint64_t numbers[] = {10, 11, 22};
	const struct counters_options options = {.inherit = true};
	struct counters *c = counters_new(&plan_of_one, &options);
	struct error e;

	event_init(&event, EVENT_ABI);
	is_number(counters_forks(c) == UINT64_MAX, true, "without events, the number of forks is not known");
	for (int i = 0; i < 2; i++)
		counters_open(c, &(struct slot){.pid = 1, .cpu = -1}, &e);
	next_id = numbers;
	is_number(counters_forks(c), 5, "ten copies of two events: five forks");
	next_id = numbers + 1;
	counters_close_slot(c, 1);
	is_number(counters_forks(c), 10, "... of one event");
	counters_free(c);
	event_free(&event);
}

int main(void)
{
	test_pinned();
	test_elsewhere();
	test_slot_marks();
	test_cgroup_times();
	test_forks();
	return tap_done();
}
