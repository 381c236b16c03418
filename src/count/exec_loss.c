#include "count/exec_loss_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/counters.h"
#include "host/time_namespace.h"
#include "host/topology.h"
#include "lib/kernel.h"
#include "lib/util.h"

#define RING_PAGES 16      /* 64 KiB: some 50 programs between two reads, on each CPU */
#define RECENT_NS  1000000 /* a record as young may come before one that another CPU is still writing */

static bool open_on_cpu(struct exec_loss *loss, const pid_t *tids, size_t n, int cpu)
{
	uint32_t watermark = RING_PAGES * (uint32_t)sysconf(_SC_PAGESIZE) / 2;
	int first = -1;

	for (size_t i = 0; i < n; i++) {
		int fd = counters_open_exec_records(tids[i], cpu, watermark);

		if (fd == -ENODEV || fd == -EINVAL) /* an offline CPU: nothing is executed there */
			return true;
		if (fd == -ESRCH) /* the thread has ended */
			continue;
		if (fd < 0)
			return false;
		if (loss->n + loss->n_others == EXEC_LOSS_EVENTS || (first < 0 && loss->n == EXEC_LOSS_CPUS)) {
			close(fd);
			return false;
		}
		if (first >= 0) {
			*ARRAY_PUSH(loss->others, loss->n_others) = fd;
			if (counters_redirect(fd, first) < 0)
				return false;
			continue;
		}
		loss->fds[loss->n] = first = fd;
		if (ring_open(&loss->rings[loss->n++], fd, RING_PAGES) < 0)
			return false;
	}
	return true;
}

struct exec_loss *exec_loss_open(const pid_t *tids, size_t n, const pid_t *only, size_t n_only)
{
	int end = topology_end(TOPOLOGY_ROOT);
	size_t online = end > EXEC_LOSS_CPUS ? topology_count(TOPOLOGY_ROOT) : (size_t)end;
	struct exec_loss *loss;
	bool all = true;

	if (online > EXEC_LOSS_CPUS || n * online > EXEC_LOSS_EVENTS)
		return NULL;
	loss = xcalloc(1, sizeof(*loss));
	for (size_t i = 0; i < n_only; i++)
		*ARRAY_PUSH(loss->only, loss->n_only) = only[i];
	/* all that there may be: a container's /sys may hide some that are online */
	for (int cpu = 0; cpu < end && all; cpu++)
		all = open_on_cpu(loss, tids, n, cpu);
	if (all)
		return loss;
	exec_loss_free(loss);
	return NULL;
}

/* ---- records ---- */

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct exit_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
};

static bool is_followed(const struct exec_loss *loss, pid_t pid)
{
	size_t i = 0;

	while (i < loss->n_only && loss->only[i] != pid)
		i++;
	return !loss->n_only || i < loss->n_only;
}

static void add_record(struct exec_loss *loss, const struct perf_event_header *header)
{
	const struct comm_record *named = (const struct comm_record *)(const void *)header;
	const struct exit_record *ended = (const struct exit_record *)(const void *)header;
	bool is_exec = header->type == PERF_RECORD_COMM && (header->misc & PERF_RECORD_MISC_COMM_EXEC);
	struct task_record *r;

	loss->n_ended += header->type == PERF_RECORD_EXIT;
	if (!is_exec && header->type != PERF_RECORD_MMAP && header->type != PERF_RECORD_EXIT)
		return;
	if (is_exec && !is_followed(loss, (pid_t)named->pid))
		return;
	r = ARRAY_PUSH(loss->records, loss->n_records);
	r->type = header->type;
	r->tid = header->type == PERF_RECORD_EXIT ? ended->tid : named->tid;
	memcpy(&r->time, (const char *)header + header->size - sizeof(r->time), sizeof(r->time));
	if (is_exec)
		snprintf(r->comm, sizeof(r->comm), "%s", named->comm);
}

static void take_record(struct exec_loss *loss, const struct task_record *r)
{
	size_t i = 0;

	while (i < loss->n_executed && loss->executed[i].tid != r->tid)
		i++;
	if (i < loss->n_executed) {
		if (r->type == PERF_RECORD_EXIT && !*loss->found)
			memcpy(loss->found, loss->executed[i].comm, COMM_SIZE);
		loss->executed[i] = loss->executed[--loss->n_executed];
	}
	if (r->type == PERF_RECORD_COMM)
		*ARRAY_PUSH(loss->executed, loss->n_executed) = *r;
}

static int compare_times(const void *a, const void *b)
{
	const struct task_record *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void exec_loss_read(struct exec_loss *loss, bool end)
{
	const struct perf_event_header *header;
	bool lossy = false;
	size_t taken = 0;
	uint64_t until;

	if (!loss)
		return;
	/* before the first ring is read: what is later may be missing where it was read first */
	until = clock_now() - (end ? 0 : RECENT_NS);
	for (size_t i = 0; i < loss->n; i++) {
		while ((header = ring_next(&loss->rings[i]))) {
			/* the kernel tells when it writes again */
			lossy |= ring_was_full(&loss->rings[i]) || header->type == PERF_RECORD_LOST;
			add_record(loss, header);
		}
		lossy |= ring_is_damaged(&loss->rings[i]);
	}
	if (lossy) { /* what a program has mapped may be among what is missing: what is there tells nothing */
		loss->incomplete = true;
		loss->n_records = loss->n_executed = 0;
	}
	if (loss->n_records == 0)
		return;
	until -= (uint64_t)time_namespace_offset();
	qsort(loss->records, loss->n_records, sizeof(*loss->records), compare_times);
	while (taken < loss->n_records && loss->records[taken].time < until)
		take_record(loss, &loss->records[taken++]);
	loss->n_records -= taken;
	memmove(loss->records, loss->records + taken, loss->n_records * sizeof(*loss->records));
}

/* That nothing is left to be read here tells nothing: another ring's call may have read this one. */
static void on_records(void *arg, int fd)
{
	struct exec_loss *loss = arg;

	exec_loss_read(loss, false);
	if (loop_has_hung_up(loss->loop, fd)) /* the tree has ended */
		loop_remove(loss->loop, fd);
}

void exec_loss_watch(struct exec_loss *loss, struct loop *loop)
{
	for (size_t i = 0; loss && i < loss->n; i++)
		loop_add(loop, loss->fds[i], on_records, loss);
	if (loss)
		loss->loop = loop;
}

size_t exec_loss_ended(const struct exec_loss *loss)
{
	return loss ? loss->n_ended : 0;
}

const char *exec_loss_found(const struct exec_loss *loss)
{
	return loss && *loss->found ? loss->found : NULL;
}

bool exec_loss_is_complete(const struct exec_loss *loss)
{
	return loss && !loss->incomplete;
}

void exec_loss_free(struct exec_loss *loss)
{
	if (!loss)
		return;
	for (size_t i = 0; i < loss->n; i++) {
		ring_close(&loss->rings[i]);
		close(loss->fds[i]);
	}
	for (size_t i = 0; i < loss->n_others; i++)
		close(loss->others[i]);
	free(loss->only);
	free(loss->others);
	free(loss->records);
	free(loss->executed);
	free(loss);
}
