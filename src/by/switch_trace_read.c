/* Decodes the records of all CPUs, in order of time. */
#include <string.h>
#include <unistd.h>

#include "by/switch_trace_internal.h"
#include "by/task_record.h"
#include "lib/util.h"

/* A sample's time agrees with the enabled time of its group if they differ by at most this time and one part in 4096:
 * the speed of CLOCK_MONOTONIC is adjusted, the speed of the other clock is not. */
#define SAME_CLOCK_NS 50000u
#define CLOCK_DRIFT   4096

struct sample_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t n, enabled, running;
	/* for each event: the value, and with several groups its id; then struct registers, or the cgroup's id */
	uint64_t values[];
};

/* The end of a probe's sample. */
struct registers {
	uint64_t abi; /* PERF_SAMPLE_REGS_ABI_... */
	uint64_t sp;  /* not with ABI_NONE */
};

union record {
	struct sample_record sample;
	union task_record task; /* all others */
};

static void report_lost(const struct switch_trace *t, const struct cpu *cpu, uint64_t lost)
{
	const struct trace_record r = {.kind = TRACE_LOST, .cpu = (size_t)(cpu - t->cpus), .lost = lost};

	t->options.handler(t->options.arg, &r);
}

/* ---- samples ---- */

/* Returns the number of bytes after the values; SIZE_MAX if values are missing. */
static size_t size_of_rest(const struct switch_trace *t, const struct sample_record *s)
{
	size_t size = sizeof(*s) + s->n * t->stride * sizeof(uint64_t);

	return s->header.size < size ? SIZE_MAX : s->header.size - size;
}

static bool is_move(const struct cpu *cpu, const struct sample_record *s)
{
	return cpu->move_id && s->header.size >= offsetof(struct sample_record, n) && s->id == cpu->move_id;
}

/* Finds the group of a sample. The sample's id is no proof: if several events sample the same switch, including events
 * of another program, the kernel writes the id and time of the first event for all (seen on Linux 6.18, not on 6.1).
 * The values always belong to the right event. Returns NULL for an invalid sample. */
static struct stream *find_stream(const struct switch_trace *t, struct cpu *cpu, const struct sample_record *s)
{
	struct stream *stream = &cpu->streams[0];

	if (s->header.size < sizeof(*s) + t->stride * sizeof(uint64_t))
		return NULL;
	if (t->stride > 1)
		while (stream->id != s->values[1])
			if (++stream == &cpu->streams[t->opened.n_groups])
				return NULL;
	return s->n == stream->n && size_of_rest(t, s) <= sizeof(struct registers) ? stream : NULL;
}

/* Returns the stack pointer at the function's entry: on some processors, a call pushes the return address, and the
 * return pops it. */
static uint64_t stack_pointer(const struct switch_trace *t, const struct sample_record *s, bool at_return)
{
	const struct registers *registers = (const void *)&s->values[s->n * t->stride];
	uint64_t pushed = 0;

	if (size_of_rest(t, s) < sizeof(*registers))
		return 0;
#if defined(__x86_64__) || defined(__i386__)
	pushed = registers->abi == PERF_SAMPLE_REGS_ABI_32 ? 4 : 8;
#endif
	return registers->sp - (at_return ? pushed : 0);
}

static bool is_by_timer(const struct stream *stream, const struct sample_record *s)
{
	return stream->timer && s->id == stream->timer;
}

/* Another program's event may use another clock. If its time differs from the group's last time plus the group's
 * enabled time since then, this sum is returned: it is usually good enough for the order. */
static uint64_t sample_time(const struct switch_trace *t, const struct cpu *cpu, const struct stream *stream,
			    const struct sample_record *s)
{
	uint64_t passed = s->enabled - stream->enabled, expected = stream->time + passed;
	uint64_t most = SAME_CLOCK_NS + passed / CLOCK_DRIFT;

	for (size_t g = 0; g < t->opened.n_groups; g++)
		if (s->id == cpu->streams[g].id || is_by_timer(&cpu->streams[g], s))
			return s->time;
	if (switch_trace_find_probe(cpu, s->id))
		return s->time;
	return s->time - expected + most <= 2 * most ? s->time : expected;
}

static uint64_t advance(uint64_t *last, uint64_t now)
{
	uint64_t added = now - *last;

	*last = now;
	return added;
}

