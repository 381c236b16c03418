/* Opens on each CPU groups of events that write samples, and the ring for them. */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "by/switch_trace_internal.h"
#include "host/topology.h"
#include "lib/util.h"

/* Room for 40,000 switches on each CPU; less on machines with many CPUs. The reader is woken every WATERMARK bytes,
 * before the smallest ring is full. */
#define RING_MOST  ((size_t)4 << 20)
#define RING_LEAST ((size_t)128 << 10)
#define RINGS_ALL  ((size_t)256 << 20)
#define WATERMARK  (RING_LEAST / 2)

/* The minimal time from setting a timer to its firing. The timer then fires with this period until it is set to rest,
 * which may be late on a busy machine. The kernel's minimum is 10 us, and a timer that is faster than
 * kernel.perf_event_max_sample_rate is throttled, since Linux 6.16 with its whole group. */
#define TIMER_LEAST_NS 100000u
#define SHARE_OF_RATE  4

/* ---- the plan: the user's groups that need a separate PMU, and one group for all other events ---- */

static void make_sampler(struct event *event, const char *name, uint64_t config, uint64_t period)
{
	event_init(event, EVENT_ABI);
	event->name = xstrdup(name);
	event->kernel_side = true;
	event->modes_given = true;
	event->attr.type = PERF_TYPE_SOFTWARE;
	event->attr.config = config;
	event->attr.sample_period = period;
	event->attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;
	event->attr.sample_id_all = 1;
}

