#include "births.h"

#include <errno.h>
#include <unistd.h>

#include "counters.h"
#include "ring.h"
#include "util.h"

#define RING_PAGES    32                /* 128 KiB: some 2,000 births between two reads, on each CPU */
#define PID_MAX_LIMIT (4 * 1024 * 1024) /* include/linux/threads.h */

/* Per CPU: the first tracker opened there owns the ring, the others write into it. */
struct cpu_ring {
	int fd; /* -1: no such CPU, or none opened yet */
	struct ring ring;
};

struct tracked {
	pid_t tid;
	uint64_t since; /* CLOCK_MONOTONIC, ns: tracked on every CPU from then on */
};

struct births {
	struct cpu_ring *cpus;
	int n_cpus;
	int *fds; /* all other trackers */
	size_t n_fds;
	struct tracked *tracked;
	size_t n_tracked;
	struct birth *births;
	size_t n;
	uint32_t *last; /* by tid: 1 + the index of its last birth; 0: none. Only pages that are used take memory */
	bool incomplete;
};

struct births *births_new(void)
{
	struct births *b = xcalloc(1, sizeof(*b));

	b->n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	b->cpus = xcalloc((size_t)b->n_cpus, sizeof(*b->cpus));
	for (int cpu = 0; cpu < b->n_cpus; cpu++)
		b->cpus[cpu].fd = -1;
	b->last = xcalloc(PID_MAX_LIMIT, sizeof(*b->last));
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

static bool tracked_at(const struct births *b, pid_t tid, uint64_t time)
{
	for (size_t i = 0; i < b->n_tracked; i++)
		if (b->tracked[i].tid == tid && b->tracked[i].since < time)
			return true;
	return false;
}

/* Is a thread, or one that it descends from, tracked on every CPU since before the birth of the next in line? */
static bool is_followed(struct births *b, pid_t tid)
{
	pid_t ancestor = tid;
	uint64_t time = UINT64_MAX;

	while (!tracked_at(b, ancestor, time)) {
		const struct birth *birth = births_find(b, ancestor);

		if (!birth || birth->time >= time)
			return false;
		ancestor = birth->parent;
		time = birth->time;
	}
	if (ancestor != tid) /* the next search, perhaps from the end of a long line, ends here */
		*ARRAY_PUSH(b->tracked, b->n_tracked) = (struct tracked){tid, births_find(b, tid)->time};
	return true;
}

int births_track(struct births *b, pid_t tid)
{
	if (is_followed(b, tid))
		return 0;
	for (int cpu = 0; cpu < b->n_cpus; cpu++) {
		int error = track_on_cpu(b, tid, cpu);

		if (error < 0)
			return error;
	}
	*ARRAY_PUSH(b->tracked, b->n_tracked) = (struct tracked){tid, clock_now()};
	return 0;
}

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

/* Rings are per CPU, so births do not come in order of time; a tid may be used twice. */
static void add_birth(struct births *b, struct birth birth)
{
	const struct birth *known = births_find(b, birth.tid);

	if (birth.tid < 0 || birth.tid >= PID_MAX_LIMIT || (known && known->time >= birth.time))
		return;
	*ARRAY_PUSH(b->births, b->n) = birth;
	b->last[birth.tid] = (uint32_t)b->n;
}

static void take_record(struct births *b, const struct perf_event_header *header)
{
	const struct fork_record *r = (const struct fork_record *)(const void *)header;

	if (header->type == PERF_RECORD_LOST)
		b->incomplete = true;
	if (header->type == PERF_RECORD_FORK && header->size >= sizeof(*r))
		add_birth(b, (struct birth){(pid_t)r->tid, (pid_t)r->ptid, r->time});
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
	uint32_t last = tid >= 0 && tid < PID_MAX_LIMIT ? b->last[tid] : 0;

	return last ? &b->births[last - 1] : NULL;
}

void births_cut(struct births *b, pid_t tid)
{
	const struct birth *birth = births_find(b, tid);

	if (birth)
		b->births[b->last[tid] - 1].parent = 0;
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
	free(b->tracked);
	free(b->births);
	free(b->last);
	free(b);
}
