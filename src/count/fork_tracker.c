#include "count/fork_tracker.h"

#include <errno.h>
#include <unistd.h>

#include "count/counters.h"
#include "host/time_namespace.h"
#include "host/topology.h"
#include "lib/ring.h"
#include "lib/util.h"

#define RING_PAGES 32 /* 128 KiB: some 2,000 forks between two reads, on each CPU */

struct fork_tracker {
	struct ring *rings; /* per CPU */
	int *ring_fds;      /* whose event owns the ring */
	int n_cpus;
	int *fds; /* all events */
	size_t n_fds;
	int64_t clock_offset; /* of CLOCK_MONOTONIC here from that of the records */
	bool has_lost;
};

struct fork_tracker *fork_tracker_new(void)
{
	struct fork_tracker *t = xcalloc(1, sizeof(*t));

	t->n_cpus = topology_end(TOPOLOGY_ROOT);
	t->rings = xcalloc((size_t)t->n_cpus, sizeof(*t->rings));
	t->ring_fds = xcalloc((size_t)t->n_cpus, sizeof(*t->ring_fds));
	t->clock_offset = time_namespace_offset();
	return t;
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
	int error = 0;

	for (int cpu = 0; cpu < t->n_cpus && error == 0; cpu++)
		error = track_on_cpu(t, tid, cpu);
	return error;
}

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

bool fork_tracker_next(struct fork_tracker *t, struct task_fork *fork)
{
	for (int cpu = 0; cpu < t->n_cpus; cpu++) {
		const struct perf_event_header *header;

		while (t->rings[cpu].page && (header = ring_next(&t->rings[cpu]))) {
			const struct fork_record *r = (const struct fork_record *)(const void *)header;

			t->has_lost |= header->type == PERF_RECORD_LOST;
			if (header->type != PERF_RECORD_FORK || header->size < sizeof(*r))
				continue;
			*fork = (struct task_fork){(pid_t)r->ptid, (pid_t)r->tid, r->time + (uint64_t)t->clock_offset};
			return true;
		}
		t->has_lost |= ring_is_damaged(&t->rings[cpu]);
	}
	return false;
}

bool fork_tracker_has_lost(const struct fork_tracker *t)
{
	return t->has_lost;
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
	free(t);
}
