#include "count/fork_tracker.h"

#include <errno.h>
#include <unistd.h>

#include "count/counters.h"
#include "lib/util.h"

#define RING_PAGES 32 /* 128 KiB: some 2,000 forks between two reads, on each CPU */

struct fork_tracker *fork_tracker_new(void)
{
	struct fork_tracker *t = xcalloc(1, sizeof(*t));

	t->n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	t->rings = xcalloc((size_t)t->n_cpus, sizeof(*t->rings));
	t->ring_fds = xcalloc((size_t)t->n_cpus, sizeof(*t->ring_fds));
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

/* The first event that is opened on a CPU owns the ring, the others write into it. */
static int track_on_cpu(struct fork_tracker *t, pid_t tid, int cpu)
{
	int fd = counters_open_tracker(tid, cpu, true);

	if (fd == -ENODEV || fd == -EINVAL) /* an offline CPU: nothing is started there */
		return 0;
	if (fd < 0)
		return fd;
	*ARRAY_PUSH(t->fds, t->n_fds) = fd;
	if (t->rings[cpu].page)
		return counters_redirect(fd, t->ring_fds[cpu]);
	t->ring_fds[cpu] = fd;
	return ring_open(&t->rings[cpu], fd, RING_PAGES);
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

		while (t->rings[cpu].page && (header = ring_next(&t->rings[cpu]))) {
			const struct fork_record *r = (const struct fork_record *)(const void *)header;

			if (header->type == PERF_RECORD_LOST)
				t->incomplete = true;
			else if (header->type == PERF_RECORD_FORK && header->size >= sizeof(*r))
				add_fork(t, (pid_t)r->tid, (pid_t)r->ptid, r->time);
		}
		t->incomplete |= ring_is_damaged(&t->rings[cpu]);
	}
}

const struct task_forks *fork_tracker_find(const struct fork_tracker *t, pid_t tid)
{
	return t->place[tid] ? &t->tasks[t->place[tid] - 1] : NULL;
}

void fork_tracker_free(struct fork_tracker *t)
{
	if (!t)
		return;
	for (int cpu = 0; cpu < t->n_cpus; cpu++)
		ring_close(&t->rings[cpu]);
	for (size_t i = 0; i < t->n_fds; i++)
		close(t->fds[i]);
	free(t->rings);
	free(t->ring_fds);
	free(t->fds);
	free(t->tasks);
	free(t->place);
	free(t);
}
