/* Opens the events and their rings, and finds out whether the kernel writes the records. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "by/task_reads_internal.h"

/* A task needs 72 bytes for each event in the ring of reads, and about 200 in the rings of its CPUs, which wake the
 * reader when a part of them is full. */
#define READS_MOST  ((size_t)2 << 20)
#define TASKS_MOST  ((size_t)128 << 10)
#define TASKS_ALL   ((size_t)16 << 20)
#define WAKE_READS  (16u << 10)
#define WAKE_TASKS  (4u << 10)
#define STACK_BYTES 16384

/* ---- the probe ---- */

__attribute__((no_sanitize_address)) static int end_at_once(void *arg)
{
	(void)arg;
	_exit(0);
}

/* Starts a process that ends, without a signal to this one. */
static int fork_once(void)
{
	char stack[STACK_BYTES] __attribute__((aligned(16)));
	pid_t pid = clone(end_at_once, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, NULL);

	if (pid < 0)
		return -errno;
	while (waitpid(pid, NULL, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int task_reads_probe(struct error *e)
{
	auto_close int fd = counters_open_task_records(TASK_RECORDS_NONE, -1, WAKE_READS);
	auto_close int inherited = fd < 0 ? -1 : counters_open_task_records(TASK_RECORDS_READS, -1, 0);
	struct ring ring = {.page = NULL};
	struct read_ring reads = {.size = 0};
	struct read_record read;
	int error = fd < 0 ? fd : inherited < 0 ? inherited : 0;

	if (error == 0)
		error = ring_open(&ring, fd, 1);
	if (error == 0)
		error = counters_redirect(inherited, fd);
	if (error == 0)
		error = fork_once();
	if (error == 0) {
		reads = (struct read_ring){.data = ring_words(&ring), .size = ring.size};
		if (read_ring_next(&reads, ring.page->data_head, UINT64_MAX, &read) != READ_GOOD)
			error = -EOPNOTSUPP;
	}
	read_ring_free(&reads);
	ring_close(&ring);
	if (error == -EOPNOTSUPP)
		return error_set(e, EOPNOTSUPP,
				 "this kernel does not report the counts of tasks that end (most from Linux 5.13 to "
				 "6.18.1 do not)");
	return error < 0 ? ring_explain(error, "the counts of tasks that end cannot be recorded", e) : 0;
}

/* ---- rings ---- */

static int map_rings_of(struct task_reads *t, size_t reads, size_t tasks)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error = ring_open(&t->ring, t->fd, reads / page ? reads / page : 1);

	if (error == 0)
		error = task_rings_map(&t->tasks, tasks);
	if (error < 0)
		ring_close(&t->ring);
	return error;
}

/* Maps the largest possible rings: the kernel limits the memory that users may lock. */
static int map_rings(struct task_reads *t, struct error *e)
{
	size_t reads = READS_MOST, tasks = TASKS_MOST, page = (size_t)sysconf(_SC_PAGESIZE);
	int error;

	while (tasks > page && tasks * t->tasks.n > TASKS_ALL)
		tasks /= 2;
	for (;;) {
		error = map_rings_of(t, reads, tasks);
		if (error == 0 || reads <= page)
			break;
		reads /= 2;
		tasks /= 2;
	}
	t->reads = (struct read_ring){.data = error ? NULL : ring_words(&t->ring), .size = t->ring.size};
	return error < 0 ? ring_explain(error, "the counts of tasks that end cannot be recorded", e) : 0;
}

static int open_names(const void *cmdline, int cpu)
{
	/* a command line can be read only while the process lives */
	return counters_open_task_records(TASK_RECORDS_NAMES, cpu, *(const bool *)cmdline ? 1 : WAKE_TASKS);
}

static int open_task_rings(struct task_reads *t, struct error *e)
{
	int error;

	t->fd = counters_open_task_records(TASK_RECORDS_NONE, -1, WAKE_READS);
	if (t->fd < 0)
		return ring_explain(t->fd, "the counts of tasks that end cannot be recorded", e);
	error = task_rings_open(&t->tasks, open_names, &t->options.cmdline);
	if (error < 0)
		return ring_explain(error, "starts and ends of tasks cannot be recorded", e);
	return map_rings(t, e);
}

/* ---- events ---- */

static int compare_ids(const void *left, const void *right)
{
	const struct read_id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

static int redirect_events(struct task_reads *t, struct error *e)
{
	for (size_t event = 0; event < t->options.plan->n_events; event++) {
		int fd = counters_fd(t->counters, 0, event), error;

		if (fd < 0)
			continue;
		error = counters_redirect(fd, t->fd);
		if (error < 0)
			return error_set(e, -error, "%s: its counts of tasks that end cannot be recorded: %s",
					 t->options.plan->events[event].name, strerror(-error));
		*ARRAY_PUSH(t->ids, t->n_ids) =
			(struct read_id){.id = counters_id(t->counters, 0, event), .event = event};
	}
	if (t->n_ids)
		qsort(t->ids, t->n_ids, sizeof(*t->ids), compare_ids);
	return 0;
}

int task_reads_open(struct task_reads **out, const struct task_reads_options *options, struct error *e)
{
	struct task_reads *t = xcalloc(1, sizeof(*t));
	const struct counters_options counted = {.inherit = true,
						 .task_reads = true,
						 .enable_on_exec = true,
						 .order = options->order,
						 .memory = options->memory};
	int error;

	t->options = *options;
	t->fd = t->retry = -1;
	t->ledger = ledger_new(options->plan->n_events, options->by);
	t->counters = counters_new(options->plan, &counted);
	*out = t;
	error = open_task_rings(t, e);
	if (error == 0)
		error = counters_open(t->counters, &(struct slot){.pid = 0, .cpu = -1}, e);
	return error < 0 ? error : redirect_events(t, e);
}

void task_reads_close_events(struct task_reads *t)
{
	if (t->retry >= 0)
		close(t->retry);
	t->retry = -1;
	counters_free(t->counters);
	t->counters = NULL;
	task_rings_close(&t->tasks);
	ring_close(&t->ring);
	read_ring_free(&t->reads);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

void task_reads_close(struct task_reads *t)
{
	if (!t)
		return;
	task_reads_close_events(t);
	ledger_free(t->ledger);
	free(t->ids);
	free(t->pending);
	free(t->executed);
	free(t);
}
