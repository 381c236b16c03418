#include "births.h"

#include <errno.h>
#include <unistd.h>

#include "counters.h"
#include "ring.h"
#include "util.h"

#define RING_PAGES 32 /* 128 KiB: some 2,000 births between two reads, on each CPU */

/* Per CPU: the first tracker opened there owns the ring, the others write into it. */
struct cpu_ring {
	int fd; /* -1: no such CPU, or none opened yet */
	struct ring ring;
};

struct births {
	struct cpu_ring *cpus;
	int n_cpus;
	int *fds; /* all other trackers */
	size_t n_fds;
	struct birth *births;
	size_t n;
	bool incomplete;
};

struct births *births_new(void)
{
	struct births *b = xcalloc(1, sizeof(*b));

	b->n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	b->cpus = xcalloc((size_t)b->n_cpus, sizeof(*b->cpus));
	for (int cpu = 0; cpu < b->n_cpus; cpu++)
		b->cpus[cpu].fd = -1;
	return b;
}

static int track_on_cpu(struct births *b, pid_t tid, int cpu)
{
	struct cpu_ring *c = &b->cpus[cpu];
	int fd = counters_open_tracker(tid, cpu, true);
	int error;

	if (fd == -ENODEV || fd == -EINVAL) /* an offline CPU: nothing is started there */
		return 0;
	if (fd < 0)
		return fd;
	if (c->fd < 0) {
		error = ring_open(&c->ring, fd, RING_PAGES);
		if (error == 0)
			c->fd = fd;
	} else {
		error = counters_redirect(fd, c->fd);
		if (error == 0)
			*ARRAY_PUSH(b->fds, b->n_fds) = fd;
	}
	if (error < 0)
		close(fd);
	return error;
}

int births_track(struct births *b, pid_t tid)
{
	for (int cpu = 0; cpu < b->n_cpus; cpu++) {
		int error = track_on_cpu(b, tid, cpu);

		if (error < 0)
			return error;
	}
	return 0;
}

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

static void take_record(struct births *b, const struct perf_event_header *header)
{
	const struct fork_record *r = (const struct fork_record *)(const void *)header;

	if (header->type == PERF_RECORD_LOST)
		b->incomplete = true;
	if (header->type == PERF_RECORD_FORK && header->size >= sizeof(*r))
		*ARRAY_PUSH(b->births, b->n) = (struct birth){(pid_t)r->tid, (pid_t)r->ptid, r->time};
}

void births_read(struct births *b)
{
	for (int cpu = 0; cpu < b->n_cpus; cpu++) {
		struct cpu_ring *c = &b->cpus[cpu];
		const struct perf_event_header *header;

		if (c->fd < 0)
			continue;
		while ((header = ring_next(&c->ring)))
			take_record(b, header);
		b->incomplete |= ring_is_damaged(&c->ring);
	}
}

const struct birth *births_find(const struct births *b, pid_t tid)
{
	const struct birth *last = NULL;

	/* rings are per CPU, so the list is not in order of time; a tid may have been used twice */
	for (size_t i = 0; i < b->n; i++)
		if (b->births[i].tid == tid && (!last || b->births[i].time > last->time))
			last = &b->births[i];
	return last;
}

bool births_is_incomplete(const struct births *b)
{
	return b->incomplete;
}

void births_free(struct births *b)
{
	if (!b)
		return;
	for (int cpu = 0; cpu < b->n_cpus; cpu++) {
		ring_close(&b->cpus[cpu].ring);
		if (b->cpus[cpu].fd >= 0)
			close(b->cpus[cpu].fd);
	}
	for (size_t i = 0; i < b->n_fds; i++)
		close(b->fds[i]);
	free(b->cpus);
	free(b->fds);
	free(b->births);
	free(b);
}
