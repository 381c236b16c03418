/* Reads the records and passes them on to the ledger. */
#include "by/task_reads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "by/task_reads_internal.h"
#include "host/procfs.h"

/* Every record has been written completely after this time, though data_head may never tell. */
#define WRITTEN_NS 1000000u

/* A command line is complete some microseconds after the record of the exec, later if the process loses its CPU there.
 * A program that has cleared its command line is asked for RETRIES in vain. */
#define RETRY_NS 1000000u
#define RETRIES  1000

/* ---- starts, names and ends ---- */

static void take_name(struct task_reads *t, const union task_record *record, uint64_t time)
{
	const char *name = task_record_name(record);
	bool exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;

	if (!name) {
		ledger_lose(t->ledger, 1);
		return;
	}
	ledger_name(t->ledger, (pid_t)record->comm.pid, (pid_t)record->comm.tid, name, exec, time);
	if (!exec || !t->options.cmdline)
		return;
	*ARRAY_PUSH(t->executed, t->n_executed) = (pid_t)record->comm.pid;
	t->retries = 0;
}

static void take_record(void *arg, const union task_record *record)
{
	struct task_reads *t = arg;
	uint64_t time = task_record_time(record);
	bool is_task = record->header.size >= sizeof(record->task);

	switch (record->header.type) {
	case PERF_RECORD_FORK:
		if (is_task)
			ledger_fork(t->ledger,
				    &(struct task_ids){(pid_t)record->task.pid, (pid_t)record->task.tid,
						       (pid_t)record->task.ppid, (pid_t)record->task.ptid},
				    time);
		break;
	case PERF_RECORD_EXIT:
		if (is_task && !(t->stopped && time > t->stopped))
			ledger_exit(t->ledger, (pid_t)record->task.tid, time);
		break;
	case PERF_RECORD_COMM:
		take_name(t, record, time);
		break;
	case PERF_RECORD_MMAP:
		if (record->header.size >= sizeof(record->mapping))
			ledger_map(t->ledger, (pid_t)record->mapping.tid, time);
		break;
	case PERF_RECORD_LOST:
		ledger_lose(t->ledger, record->header.size >= sizeof(record->lost) ? record->lost.lost : 1);
		break;
	default:
		break;
	}
}

/* A record of a child is later than the start of the child, so its start is also there. */
static void take_tasks(struct task_reads *t)
{
	task_rings_update(&t->tasks);
	task_rings_take(&t->tasks, take_record, t);
	task_rings_update(&t->tasks);
	if (task_rings_are_damaged(&t->tasks))
		ledger_lose(t->ledger, 0);
}

/* The kernel records an exec before the command line is complete; a program without shared libraries then maps nothing,
 * and has no later record. A process that has ended has no command line. */
static void read_cmdlines(struct task_reads *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_executed; i++) {
		char *cmdline = procfs_read_cmdline(t->executed[i]);

		if (cmdline)
			ledger_set_cmdline(t->ledger, t->executed[i], cmdline);
		else if (ledger_is_alive(t->ledger, t->executed[i]))
			t->executed[n++] = t->executed[i];
	}
	t->n_executed = n;
}

/* ---- reads ---- */

static int compare_ids(const void *left, const void *right)
{
	const struct read_id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Collects the reads in the ring, and returns their space. */
static void collect_reads(struct task_reads *t, bool last)
{
	uint64_t head = __atomic_load_n(&t->ring.page->data_head, __ATOMIC_ACQUIRE);
	uint64_t until = last ? UINT64_MAX : clock_now() - WRITTEN_NS;
	struct read_record read;
	enum read_kind kind;

	while ((kind = read_ring_next(&t->reads, head, until, &read)) != READ_NONE)
		if (kind == READ_GOOD)
			*ARRAY_PUSH(t->pending, t->n_pending) = read;
	read_ring_release(&t->reads, until);
	__atomic_store_n(&t->ring.page->data_tail, t->reads.tail, __ATOMIC_RELEASE);
}

/* Passes on the collected reads, whose tasks are known by now. Lost and damaged reads need no mark: the ledger misses
 * them. */
static void take_reads(struct task_reads *t)
{
	for (size_t i = 0; i < t->n_pending; i++) {
		const struct read_record *r = &t->pending[i];
		const struct read_id wanted = {.id = r->id};
		const struct read_id *id = bsearch(&wanted, t->ids, t->n_ids, sizeof(*t->ids), compare_ids);

		if (id && !(t->stopped && r->time > t->stopped))
			ledger_read(t->ledger, r->pid, r->tid, id->event, r->sample, r->time);
	}
	t->n_pending = 0;
}

static void take_all(struct task_reads *t, bool last)
{
	collect_reads(t, last);
	take_tasks(t);
	read_cmdlines(t);
	take_reads(t);
}

/* ---- the life cycle ---- */

static void on_retry(void *arg, int fd)
{
	struct task_reads *t = arg;

	timer_read(fd);
	t->retries++;
	read_cmdlines(t);
	if (t->n_executed && t->retries < RETRIES)
		return;
	loop_remove(t->loop, fd);
	close(fd);
	t->retry = -1;
}

/* Command lines that are still missing are read again until they are there. */
static void begin_retry(struct task_reads *t)
{
	struct error ignored; /* without a timer, the next record leads to the next read */

	if (!t->n_executed || t->retry >= 0 || t->retries >= RETRIES)
		return;
	t->retry = timer_open(clock_now() + RETRY_NS, RETRY_NS, &ignored);
	if (t->retry >= 0)
		loop_add(t->loop, t->retry, on_retry, t);
}

static void on_records(void *arg, int fd)
{
	(void)fd;
	take_all(arg, false);
	begin_retry(arg);
}

void task_reads_watch(struct task_reads *t, struct loop *loop)
{
	t->loop = loop;
	loop_add(loop, t->fd, on_records, t);
	task_rings_watch(&t->tasks, loop, on_records, t);
}

struct counters *task_reads_counters(struct task_reads *t)
{
	return t->counters;
}

void task_reads_stop(struct task_reads *t)
{
	if (!t->stopped)
		t->stopped = clock_now();
}

void task_reads_finish(struct task_reads *t, const struct count *totals)
{
	task_reads_stop(t);
	take_all(t, true);
	ledger_finish(t->ledger, totals);
	task_reads_close_events(t);
}

struct ledger *task_reads_ledger(struct task_reads *t)
{
	return t->ledger;
}
