/* From enabling to the end: the command's time before its exec, snapshots of tasks that are on a CPU, the last records.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "by/switch_trace_internal.h"
#include "count/core_times.h"
#include "host/procfs.h"
#include "host/topology.h"
#include "lib/util.h"

/* ---- enabling: the process's work from then until its exec is counted by separate events, and subtracted ---- */

/* The process makes a few system calls before it sleeps until its release. Nothing signals the sleep, so its state is
 * read again after a pause. */
#define TRIES_MOST 1000
#define PAUSE_MS   1

static void wait_for_sleep(pid_t pid)
{
	struct proc_stat stat;

	for (unsigned tries = 0; tries < TRIES_MOST && procfs_read_stat(pid, &stat) == 0; tries++) {
		if (stat.state != 'R' && stat.state != 'D')
			return;
		poll(NULL, 0, PAUSE_MS);
	}
}

/* CPUs are switched on one after the other. If the process runs during that time, the share of its work that was seen
 * is unknown. */
void switch_trace_enable(struct switch_trace *t)
{
	if (t->options.root) {
		wait_for_sleep(t->options.root);
		counters_switch_all(t->before, true);
	}
	counters_switch_all(t->counters, true);
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
		t->cpus[cpu].began = clock_now();
		for (size_t g = 0; g < t->opened.n_groups; g++)
			t->cpus[cpu].streams[g].time = t->cpus[cpu].began;
	}
	counters_read(t->before, NULL);
	for (size_t event = 0; event < t->options.plan->n_events; event++)
		t->exec_unknown |= counters_get(t->before, 0, event)->sample.enabled > 0;
}

void switch_trace_read_before_exec(struct switch_trace *t)
{
	struct counts now = {0}, corrected = {0};
	const struct counts *counts;

	counters_read(t->before, NULL);
	counters_fetch(t->before, &now);
	counts = core_times_correct(&corrected, t->options.plan, &now) ? &corrected : &now;
	t->before_exec = xcalloc(now.n_events, sizeof(*t->before_exec));
	for (size_t event = 0; event < now.n_events; event++) {
		const struct sample *before = &counts_at(counts, 0, event)->sample;
		const struct event *ev = &t->options.plan->events[event];
		bool bound = ev->cpu >= 0 && !event_is_hardware(ev); /* off only while the process is on other CPUs */
		/* the process always runs before its exec: a time of 0 means that the kernel did not report the time */
		bool ran = counts_at(&now, 0, event)->sample.enabled && (bound || before->running == before->enabled);

		t->before_exec[event].value = before->value;
		t->before_exec[event].known = !t->exec_unknown && counters_notes(t->before)->n == 0 &&
					      (ran || !counters_get(t->before, 0, event)->open);
	}
	counts_free(&corrected);
	counts_free(&now);
}

/* ---- snapshots: the work so far of tasks that stay on their CPUs ----
 *
 * A timer is set on each CPU: an event that is a member of the group. When it fires, the kernel writes the group's
 * values and the interrupted task into the ring of the switches. That splits a run (the time between two switches), and
 * each half is charged once. */

/* The wait for a CPU's timer, beyond its period. Timers of offline CPUs never fire, nor do some of idle CPUs on virtual
 * machines: then there is no snapshot, and the run belongs to the interval in which it ends. */
#define GRACE_NS 2000000u

/* Sets the main group's timer last, as in a switch. Timers of one CPU fire in the order in which they are set. */
static void set_timers(struct switch_trace *t, size_t cpu, uint64_t period)
{
	for (size_t g = t->opened.n_groups; g-- > 0;) {
		const struct plan_group *group = &t->opened.groups[g];

		counters_set_period(t->counters, cpu, group->members[group->n - 1], period);
	}
	t->cpus[cpu].armed = period != TIMER_RESTS;
}

/* due: include timers that have not fired, which must not continue to fire at an idle CPU. */
static void rest_timers(struct switch_trace *t, bool due)
{
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		if (t->cpus[cpu].armed && (due || !t->cpus[cpu].streams[0].due))
			set_timers(t, cpu, TIMER_RESTS);
}

