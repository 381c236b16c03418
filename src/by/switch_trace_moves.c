/* Moves of tasks to other cgroups: a tracepoint on each CPU, whose hits are in the CPU's ring. */
#include <errno.h>
#include <string.h>

#include "by/switch_trace_internal.h"
#include "host/procfs.h"
#include "lib/util.h"
#include "trace/tracefs.h"

#define TRACEPOINT "cgroup:cgroup_attach_task"

struct move_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid; /* of the task that moves others */
	uint64_t time;
	uint32_t size;
	char data[]; /* as in the tracepoint's format */
};

static int find_tracepoint(struct switch_trace *t, uint64_t *id, struct error *e)
{
	auto_tracefs struct tracefs tracefs = {.root = NULL};
	struct event event = {.name = NULL};
	int n;

	if (!procfs_names_all_tasks())
		return error_set(e, ENODEV,
				 "--by=cgroup needs the initial PID namespace, whose ids are in the records of moves");
	n = tracefs_resolve(&tracefs, TRACEPOINT, &event, e);
	if (n == 0)
		n = tracefs_check(&tracefs, e);
	if (n <= 0) {
		e->code = ENODEV; /* EACCES would be explained as missing rights to watch CPUs */
		return error_hint(e, "--by=cgroup needs the tracepoint " TRACEPOINT);
	}
	*id = event.attr.config;
	event_free(&event);
	if (tracefs_offset(&tracefs, TRACEPOINT, "int pid", &t->moved_pid) < 0 ||
	    tracefs_offset(&tracefs, TRACEPOINT, "u64 dst_id", &t->moved_to) < 0)
		return error_set(e, ENODEV, "the format of the tracepoint " TRACEPOINT " is unknown");
	return 0;
}

int switch_trace_open_moves(struct switch_trace *t, struct error *e)
{
	uint64_t tracepoint;
	int error = find_tracepoint(t, &tracepoint, e);

	for (size_t i = 0; i < t->n_cpus && error == 0; i++) {
		struct cpu *cpu = &t->cpus[i];
		int ready;

		cpu->move_fd = counters_open_hits(tracepoint, switch_trace_cpu(t, i), &cpu->move_id);
		ready = cpu->move_fd < 0 ? cpu->move_fd : counters_redirect(cpu->move_fd, switch_trace_fd(t, i));
		if (ready < 0) {
			error = error_set(e, ENODEV, "the tracepoint " TRACEPOINT " cannot be recorded: %s",
					  strerror(-ready));
			error_hint(e, "--by=cgroup needs root, or CAP_PERFMON");
		}
	}
	return error;
}

bool switch_trace_decode_move(const struct switch_trace *t, const struct perf_event_header *record,
			      struct trace_record *r)
{
	const struct move_record *move = (const void *)record;
	size_t fixed = offsetof(struct move_record, data);
	int32_t pid;

	if (record->size < fixed || move->size > record->size - fixed || t->moved_pid + sizeof(pid) > move->size ||
	    t->moved_to + sizeof(r->cgroup) > move->size)
		return false;
	memcpy(&pid, move->data + t->moved_pid, sizeof(pid));
	memcpy(&r->cgroup, move->data + t->moved_to, sizeof(r->cgroup));
	r->kind = TRACE_MOVE;
	r->pid = r->tid = pid;
	return true;
}
