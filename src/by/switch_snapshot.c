/* Cuts: what the tasks have done that are on the CPUs now, though they do not leave.
 *
 * Reading the counters would not tell whose the figures are: who is on a CPU is known when he leaves it. So a timer is
 * set on each CPU, an event that is a member of the group; when it fires, the kernel writes the group's figures and the
 * task that it has interrupted, both of the same instant, into the ring where the switches are. The stretch between two
 * switches is cut in two there, and each half is charged once, whatever the order in which the CPUs come to it: what is
 * behind the sample in the ring is of the next interval, or, if it has been read with other CPUs' samples, of this one,
 * but never of both or of none. */
#include <poll.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

/* From setting a timer to its firing: it goes on at this period until it is set to rest, which may be late on a busy
 * machine. The kernel has none shorter than 10 us, and more than kernel.perf_event_max_sample_rate makes it hold the
 * event back, from Linux 6.16 on with all its group. */
#define CUT_AFTER_NS  100000u
#define SHARE_OF_RATE 4

/* So much longer than a timer takes a CPU is waited for that is slow to wake up. One that has gone offline never comes,
 * nor does one that idles, now and then, on virtual machines whose kernel does not write everything down:
 * then nothing is cut there, and the stretch is of the interval in which it ends. */
#define GRACE_NS 2000000u

/* The main group's last, as at a switch: then it is known whose the others' figures are. Timers of one CPU fire in the
 * order in which they are set. */
static void set_timers(struct switch_trace *t, size_t cpu, uint64_t period)
{
	for (size_t g = t->opened.n_groups; g-- > 0;) {
		const struct plan_group *group = &t->opened.groups[g];

		counters_set_period(t->counters, cpu, group->members[group->n - 1], period);
	}
}

uint64_t switch_snapshot_after(void)
{
	uint64_t rate, after;
	char text[32];
	ssize_t n = file_readf(text, sizeof(text), "/proc/sys/kernel/perf_event_max_sample_rate");

	if (n <= 0 || parse_u64(text, 10, &rate) < 0 || rate == 0)
		return CUT_AFTER_NS;
	after = SHARE_OF_RATE * 1000000000u / rate;
	return after > CUT_AFTER_NS ? after : CUT_AFTER_NS;
}

static void arm(struct switch_trace *t, size_t cpu)
{
	struct cpu *c = &t->cpus[cpu];

	for (size_t g = 0; g < t->opened.n_groups; g++)
		c->streams[g].due = true;
	c->cut = false;
	c->armed = true;
	set_timers(t, cpu, t->cut_after);
}

static void disarm(struct switch_trace *t, size_t cpu)
{
	set_timers(t, cpu, TIMER_RESTS);
	t->cpus[cpu].armed = false;
}

void switch_trace_disarm(struct switch_trace *t)
{
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		if (t->cpus[cpu].armed && t->cpus[cpu].cut)
			disarm(t, cpu);
}

/* Wait for records of the CPUs whose cuts have not come. False: there are none, or they have had their time. */
static bool wait_for_cuts(struct switch_trace *t, struct pollfd *fds, uint64_t until)
{
	uint64_t now = clock_now();
	nfds_t n = 0;

	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		if (t->cpus[cpu].armed)
			fds[n++] = (struct pollfd){.fd = switch_trace_fd(t, cpu), .events = POLLIN};
	if (n == 0 || now >= until)
		return false;
	poll(fds, n, (int)((until - now) / 1000000u) + 1);
	return true;
}

void switch_snapshot(struct switch_trace *t, switch_trace_handler *handler, void *arg)
{
	auto_free struct pollfd *fds = xcalloc(t->n_cpus, sizeof(*fds));
	uint64_t until = clock_now() + t->cut_after + GRACE_NS;

	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		arm(t, cpu);
	do
		switch_trace_read(t, handler, arg);
	while (wait_for_cuts(t, fds, until));
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		if (t->cpus[cpu].armed) /* it must not go on firing at an idle CPU */
			disarm(t, cpu);
}