/* True for events that are never off a PMU, since they have none. */
static bool is_always_on(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* The main group takes events that are always on, except those that the user wants together with others. */
static bool is_for_main(const struct plan *plan, const struct plan_group *group, size_t event)
{
	bool whole = true;

	for (size_t i = 0; i < group->n; i++)
		whole &= is_always_on(&plan->events[group->members[i]]);
	return is_always_on(&plan->events[event]) && (whole || !group->user);
}

static struct plan_group *add_group(struct switch_trace *t, const struct event *first)
{
	struct plan_group *g = plan_add_group(&t->opened);
	struct perf_event_attr *leader;

	g->user = true; /* an event that does not fit is left out, not opened elsewhere */
	switch_trace_add_member(t, g, &t->leader, OWN_EVENT);
	leader = &t->opened.events[g->members[0]].attr;
	leader->pinned = first && first->attr.pinned;
	leader->exclusive = first && first->attr.exclusive;
	return g;
}

/* Adds the events of a group that are for the main one, or those that are not; g NULL: to a new group, if there are
 * any. */
static struct plan_group *add_members(struct switch_trace *t, struct plan_group *g, const struct plan_group *from,
				      bool for_main)
{
	const struct plan *plan = t->options.plan;

	for (size_t i = 0; i < from->n; i++) {
		size_t event = from->members[i];

		if (!counters_get(t->before, 0, event)->open || is_for_main(plan, from, event) != for_main)
			continue;
		if (!g)
			g = add_group(t, &plan->events[event]);
		switch_trace_add_member(t, g, &plan->events[event], event);
	}
	return g;
}

/* A timer is a member like others, enabled and running as long as these: the values and times in its sample are the
 * group's. */
static void add_timer_event(struct switch_trace *t, struct plan_group *g)
{
	if (t->options.snapshots)
		switch_trace_add_member(t, g, &t->timer, OWN_EVENT);
}

/* Adds a group of the user's plan, without the events that are in the main one. */
static void add_group_of(struct switch_trace *t, size_t group)
{
	struct plan_group *g = add_members(t, NULL, &t->options.plan->groups[group], false);

	if (g) {
		switch_trace_add_probes(t, g);
		add_timer_event(t, g);
	}
}

static void make_plan(struct switch_trace *t)
{
	const struct plan *plan = t->options.plan;
	struct plan_group *main_group;
	struct perf_event_attr *leader;

	make_sampler(&t->leader, "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	make_sampler(&t->timer, "cpu-clock", PERF_COUNT_SW_CPU_CLOCK, TIMER_RESTS);
	if (t->options.cgroups) {
		t->leader.attr.sample_type |= PERF_SAMPLE_CGROUP;
		t->timer.attr.sample_type |= PERF_SAMPLE_CGROUP;
	}
	t->timer.attr.wakeup_events = 1;
	main_group = add_group(t, NULL);
	leader = &t->opened.events[0].attr;
	leader->task = leader->comm = leader->comm_exec = 1;
	leader->cgroup = t->options.cgroups;
	leader->watermark = 1;
	leader->wakeup_watermark = (uint32_t)WATERMARK;
	for (size_t g = 0; g < plan->n_groups; g++)
		add_members(t, main_group, &plan->groups[g], true);
	switch_trace_add_probes(t, main_group);
	add_timer_event(t, main_group);
	for (size_t g = 0; g < plan->n_groups; g++)
		add_group_of(t, g);
}

/* ---- rings ---- */

/* Maps the largest possible rings: the kernel limits the memory that users may lock. All rings have one size: if the
 * first ones were large, the last one would be so small that it is full before it is read. */
static int map_rings(struct switch_trace *t, struct error *e)
{
	size_t size = RING_MOST, pages;
	int error;

	while (size > RING_LEAST && size * t->n_cpus > RINGS_ALL)
		size /= 2;
	pages = size / (size_t)sysconf(_SC_PAGESIZE);
	do {
		error = 0;
		for (size_t cpu = 0; cpu < t->n_cpus && error == 0; cpu++)
			error = ring_open(&t->cpus[cpu].ring, switch_trace_fd(t, cpu), pages);
		for (size_t cpu = 0; cpu < t->n_cpus && error < 0; cpu++)
			ring_close(&t->cpus[cpu].ring);
		pages /= 2;
	} while (error < 0 && pages);
	return error < 0 ? ring_explain(error, "context switches cannot be followed", e) : 0;
}

static int open_exec_rings(struct switch_trace *t, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < t->n_cpus && t->options.execs && error == 0; i++) {
		struct cpu *cpu = &t->cpus[i];

		error = cpu->exec_fd = counters_open_exec_notify(switch_trace_cpu(t, i));
		if (error >= 0)
			error = ring_open(&cpu->exec_ring, cpu->exec_fd, 1);
	}
	return error < 0 ? ring_explain(error, "cannot record exec calls", e) : 0;
}

/* ---- CPUs ---- */

static int open_stream(struct switch_trace *t, size_t cpu, const struct plan_group *g, struct stream *s)
{
	size_t leader = g->members[0], last = g->members[g->n - 1];
	int error = switch_trace_redirect(t, cpu, leader);

	if (error == 0 && t->options.snapshots)
		error = switch_trace_redirect(t, cpu, last);
	s->events = xcalloc(g->n, sizeof(*s->events));
	s->probes = xcalloc(g->n, sizeof(*s->probes));
	s->last = xcalloc(g->n, sizeof(*s->last));
	s->added = xcalloc(g->n, sizeof(*s->added));
	for (size_t i = 0; i < g->n; i++)
		if (counters_leader(t->counters, cpu, g->members[i]) == (int)leader) {
			s->probes[s->n] = t->probe_of[g->members[i]];
			s->events[s->n++] = t->origin[g->members[i]];
		}
	s->id = counters_id(t->counters, cpu, leader);
	s->timer = t->options.snapshots ? counters_id(t->counters, cpu, last) : 0;
	return error;
}

/* Returns 0 (even if the CPU does not exist) or -errno. */
static int open_slot(struct switch_trace *t, int cpu, struct error *e)
{
	size_t leader = t->opened.groups[0].members[0];
	int error = counters_open(t->counters, &(struct slot){.pid = -1, .cpu = cpu}, e);
	size_t slot = counters_slots(t->counters) - 1;

	if (error < 0 || counters_fd(t->counters, slot, leader) >= 0)
		return error;
	error = counters_get(t->counters, slot, leader)->error;
	counters_close_slot(t->counters, slot);
	if (error == ENODEV || error == EINVAL) /* offline, or does not exist */
		return 0;
	return error_set(e, error, "cannot attribute work to tasks: CPU %d cannot be watched: %s", cpu,
			 strerror(error));
}

static int open_cpus(struct switch_trace *t, struct error *e)
{
	int n = topology_end(TOPOLOGY_ROOT), error = 0;

	t->stride = t->opened.n_groups > 1 ? 2 : 1;
	t->counters = counters_new(&t->opened, &(struct counters_options){.ids = t->stride > 1});
	for (int cpu = 0; cpu < n && error >= 0; cpu++)
		error = open_slot(t, cpu, e);
	if (error < 0)
		return error;
	t->n_cpus = counters_slots(t->counters);
	t->cpus = xcalloc(t->n_cpus, sizeof(*t->cpus));
	t->heap = xcalloc(t->n_cpus, sizeof(*t->heap));
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
		t->heap[cpu] = &t->cpus[cpu];
		t->cpus[cpu].exec_fd = t->cpus[cpu].move_fd = -1;
	}
	if (!t->n_cpus && t->options.cgroups)
		return error_set(e, ENODEV,
				 "the kernel does not report the cgroups of tasks: it is older than 5.7, or without "
				 "CONFIG_CGROUP_PERF");
	if (!t->n_cpus)
		return error_set(e, ENODEV, "no CPU can be watched");
	error = open_exec_rings(t, e); /* opened first: the other rings take all the memory that may be locked */
	if (error == 0)
		error = map_rings(t, e);
	if (error < 0)
		return error;
	for (size_t cpu = 0; cpu < t->n_cpus && error == 0; cpu++) {
		t->cpus[cpu].streams = xcalloc(t->opened.n_groups, sizeof(struct stream));
		for (size_t g = 0; g < t->opened.n_groups && error == 0; g++)
			error = open_stream(t, cpu, &t->opened.groups[g], &t->cpus[cpu].streams[g]);
	}
	if (error < 0)
		return error_set(e, -error, "the events of a CPU cannot share a ring buffer: %s", strerror(-error));
	for (size_t cpu = 0; cpu < t->n_cpus && error == 0; cpu++)
		error = switch_trace_open_probes(t, cpu, e);
	return error == 0 && t->options.cgroups ? switch_trace_open_moves(t, e) : error;
}