/* Updates the stream's values, but not its times. */
static void update_values(struct stream *stream, uint64_t enabled, uint64_t running, struct trace_record *r)
{
	r->enabled = advance(&stream->enabled, enabled);
	r->running = advance(&stream->running, running);
	r->n = stream->n;
	r->added = stream->added;
	r->events = stream->events;
	r->probes = stream->probes;
	r->unreported = stream->added[0];
}

/* Passes on a sample. A timer continues to fire until it is set to rest; the counts of an unexpected sample are left to
 * the next sample. */
static bool take_sample(const struct switch_trace *t, struct cpu *cpu, const struct sample_record *s,
			struct trace_record *r)
{
	struct stream *stream = find_stream(t, cpu, s);
	const struct probe_id *hit = switch_trace_find_probe(cpu, s->id);
	bool is_snapshot = stream && is_by_timer(stream, s);

	if (!stream || (is_snapshot && !(stream->due && cpu->streams[0].due)))
		return stream;
	r->kind = is_snapshot ? TRACE_SNAPSHOT : hit ? TRACE_HIT : TRACE_SWITCH;
	if (hit) {
		r->probe = hit->probe;
		r->sp = stack_pointer(t, s, t->options.probes[hit->probe].at_return);
	}
	r->pid = (pid_t)s->pid;
	r->tid = (pid_t)s->tid;
	r->group = (size_t)(stream - cpu->streams);
	if (t->options.cgroups && size_of_rest(t, s) >= sizeof(uint64_t))
		r->cgroup = s->values[s->n * t->stride];
	stream->time = sample_time(t, cpu, stream, s);
	if (stream->time != s->time) /* it may precede a fork that was earlier */
		report_lost(t, cpu, 0);
	for (size_t i = 0; i < s->n; i++)
		stream->added[i] = advance(&stream->last[i], s->values[i * t->stride]);
	update_values(stream, s->enabled, s->running, r);
	r->unreported -= r->kind == TRACE_SWITCH;
	stream->due &= !is_snapshot && cpu->streams[0].due;
	t->options.handler(t->options.arg, r);
	return true;
}

bool switch_trace_catch_up(struct switch_trace *t, size_t cpu, size_t g, struct trace_record *r)
{
	struct stream *stream = &t->cpus[cpu].streams[g];
	const struct plan_group *group = &t->opened.groups[g];
	const struct sample now = counters_get(t->counters, cpu, group->members[0])->sample;

	for (size_t i = 0, n = 0; i < group->n && n < stream->n; i++)
		if (counters_leader(t->counters, cpu, group->members[i]) == (int)group->members[0]) {
			uint64_t value = counters_get(t->counters, cpu, group->members[i])->sample.value;

			stream->added[n] = advance(&stream->last[n], value);
			n++;
		}
	update_values(stream, now.enabled, now.running, r);
	return stream->id;
}

/* ---- other records ---- */

static bool decode_task(const union task_record *record, struct trace_record *r)
{
	if (record->header.size < sizeof(record->task))
		return false;
	r->kind = record->header.type == PERF_RECORD_FORK ? TRACE_FORK : TRACE_EXIT;
	r->pid = (pid_t)record->task.pid;
	r->tid = (pid_t)record->task.tid;
	r->ppid = (pid_t)record->task.ppid;
	r->ptid = (pid_t)record->task.ptid;
	return true;
}

