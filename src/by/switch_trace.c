#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

/* Some 40,000 switches a CPU before anything is lost; less on machines with many CPUs. What is there is read every
 * WATERMARK bytes: of the smallest ring, too, before it is full. */
#define RING_MOST  ((size_t)4 << 20)
#define RING_LEAST ((size_t)128 << 10)
#define RINGS_ALL  ((size_t)256 << 20)
#define WATERMARK  (RING_LEAST / 2)

/* ---- opening ---- */

static void stream_open(struct switch_trace *t, size_t cpu, size_t group, struct stream *s)
{
	const struct plan_group *g = &t->opened.groups[group];
	int leader = (int)g->members[0];

	s->events = xcalloc(g->n, sizeof(*s->events));
	s->last = xcalloc(g->n, sizeof(*s->last));
	s->added = xcalloc(g->n, sizeof(*s->added));
	for (size_t i = 0; i < g->n; i++)
		if (counters_leader(t->counters, cpu, g->members[i]) == leader)
			s->events[s->n++] = t->origin[g->members[i]];
	s->id = counters_id(t->counters, cpu, g->members[0]);
	s->timer = t->cuts ? counters_id(t->counters, cpu, g->members[g->n - 1]) : 0;
}

static size_t ring_bytes(size_t n_cpus)
{
	size_t size = RING_MOST;

	while (size > RING_LEAST && size * n_cpus > RINGS_ALL)
		size /= 2;
	return size;
}

static int map_at(struct switch_trace *t, size_t pages)
{
	int error = 0;

	for (size_t cpu = 0; cpu < t->n_cpus && error == 0; cpu++)
		error = ring_open(&t->cpus[cpu].ring, counters_fd(t->counters, cpu, t->opened.groups[0].members[0]),
				  pages);
	for (size_t cpu = 0; cpu < t->n_cpus && error < 0; cpu++)
		ring_close(&t->cpus[cpu].ring);
	return error;
}

/* As large as may be: the kernel limits what users may lock. All of one size: the first ones must not leave the last
 * one so little that it is full before it is read. */
static int map_rings(struct switch_trace *t, struct error *e)
{
	size_t pages = ring_bytes(t->n_cpus) / (size_t)sysconf(_SC_PAGESIZE);
	int error;

	while ((error = map_at(t, pages)) < 0 && pages > 1)
		pages /= 2;
	return error < 0 ? error_set(e, -error, "a ring for the kernel's records: %s", strerror(-error)) : 0;
}

/* Let an event that samples write into the CPU's ring, which is the main group's. */
static int share_ring(const struct switch_trace *t, size_t cpu, size_t event)
{
	int main_fd = counters_fd(t->counters, cpu, t->opened.groups[0].members[0]);
	int fd = counters_fd(t->counters, cpu, event);

	return fd >= 0 && fd != main_fd ? counters_redirect(fd, main_fd) : 0;
}

static int cpu_open(struct switch_trace *t, size_t cpu, struct error *e)
{
	struct cpu *c = &t->cpus[cpu];
	int error = 0;

	c->streams = xcalloc(t->opened.n_groups, sizeof(*c->streams));
	for (size_t g = 0; g < t->opened.n_groups && error == 0; g++) {
		const struct plan_group *group = &t->opened.groups[g];

		error = share_ring(t, cpu, group->members[0]);
		if (error == 0 && t->cuts)
			error = share_ring(t, cpu, group->members[group->n - 1]);
		stream_open(t, cpu, g, &c->streams[g]);
	}
	return error < 0 ? error_set(e, -error, "one ring for a CPU's events: %s", strerror(-error)) : 0;
}

/* 1: opened; 0: no such CPU; -errno. */
static int open_slot(struct switch_trace *t, int cpu, struct error *e)
{
	size_t leader = t->opened.groups[0].members[0];
	int error = counters_open(t->counters, &(struct slot){.pid = -1, .cpu = cpu}, e);
	size_t slot = counters_slots(t->counters) - 1;

	if (error < 0)
		return error;
	if (counters_fd(t->counters, slot, leader) >= 0)
		return 1;
	error = counters_get(t->counters, slot, leader)->error;
	counters_close_slot(t->counters, slot);
	if (error == ENODEV || error == EINVAL) /* offline, or never there */
		return 0;
	return error_set(e, error, "who did it cannot be told: CPU %d cannot be watched: %s", cpu, strerror(error));
}

static int open_cpus(struct switch_trace *t, struct error *e)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF), error = 0;

	t->opened.events[0].attr.wakeup_watermark = (uint32_t)WATERMARK;
	t->stride = t->opened.n_groups > 1 ? 2 : 1;
	t->counters = counters_new(&t->opened, &(struct counters_options){.ids = t->stride > 1});
	for (int cpu = 0; cpu < n && error >= 0; cpu++)
		error = open_slot(t, cpu, e);
	if (error < 0)
		return error;
	t->n_cpus = counters_slots(t->counters);
	t->cpus = xcalloc(t->n_cpus, sizeof(*t->cpus));
	t->heap = xcalloc(t->n_cpus, sizeof(*t->heap));
	if (!t->n_cpus)
		return error_set(e, ENODEV, "no CPU can be looked at");
	error = map_rings(t, e);
	for (size_t cpu = 0; cpu < t->n_cpus && error >= 0; cpu++)
		error = cpu_open(t, cpu, e);
	return error;
}

