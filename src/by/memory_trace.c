#include "by/memory_trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "by/task_rings.h"
#include "by/tree_memory.h"
#include "count/counters.h"
#include "trace/tracefs.h"

#define TRACEPOINT "kmem:rss_stat"

/* A record takes 72 bytes, and a page fault on a fast machine less than a microsecond. */
#define RING_MOST ((size_t)4 << 20)
#define RINGS_ALL ((size_t)64 << 20)
#define WAKE      (256u << 10)

/* Before Linux 6.2, each task keeps changes of up to this many pages of each kind to itself
 * (TASK_RSS_EVENTS_THRESH in mm/memory.c). */
#define PAGES_KEPT 64

enum { SPACE, OWN, KIND, SIZE, FIELDS };

struct memory_trace {
	struct task_rings rings;
	struct tracefs_field fields[FIELDS];
	uint64_t tracepoint;
	pid_t pid;
	struct tree_memory memory;
};

static void take_size(struct memory_trace *t, const union task_record *record)
{
	uint32_t space, own;
	int32_t kind;
	long size;

	if (task_record_field(record, t->fields[SPACE].offset, &space, sizeof(space)) &&
	    task_record_field(record, t->fields[OWN].offset, &own, sizeof(own)) &&
	    task_record_field(record, t->fields[KIND].offset, &kind, sizeof(kind)) &&
	    task_record_field(record, t->fields[SIZE].offset, &size, sizeof(size)))
		tree_memory_size(&t->memory, (pid_t)record->hit.pid, (pid_t)record->hit.tid, space, own,
				 (enum memory_kind)kind, size > 0 ? (uint64_t)size : 0, record->hit.time);
	else
		tree_memory_lose(&t->memory);
}

static void take_record(void *arg, const union task_record *record)
{
	struct memory_trace *t = arg;
	bool is_task = record->header.size >= sizeof(record->task);

	switch (record->header.type) {
	case PERF_RECORD_SAMPLE:
		take_size(t, record);
		break;
	case PERF_RECORD_FORK:
		if (is_task)
			tree_memory_fork(&t->memory, (pid_t)record->task.pid, (pid_t)record->task.ppid,
					 (pid_t)record->task.ptid);
		break;
	case PERF_RECORD_EXIT:
		if (is_task)
			tree_memory_exit(&t->memory, (pid_t)record->task.pid);
		break;
	case PERF_RECORD_LOST:
		tree_memory_lose(&t->memory);
		break;
	default:
		break;
	}
}

static void take_all(struct memory_trace *t)
{
	/* which records of the other CPUs are later than the loss is unknown */
	if (task_rings_update(&t->rings) || task_rings_are_damaged(&t->rings))
		tree_memory_lose(&t->memory);
	task_rings_take(&t->rings, take_record, t);
	if (task_rings_update(&t->rings))
		tree_memory_lose(&t->memory);
}

static void on_records(void *arg, int fd)
{
	(void)fd;
	take_all(arg);
}

static int open_sizes(const void *arg, int cpu)
{
	const struct memory_trace *t = arg;

	return counters_open_hits_of(t->tracepoint, t->pid, cpu, WAKE);
}

static int open_rings(struct memory_trace *t, struct error *e)
{
	size_t size = RING_MOST;
	int error = task_rings_open(&t->rings, open_sizes, t);

	while (size * t->rings.n > RINGS_ALL)
		size /= 2;
	if (error == 0)
		error = task_rings_map(&t->rings, size);
	return error < 0 ? ring_explain(error, "the tracepoint " TRACEPOINT " cannot be recorded", e) : 0;
}

int memory_trace_open(struct memory_trace **out, pid_t pid, struct error *e)
{
	struct memory_trace *t = xcalloc(1, sizeof(*t));
	int error;

	*t = (struct memory_trace){.pid = pid,
				   .fields = {[SPACE] = {"unsigned int mm_id", 0},
					      [OWN] = {"unsigned int curr", 0},
					      [KIND] = {"int member", 0},
					      [SIZE] = {"long size", 0}}};
	error = tracefs_find(TRACEPOINT, t->fields, FIELDS, &t->tracepoint, e);
	if (error == 0)
		error = open_rings(t, e);
	tree_memory_start(&t->memory, pid);
	if (error == 0)
		*out = t;
	else
		memory_trace_close(t);
	return error;
}

void memory_trace_watch(struct memory_trace *t, struct loop *loop)
{
	task_rings_watch(&t->rings, loop, on_records, t);
}

static bool kernel_is_behind(void)
{
	struct utsname system;
	unsigned long major, minor;
	char *end;

	if (uname(&system) < 0)
		return false;
	major = strtoul(system.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major < 6 || (major == 6 && minor < 2);
}

struct memory_peak memory_trace_finish(struct memory_trace *t)
{
	size_t kept;

	take_all(t);
	kept = kernel_is_behind() ? (MEMORY_KINDS - 1) * PAGES_KEPT * t->memory.peak_threads : 0;
	return (struct memory_peak){.bytes = t->memory.peak,
				    .error = kept * (size_t)sysconf(_SC_PAGESIZE),
				    .time = t->memory.peak_time,
				    .lost = t->memory.lost};
}

void memory_trace_close(struct memory_trace *t)
{
	if (!t)
		return;
	task_rings_close(&t->rings);
	tree_memory_free(&t->memory);
	free(t);
}