static uint64_t choose_timer_period(void)
{
	uint64_t rate, period = 0;
	char text[32];

	if (file_readf(text, sizeof(text), "/proc/sys/kernel/perf_event_max_sample_rate") > 0 &&
	    parse_u64(text, 10, &rate) == 0 && rate)
		period = SHARE_OF_RATE * 1000000000u / rate;
	return period > TIMER_LEAST_NS ? period : TIMER_LEAST_NS;
}

int switch_trace_open(struct switch_trace **out, const struct trace_options *options, struct error *e)
{
	struct switch_trace *t = xcalloc(1, sizeof(*t));
	const struct slot process = {.pid = options->root ? options->root : getpid(), .cpu = -1};
	int error;

	t->options = *options;
	t->timer_ns = choose_timer_period();
	/* these events also show which events can be counted */
	t->before = counters_new(options->plan, &(struct counters_options){.until_exec = true});
	error = counters_open(t->before, &process, e);
	if (error == 0) {
		make_plan(t);
		error = open_cpus(t, e);
	}
	if (error < 0)
		switch_trace_close(t);
	else
		*out = t;
	return error;
}

void switch_trace_close(struct switch_trace *t)
{
	if (!t)
		return;
	for (struct cpu *cpu = t->cpus; cpu < t->cpus + t->n_cpus; cpu++) {
		for (size_t g = 0; g < t->opened.n_groups && cpu->streams; g++) {
			free(cpu->streams[g].events);
			free(cpu->streams[g].probes);
			free(cpu->streams[g].last);
			free(cpu->streams[g].added);
		}
		free(cpu->streams);
		free(cpu->probes);
		ring_close(&cpu->ring);
		ring_close(&cpu->exec_ring);
		if (cpu->exec_fd >= 0)
			close(cpu->exec_fd);
		if (cpu->move_fd >= 0)
			close(cpu->move_fd);
	}
	counters_free(t->counters);
	counters_free(t->before);
	plan_free(&t->opened);
	free(t->origin);
	free(t->probe_of);
	free(t->before_exec);
	free(t->cpus);
	free(t->heap);
	event_free(&t->leader);
	event_free(&t->timer);
	free(t);
}
