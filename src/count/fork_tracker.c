#include "count/fork_tracker.h"

#include <errno.h>
#include <unistd.h>

#include "count/counters.h"
#include "lib/ring.h"
#include "lib/util.h"

#define RING_PAGES 32 /* 128 KiB: some 2,000 forks between two reads, on each CPU */

/* Per CPU: the first event opened there owns the ring, the others write into it. */
struct cpu_ring {
	int fd; /* -1: no such CPU, or none opened yet */
	struct ring ring;
};

struct fork_tracker {
	struct cpu_ring *cpus;
	int n_cpus;
	int *fds; /* all events but those that own a ring */
	size_t n_fds;
	struct task_forks *tasks;
	size_t n_tasks;
	uint32_t *place; /* by tid: 1 + the index in tasks; 0: none. Only pages that are used take memory */
	bool incomplete;
};

struct fork_tracker *fork_tracker_new(void)
{
	struct fork_tracker *t = xcalloc(1, sizeof(*t));

	t->n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	t->cpus = xcalloc((size_t)t->n_cpus, sizeof(*t->cpus));
	for (int cpu = 0; cpu < t->n_cpus; cpu++)
		t->cpus[cpu].fd = -1;
	t->place = xcalloc(PID_MAX_LIMIT, sizeof(*t->place));
	return t;
}

/* Good until the next call. */
static struct task_forks *task_of(struct fork_tracker *t, pid_t tid)
{
	if (!t->place[tid]) {
		ARRAY_PUSH(t->tasks, t->n_tasks);
		t->place[tid] = (uint32_t)t->n_tasks;
	}
	return &t->tasks[t->place[tid] - 1];
}

static int track_on_cpu(struct fork_tracker *t, pid_t tid, int cpu)
{
	struct cpu_ring *c = &t->cpus[cpu];
	int fd = counters_open_tracker(tid, cpu, true);
	int error;

	if (fd == -ENODEV || fd == -EINVAL) /* an offline CPU: nothing is started there */
		return 0;
	if (fd < 0)
		return fd;
	error = c->fd < 0 ? ring_open(&c->ring, fd, RING_PAGES) : counters_redirect(fd, c->fd);
	if (error < 0)
		close(fd);
	else if (c->fd < 0)
		c->fd = fd;
	else
		*ARRAY_PUSH(t->fds, t->n_fds) = fd;
	return error;
}

int fork_tracker_add(struct fork_tracker *t, pid_t tid)
{
	struct task_forks *task = task_of(t, tid);

	if (task->tracked > task->started)
		return 0;
	for (int cpu = 0; cpu < t->n_cpus; cpu++) {
		int error = track_on_cpu(t, tid, cpu);

		if (error < 0)
			return error;
	}
	task->tracked = clock_now();
	return 0;
}

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

/* A parent that has inherited events and was given its own, too, writes each record twice. Rings are per CPU, so the
 * forks of a parent that moves need not come in order of time. */
static void add_fork(struct fork_tracker *t, pid_t tid, pid_t parent, uint64_t time)
{
	struct task_forks *by, *child;
	uint64_t previous;

	if (tid <= 0 || tid >= PID_MAX_LIMIT || parent <= 0 || parent >= PID_MAX_LIMIT)
		return;
	by = task_of(t, parent);
	if (by->last_child == tid)
		return;
	previous = by->last_fork < time ? by->last_fork : 0;
	if (by->last_fork < time) {
		by->last_fork = time;
		by->last_child = tid;
	}
	child = task_of(t, tid);
	if (child->started >= time)
		return;
	child->parent = parent;
	child->started = time;
	child->previous = previous;
	if (child->last_fork < time) /* of another thread with this id */
		child->last_child = 0;
}

void fork_tracker_read(struct fork_tracker *t)
{
	for (int cpu = 0; cpu < t->n_cpus; cpu++) {
		const struct perf_event_header *header;

		while (t->cpus[cpu].fd >= 0 && (header = ring_next(&t->cpus[cpu].ring))) {
			const struct fork_record *r = (const struct fork_record *)(const void *)header;

			if (header->type == PERF_RECORD_LOST)
				t->incomplete = true;
			else if (header->type == PERF_RECORD_FORK && header->size >= sizeof(*r))
				add_fork(t, (pid_t)r->tid, (pid_t)r->ptid, r->time);
		}
		t->incomplete |= ring_is_damaged(&t->cpus[cpu].ring);
	}
}

const struct task_forks *fork_tracker_find(const struct fork_tracker *t, pid_t tid)
{
	return t->place[tid] ? &t->tasks[t->place[tid] - 1] : NULL;
}

bool fork_tracker_is_incomplete(const struct fork_tracker *t)
{
	return t->incomplete;
}

void fork_tracker_free(struct fork_tracker *t)
{
	if (!t)
		return;
	for (int cpu = 0; cpu < t->n_cpus; cpu++) {
		ring_close(&t->cpus[cpu].ring);
		if (t->cpus[cpu].fd >= 0)
			close(t->cpus[cpu].fd);
	}
	for (size_t i = 0; i < t->n_fds; i++)
		close(t->fds[i]);
	free(t->cpus);
	free(t->fds);
	free(t->tasks);
	free(t->place);
	free(t);
}