int switch_trace_open(struct switch_trace **out, const struct plan *plan, pid_t root, bool cuts, struct error *e)
{
	struct switch_trace *t = xcalloc(1, sizeof(*t));
	int error;

	t->plan = plan;
	t->root = root;
	t->cuts = cuts;
	t->cut_after = switch_snapshot_after();
	error = switch_trace_open_before(t, e);
	if (error == 0) {
		switch_trace_plan(t);
		error = open_cpus(t, e);
	}
	if (error < 0)
		switch_trace_close(t);
	else
		*out = t;
	return error < 0 ? error : 0;
}

/* Since the last switch this process has had the CPU. */
static void hand_over_rest(struct switch_trace *t, size_t cpu, switch_trace_handler *handler, void *arg)
{
	/* the main group last, as at a switch */
	for (size_t g = t->opened.n_groups; g-- > 0;) {
		struct stream *s = &t->cpus[cpu].streams[g];
		struct switch_trace_record r = {.cpu = cpu, .time = clock_now(), .group = g};
		struct sample passed;

		r.n = switch_trace_catch_up(t, cpu, g, &passed);
		if (!r.n)
			continue;
		r.pid = r.tid = getpid();
		r.enabled = passed.enabled;
		r.running = passed.running;
		r.added = s->added;
		r.events = s->events;
		r.unreported = passed.value;
		handler(arg, &r);
	}
}

/* Where this process runs, no other one does. What was lost is told with the next record: of the switch to it, for
 * which there is room. */
void switch_trace_finish(struct switch_trace *t, switch_trace_handler *handler, void *arg)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF);
	size_t size = CPU_ALLOC_SIZE((size_t)n);
	cpu_set_t *old = CPU_ALLOC((size_t)n), *one = CPU_ALLOC((size_t)n);
	bool known = old && one && sched_getaffinity(0, size, old) == 0;
	auto_free bool *alone = xcalloc(t->n_cpus, sizeof(*alone));

	switch_trace_read(t, handler, arg);
	for (size_t i = 0; i < t->n_cpus; i++) {
		if (known) {
			CPU_ZERO_S(size, one);
			CPU_SET_S((size_t)counters_slot(t->counters, i)->cpu, size, one);
			alone[i] = sched_setaffinity(0, size, one) == 0;
		}
		counters_disable_slot(t->counters, i);
	}
	if (known)
		sched_setaffinity(0, size, old);
	CPU_FREE(old);
	CPU_FREE(one);
	switch_trace_read_before_exec(t);
	counters_read(t->counters);
	switch_trace_read_until(t, UINT64_MAX, handler, arg);
	for (size_t i = 0; i < t->n_cpus; i++)
		if (alone[i])
			hand_over_rest(t, i, handler, arg);
}

/* ---- the rest ---- */

int switch_trace_fd(const struct switch_trace *t, size_t cpu)
{
	return cpu < t->n_cpus ? counters_fd(t->counters, cpu, t->opened.groups[0].members[0]) : -1;
}

int switch_trace_cpu(const struct switch_trace *t, size_t cpu)
{
	return counters_slot(t->counters, cpu)->cpu;
}

size_t switch_trace_groups(const struct switch_trace *t)
{
	return t->opened.n_groups;
}

struct count switch_trace_count(const struct switch_trace *t, size_t event)
{
	struct count all = *counters_get(t->before, 0, event);
	bool open = false;

	for (size_t i = 0; i < t->opened.n_events && all.open; i++)
		for (size_t cpu = 0; cpu < t->n_cpus && t->origin[i] == event; cpu++) {
			const struct count *count = counters_get(t->counters, cpu, i);

			open |= count->open;
			all.user_only |= count->user_only;
			all.no_fit |= count->no_fit;
			if (!count->open && !all.error)
				all.error = count->error;
		}
	if (all.open && !open && !all.error && !all.no_fit)
		all.error = EINVAL;
	all.open = open;
	if (open)
		all.error = 0;
	all.sample = (struct sample){0};
	return all;
}

static void cpu_close(struct cpu *cpu, size_t n_streams)
{
	for (size_t g = 0; g < n_streams && cpu->streams; g++) {
		free(cpu->streams[g].events);
		free(cpu->streams[g].last);
		free(cpu->streams[g].added);
	}
	free(cpu->streams);
	ring_close(&cpu->ring);
}

void switch_trace_close(struct switch_trace *t)
{
	if (!t)
		return;
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		cpu_close(&t->cpus[cpu], t->opened.n_groups);
	counters_free(t->counters);
	counters_free(t->before);
	plan_free(&t->opened);
	free(t->origin);
	free(t->earlier);
	free(t->cpus);
	free(t->heap);
	event_free(&t->switches);
	event_free(&t->timer);
	free(t);
}
