#include "count/births.h"

#include <errno.h>
#include <unistd.h>

#include "count/counters.h"
#include "host/census.h"
#include "lib/ring.h"
#include "lib/util.h"

#define RING_PAGES    32         /* 128 KiB: some 2,000 births between two reads, on each CPU */
#define SAME_BIRTH_NS 100000000u /* no parent's child gets its id again that soon */

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

/* Was a thread tracked itself, and that between two times, these excluded? */
static const struct tracked *find_tracked(const struct births *b, pid_t tid, uint64_t from, uint64_t to)
{
	for (size_t i = b->n_tracked; i-- > 0;)
		if (b->tracked[i].tid == tid && b->tracked[i].since > from && b->tracked[i].since < to)
			return &b->tracked[i];
	return NULL;
}

/* Is it tracked itself, or has it inherited trackers on every CPU, from one that was tracked before the birth of the
 * next in line? The first one that was told of then may have been in the making before. */
static bool is_followed(const struct births *b, pid_t tid)
{
	const struct birth *birth = births_find(b, tid);
	uint64_t before = UINT64_MAX;

	if (find_tracked(b, tid, birth ? birth->time : 0, UINT64_MAX))
		return true;
	while (birth && birth->time < before) {
		const struct tracked *starter = find_tracked(b, birth->parent, 0, birth->time);

		if (starter)
			return births_count(b, birth->parent, starter->since, birth->time) > 0;
		before = birth->time;
		birth = births_find(b, birth->parent);
	}
	return false;
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

/* Rings are per CPU, so births do not come in order of time; a tid may be used twice; and who is tracked twice, being
 * tracked anew, is told of twice. */
static void add_birth(struct births *b, struct birth birth)
{
	const struct birth *known = births_find(b, birth.tid);

	if (birth.tid < 0 || birth.tid >= PID_MAX_LIMIT || (known && known->time >= birth.time))
		return;
	if (known && known->parent == birth.parent && birth.time - known->time < SAME_BIRTH_NS)
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
		add_birth(b, (struct birth){.tid = (pid_t)r->tid, .parent = (pid_t)r->ptid, .time = r->time});
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

size_t births_count(const struct births *b, pid_t parent, uint64_t from, uint64_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->births[i].parent == parent && b->births[i].time > from && b->births[i].time < to;
	return n;
}

void births_cut(struct births *b, pid_t tid)
{
	const struct birth *birth = births_find(b, tid);

	if (birth)
		b->births[b->last[tid] - 1].cut = true;
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