/* Waits for records of the CPUs whose timers have not fired. Returns false if there are none or the time is over. */
static bool wait_for_timers(struct switch_trace *t, struct pollfd *fds, uint64_t until)
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

/* Returns true if, by its counters, the group was off its PMU since its last sample. */
static bool was_off(const struct switch_trace *t, size_t cpu, size_t g)
{
	const struct stream *stream = &t->cpus[cpu].streams[g];
	const struct sample now = counters_get(t->counters, cpu, t->opened.groups[g].members[0])->sample;

	return now.enabled > stream->enabled && now.enabled - stream->enabled > now.running - stream->running;
}

/* Reads the counters of groups that are off their PMU: their timers do not fire. */
static void catch_up_groups(struct switch_trace *t)
{
	bool late = plan_has_pinned(t->options.plan); /* a read shows which of them have no counter */

	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		for (size_t g = 1; g < t->opened.n_groups; g++)
			late |= t->cpus[cpu].streams[g].due;
	if (!late)
		return;
	counters_read(t->counters, NULL);
	switch_trace_read(t); /* earlier records come first */
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		for (size_t g = 1; g < t->opened.n_groups; g++) {
			struct trace_record r = {.kind = TRACE_OFF, .cpu = cpu, .time = clock_now(), .group = g};

			if (t->cpus[cpu].streams[g].due && was_off(t, cpu, g) && switch_trace_catch_up(t, cpu, g, &r))
				t->options.handler(t->options.arg, &r);
		}
}

void switch_trace_snapshot(struct switch_trace *t)
{
	auto_free struct pollfd *fds = xcalloc(t->n_cpus, sizeof(*fds));
	uint64_t until = clock_now() + t->timer_ns + GRACE_NS;

	for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
		for (size_t g = 0; g < t->opened.n_groups; g++)
			t->cpus[cpu].streams[g].due = t->cpus[cpu].streams[g].id;
		set_timers(t, cpu, t->timer_ns);
	}
	do
		switch_trace_read(t);
	while (wait_for_timers(t, fds, until));
	rest_timers(t, true);
	catch_up_groups(t);
}

/* Leaves records that are newer than this call to the next call: the cause of such a record may be in a ring that was
 * checked before the cause was written. */
void switch_trace_read(struct switch_trace *t)
{
	for (struct cpu *cpu = t->cpus; cpu < t->cpus + t->n_cpus && t->options.execs; cpu++)
		while (ring_next(&cpu->exec_ring))
			;
	switch_trace_read_until(t, clock_now());
	rest_timers(t, false);
}

/* ---- the end ---- */

/* The work since the last switch belongs to this process. The main group comes last, as in a switch. */
static void hand_over_rest(struct switch_trace *t, size_t cpu)
{
	for (size_t g = t->opened.n_groups; g-- > 0;) {
		struct trace_record r = {.kind = TRACE_SWITCH, .cpu = cpu, .time = clock_now(), .group = g};

		r.pid = r.tid = getpid();
		if (switch_trace_catch_up(t, cpu, g, &r))
			t->options.handler(t->options.arg, &r);
	}
}

/* Returns the CPU where this process runs: it is there without waiting. */
static size_t find_own_cpu(const struct switch_trace *t)
{
	int cpu = sched_getcpu();

	for (size_t i = 0; i < t->n_cpus; i++)
		if (switch_trace_cpu(t, i) == cpu)
			return i;
	return 0;
}

/* The kernel reports a loss with the next record for which there is room: the switch away from this process causes such
 * a record. */
static void collect_loss(const struct switch_trace *t, size_t cpu)
{
	const struct timespec moment = {.tv_nsec = 1};

	if (t->cpus[cpu].owes_loss)
		nanosleep(&moment, NULL);
}

