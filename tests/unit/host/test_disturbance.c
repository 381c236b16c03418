#include "host/disturbance.h"

#include <stdlib.h>

#include "scratch.h"
#include "tap.h"

#define UNKNOWN DISTURBANCE_UNKNOWN

static void put_figures(const char *root, const char *stat, const char *pressure, const char *inner, const char *outer)
{
	scratch_put(root, "proc/self/cgroup", "3:memory:/m\n0::/a/b\n");
	scratch_put(root, "proc/stat", stat);
	scratch_put(root, "proc/pressure/cpu", pressure);
	scratch_put(root, "sys/fs/cgroup/a/b/cpu.stat", inner);
	scratch_put(root, "sys/fs/cgroup/a/cpu.stat", outer);
}

static void test_figures(void)
{
	char root[] = SCRATCH_TEMPLATE;
	struct disturbance_watch watch;
	struct disturbance d, brief;

	scratch_make(root);
	put_figures(root, "cpu  100 0 50 900 7 1 2 10 0 0\ncpu0 1 1 1\n", "some avg10=0.00 total=1000\nfull total=1\n",
		    "usage_usec 5\nnr_throttled 1\nthrottled_usec 2000\n", "usage_usec 5\n");
	disturbance_watch_open(&watch, root);
	is_number(watch.limits.n, 2, "the cgroup and its parent");
	disturbance_begin(&watch);
	put_figures(root, "cpu  130 0 60 990 7 1 2 20 0 0\n", "some avg10=0.00 total=4000\nfull total=1\n",
		    "usage_usec 5\nnr_throttled 1\nthrottled_usec 52000\n", "usage_usec 5\nthrottled_usec 3\n");
	disturbance_end(&watch, 1000000000, &d);
	disturbance_end(&watch, 1000, &brief);
	is_number(d.v[DISTURBANCE_STEAL], 100000000, "ten ticks of steal time");
	is_number(d.busy, 500000000, "50 ticks of work and steal time");
	is_number(d.v[DISTURBANCE_CPU], 3000000, "pressure");
	is_number(d.v[DISTURBANCE_THROTTLED], 50003000, "time that both limits stopped tasks");
	ok(d.v[DISTURBANCE_IO] == UNKNOWN && d.v[DISTURBANCE_WAIT] == UNKNOWN, "figures that are missing are unknown");
	ok(brief.v[DISTURBANCE_STEAL] == UNKNOWN && brief.v[DISTURBANCE_CPU] == UNKNOWN, "a short run has none");
	disturbance_watch_close(&watch);
	scratch_put(root, "proc/self/cgroup", "0::/\n");
	scratch_put(root, "sys/fs/cgroup/cpu.stat", "throttled_usec 1\n");
	disturbance_watch_open(&watch, root);
	is_number(watch.limits.n, 1, "in a container, the root of its cgroups counts once");
	disturbance_watch_close(&watch);
	scratch_remove(root);
}

struct question {
	uint64_t wait, steal, throttled, busy; /* ms */
	const char *text;                      /* NULL: nothing is large */
};

static uint64_t milliseconds(uint64_t n)
{
	return n == UNKNOWN ? n : n * 1000000;
}

static void test_judgement(void)
{
	static const struct question questions[] = {
		{310, 0, 0, 1000, "waited 31% of its time for a CPU"},
		{310, 120, 0, 1000, "waited 31% of its time for a CPU; the host took 12% of the CPU time"},
		{0, 0, 500, 1000, "was disturbed: a CPU limit stopped it for 50% of its time"},
		{50, 50, 50, 1000, NULL},
		{0, 30, 0, 150, NULL}, /* three ticks are too few to be known */
		{UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		const struct question *q = &questions[i];
		struct disturbance d = {.elapsed = 1000000000, .busy = milliseconds(q->busy)};
		auto_free char *text = NULL;

		d.v[DISTURBANCE_WAIT] = milliseconds(q->wait);
		d.v[DISTURBANCE_STEAL] = milliseconds(q->steal);
		d.v[DISTURBANCE_THROTTLED] = milliseconds(q->throttled);
		d.v[DISTURBANCE_CPU] = d.v[DISTURBANCE_MAJOR_FAULT] = 1000000000; /* no time of the command */
		text = disturbance_text(&d);
		ok(disturbance_is_large(&d) == !!q->text, q->text ? q->text : "nothing is large");
		if (q->text)
			is_string(text, q->text, "the text");
	}
}

int main(void)
{
	test_figures();
	test_judgement();
	return tap_done();
}