static bool decode_name(const union task_record *record, struct trace_record *r)
{
	r->name = task_record_name(record);
	if (!r->name)
		return false;
	r->kind = TRACE_NAME;
	r->pid = (pid_t)record->comm.pid;
	r->tid = (pid_t)record->comm.tid;
	r->exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool decode_cgroup(const union task_record *record, struct trace_record *r)
{
	r->name = task_record_cgroup(record);
	if (!r->name)
		return false;
	r->kind = TRACE_CGROUP;
	r->cgroup = record->cgroup.id;
	return true;
}

/* Reports a full ring: the kernel reports the loss when there is room again, too late for the records of other CPUs. */
static void report_full(const struct switch_trace *t, struct cpu *cpu)
{
	if (!cpu->ring.was_full)
		return;
	cpu->owes_loss = true;
	report_lost(t, cpu, 0);
}

static void hand_over(struct switch_trace *t, struct cpu *cpu, const union record *record)
{
	struct trace_record r = {.cpu = (size_t)(cpu - t->cpus), .time = cpu->time};
	bool good = false;

	switch (record->task.header.type) {
	case PERF_RECORD_SAMPLE:
		if (is_move(cpu, &record->sample)) {
			good = switch_trace_decode_move(t, &record->task, &r);
			break;
		}
		if (!take_sample(t, cpu, &record->sample, &r))
			report_lost(t, cpu, 1);
		return;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		good = decode_task(&record->task, &r);
		break;
	case PERF_RECORD_COMM:
		good = decode_name(&record->task, &r);
		if (good && r.exec && t->options.root && r.pid == t->options.root && !t->before_exec) {
			switch_trace_read_before_exec(t);
			r.before = t->before_exec;
		}
		break;
	case PERF_RECORD_CGROUP:
		good = decode_cgroup(&record->task, &r);
		break;
	case PERF_RECORD_LOST:
		good = record->task.header.size >= sizeof(record->task.lost);
		r.kind = TRACE_LOST;
		r.lost = good ? record->task.lost.lost : 0;
		cpu->owes_loss = false;
		break;
	default:
		return;
	}
	if (good)
		t->options.handler(t->options.arg, &r);
	else
		report_lost(t, cpu, 1);
}

/* ---- order ---- */

static const union record *peek_record(struct cpu *cpu)
{
	return (const union record *)(const void *)ring_peek(&cpu->ring);
}

/* Returns 0 if the time is unknown: the record then comes as early as possible. */
static uint64_t record_time(const struct switch_trace *t, struct cpu *cpu, const union record *record)
{
	if (record->task.header.type == PERF_RECORD_SAMPLE) {
		if (is_move(cpu, &record->sample))
			return record->sample.time;
		const struct stream *stream = find_stream(t, cpu, &record->sample);

		return stream ? sample_time(t, cpu, stream, &record->sample) : 0;
	}
	return task_record_time(&record->task);
}

/* Finds the next record of this CPU, if it is not later than until. */
static void look_ahead(const struct switch_trace *t, struct cpu *cpu, uint64_t until)
{
	const union record *record = peek_record(cpu);
	uint64_t time = record ? record_time(t, cpu, record) : 0;

	time -= time == UINT64_MAX; /* a garbled time must not look like no record */
	cpu->next = UINT64_MAX;
	if (!record || time > until)
		return;
	if (time > cpu->time) /* a sample may be interrupted by another one, which is written first */
		cpu->time = time;
	cpu->next = cpu->time;
}

/* Restores the heap of CPUs, whose first element has the earliest record, from i on. */
static void heap_sink(struct switch_trace *t, size_t i)
{
	for (size_t child; (child = 2 * i + 1) < t->n_cpus; i = child) {
		struct cpu *parent = t->heap[i];

		if (child + 1 < t->n_cpus && t->heap[child + 1]->next < t->heap[child]->next)
			child++;
		if (parent->next <= t->heap[child]->next)
			return;
		t->heap[i] = t->heap[child];
		t->heap[child] = parent;
	}
}

void switch_trace_read_until(struct switch_trace *t, uint64_t until)
{
	struct cpu *cpu, *end = t->cpus + t->n_cpus;

	for (cpu = t->cpus; cpu < end; cpu++) {
		ring_update(&cpu->ring);
		look_ahead(t, cpu, until);
	}
	for (size_t i = t->n_cpus; i-- > 0;)
		heap_sink(t, i);
	while ((cpu = t->heap[0])->next != UINT64_MAX) {
		const union record *record = peek_record(cpu);

		hand_over(t, cpu, record);
		ring_skip(&cpu->ring, &record->task.header);
		look_ahead(t, cpu, until);
		if (cpu->next == UINT64_MAX)
			report_full(t, cpu);
		heap_sink(t, 0);
	}
	for (cpu = t->cpus; cpu < end; cpu++) {
		ring_update(&cpu->ring);
		report_full(t, cpu); /* up to now */
		if (cpu->ring.damaged && !cpu->damage_reported) {
			cpu->damage_reported = true;
			report_lost(t, cpu, 1);
		}
	}
}