/* This process moves to each CPU in turn: the switch to it ends the work of the task there. */
void switch_trace_finish(struct switch_trace *t)
{
	int n = topology_end(TOPOLOGY_ROOT);
	size_t size = CPU_ALLOC_SIZE((size_t)n);
	cpu_set_t *old = CPU_ALLOC((size_t)n), *one = CPU_ALLOC((size_t)n);
	bool known = old && one && sched_getaffinity(0, size, old) == 0;
	auto_free bool *alone = xcalloc(t->n_cpus, sizeof(*alone));
	size_t first = find_own_cpu(t);

	switch_trace_read(t);
	for (size_t k = 0; k < t->n_cpus; k++) {
		size_t i = (first + k) % t->n_cpus;

		if (known) {
			CPU_ZERO_S(size, one);
			CPU_SET_S((size_t)switch_trace_cpu(t, i), size, one);
			alone[i] = sched_setaffinity(0, size, one) == 0;
		}
		collect_loss(t, i);
		t->cpus[i].watched = clock_now() - t->cpus[i].began;
		counters_switch_slot(t->counters, i, false);
	}
	if (known)
		sched_setaffinity(0, size, old);
	CPU_FREE(old);
	CPU_FREE(one);
	counters_read(t->counters, NULL);
	switch_trace_read_until(t, UINT64_MAX);
	for (size_t i = 0; i < t->n_cpus; i++)
		if (alone[i])
			hand_over_rest(t, i);
}

/* ---- state of events ---- */

int switch_trace_fd(const struct switch_trace *t, size_t cpu)
{
	return cpu < t->n_cpus ? counters_fd(t->counters, cpu, t->opened.groups[0].members[0]) : -1;
}

int switch_trace_exec_fd(const struct switch_trace *t, size_t cpu)
{
	return t->cpus[cpu].exec_fd;
}

int switch_trace_cpu(const struct switch_trace *t, size_t cpu)
{
	return counters_slot(t->counters, cpu)->cpu;
}

/* Going offline and coming back takes longer. */
#define STOPPED_NS 10000000

bool switch_trace_has_stopped(const struct switch_trace *t, size_t cpu)
{
	uint64_t enabled = counters_get(t->counters, cpu, t->opened.groups[0].members[0])->sample.enabled;
	uint64_t watched = t->cpus[cpu].watched;

	return enabled + watched / 100 + STOPPED_NS < watched;
}

size_t switch_trace_groups(const struct switch_trace *t)
{
	return t->opened.n_groups;
}

/* True if it was opened as a member of its group: only then the leader samples it. */
static bool is_sampled(const struct switch_trace *t, size_t cpu, size_t opened)
{
	const struct plan_group *group = &t->opened.groups[t->opened.group_of[opened]];

	return counters_get(t->counters, cpu, opened)->open &&
	       counters_leader(t->counters, cpu, opened) == (int)group->members[0];
}

struct count switch_trace_count(const struct switch_trace *t, size_t event, const struct cpuset *cpus)
{
	struct count all = *counters_get(t->before, 0, event);
	bool is_countable = all.open, elsewhere = false;

	all.open = false;
	all.sample = (struct sample){0};
	for (size_t i = 0; i < t->opened.n_events && is_countable; i++)
		for (size_t cpu = 0; cpu < t->n_cpus && t->origin[i] == event; cpu++) {
			const struct count *count = counters_get(t->counters, cpu, i);
			bool sampled = is_sampled(t, cpu, i);

			if (cpus && cpus->n && !cpuset_has(cpus, switch_trace_cpu(t, cpu)))
				continue;
			elsewhere |= count->elsewhere;
			if (count->elsewhere)
				continue;
			all.cpus++;
			if (!sampled && all.refused++ == 0)
				all.cpu = switch_trace_cpu(t, cpu);
			all.open |= sampled;
			all.user_only |= count->user_only;
			all.no_fit |= count->no_fit;
			all.not_switched |= count->not_switched;
			all.no_counter |= count->no_counter;
			if (!all.error)
				all.error = count->error;
		}
	all.elsewhere = elsewhere && !all.cpus;
	if (all.open && !all.refused)
		all.error = 0;
	else if (is_countable && !all.error && !all.no_fit)
		all.error = EINVAL;
	return all;
}
