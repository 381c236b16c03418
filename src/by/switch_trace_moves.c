/* Moves of tasks to other cgroups: a tracepoint on each CPU, whose hits are in the CPU's ring. */
#include <errno.h>
#include <string.h>

#include "by/switch_trace_internal.h"
#include "host/procfs.h"
#include "lib/util.h"
#include "trace/tracefs.h"

#define TRACEPOINT "cgroup:cgroup_attach_task"

static int find_tracepoint(struct switch_trace *t, uint64_t *id, struct error *e)
{
	struct tracefs_field fields[] = {{"int pid", 0}, {"u64 dst_id", 0}};

	if (!procfs_names_all_tasks())
		return error_set(e, ENODEV,
				 "--by=cgroup needs the initial PID namespace, whose ids are in the records of moves");
	if (tracefs_find(TRACEPOINT, fields, ARRAY_SIZE(fields), id, e) < 0) {
		e->code = ENODEV; /* EACCES would be explained as missing rights to watch CPUs */
		return error_hint(e, "--by=cgroup needs the tracepoint " TRACEPOINT);
	}
	t->moved_pid = fields[0].offset;
	t->moved_to = fields[1].offset;
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

bool switch_trace_decode_move(const struct switch_trace *t, const union task_record *record, struct trace_record *r)
{
	int32_t pid;

	if (!task_record_field(record, t->moved_pid, &pid, sizeof(pid)) ||
	    !task_record_field(record, t->moved_to, &r->cgroup, sizeof(r->cgroup)))
		return false;
	r->kind = TRACE_MOVE;
	r->pid = r->tid = pid;
	return true;
}
