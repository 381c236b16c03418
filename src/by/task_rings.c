#include "by/task_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/topology.h"
#include "lib/util.h"

int task_rings_open(struct task_rings *rings, task_ring_open *open, const void *arg)
{
	int n = topology_end(TOPOLOGY_ROOT);

	for (int cpu = 0; cpu < n; cpu++) {
		int fd = open(arg, cpu);

		if (fd == -ENODEV || fd == -EINVAL) /* offline, or does not exist */
			continue;
		if (fd < 0)
			return fd;
		ARRAY_PUSH(rings->v, rings->n)->fd = fd;
	}
	return rings->n ? 0 : -ENODEV;
}

int task_rings_map(struct task_rings *rings, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	for (size_t i = 0; i < rings->n && error == 0; i++)
		error = ring_open(&rings->v[i].ring, rings->v[i].fd, bytes / page ? bytes / page : 1);
	for (size_t i = 0; i < rings->n && error < 0; i++)
		ring_close(&rings->v[i].ring);
	return error;
}

void task_rings_watch(const struct task_rings *rings, struct loop *loop, loop_call *ready, void *arg)
{
	for (size_t i = 0; i < rings->n; i++)
		loop_add(loop, rings->v[i].fd, ready, arg);
}

bool task_rings_update(struct task_rings *rings)
{
	bool full = false;

	rings->until = clock_now();
	for (size_t i = 0; i < rings->n; i++) {
		ring_update(&rings->v[i].ring);
		full |= rings->v[i].ring.was_full;
	}
	return full;
}

/* Returns the ring with the earliest record up to the time of the update; NULL if there is none. */
static struct ring *find_earliest(const struct task_rings *rings)
{
	struct ring *earliest = NULL;
	uint64_t first = rings->until;

	for (size_t i = 0; i < rings->n; i++) {
		const struct perf_event_header *header = ring_peek(&rings->v[i].ring);
		uint64_t time = header ? task_record_time((const union task_record *)(const void *)header) : UINT64_MAX;

		if (!header || time > first)
			continue;
		first = time;
		earliest = &rings->v[i].ring;
	}
	return earliest;
}

void task_rings_take(struct task_rings *rings, task_ring_take *take, void *arg)
{
	struct ring *ring;

	while ((ring = find_earliest(rings))) {
		const struct perf_event_header *header = ring_peek(ring);

		take(arg, (const union task_record *)(const void *)header);
		ring_skip(ring, header);
	}
}

bool task_rings_are_damaged(const struct task_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++)
		if (rings->v[i].ring.damaged)
			return true;
	return false;
}

void task_rings_close(struct task_rings *rings)
{
	for (size_t i = 0; i < rings->n; i++) {
		ring_close(&rings->v[i].ring);
		close(rings->v[i].fd);
	}
	free(rings->v);
	*rings = (struct task_rings){.n = 0};
}
