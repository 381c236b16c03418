/* The records of all CPUs, decoded and put in order of time. */
#include <string.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

struct sample_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t n, enabled, running;
	uint64_t values[]; /* of each: the value, and with several groups its event's id */
};

struct task_record { /* FORK, EXIT */
	struct perf_event_header header;
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

struct name_record { /* COMM */
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* What all but samples end with. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time, id;
};

/* ---- samples ---- */

/* Whose sample it is. Its id does not tell: where several events sample the same switch, another program's included,
 * the kernel makes id and time for the first of them and writes these for all (seen on Linux 6.18, not on 6.1). The
 * figures are always the event's own. NULL: it makes no sense. */
static struct stream *find_stream(const struct switch_trace *t, struct cpu *cpu, const struct sample_record *s)
{
	struct stream *stream = &cpu->streams[0];

	if (s->header.size < sizeof(*s) + t->stride * sizeof(uint64_t))
		return NULL;
	if (t->stride > 1)
		while (stream->id != s->values[1])
			if (++stream == &cpu->streams[t->opened.n_groups])
				return NULL;
	return s->n == stream->n && s->header.size == sizeof(*s) + s->n * t->stride * sizeof(uint64_t) ? stream : NULL;
}

static bool is_by_timer(const struct stream *stream, const struct sample_record *s)
{
	return stream->timer && s->id == stream->timer;
}

/* With another event's id, the time may be by another clock. */
static uint64_t sample_time(const struct stream *stream, const struct sample_record *s)
{
	if (s->id == stream->id || is_by_timer(stream, s))
		return s->time;
	return stream->time + (s->enabled - stream->enabled);
}

/* A timer goes on firing until it is set to rest; and once there is a snapshot of the main group, it is too late for
 * the others: their figures are shared out between two samples of that one. */
static bool is_surplus(const struct switch_trace *t, struct cpu *cpu, const struct sample_record *s)
{
	const struct stream *stream = find_stream(t, cpu, s);

	return stream && is_by_timer(stream, s) && !stream->due;
}

static bool decode_sample(const struct switch_trace *t, struct cpu *cpu, const struct sample_record *s,
			  struct trace_record *r)
{
	struct stream *stream = find_stream(t, cpu, s);
	bool is_snapshot;

	if (!stream)
		return false;
	is_snapshot = is_by_timer(stream, s);
	r->kind = is_snapshot ? TRACE_SNAPSHOT : TRACE_SWITCH;
	r->pid = (pid_t)s->pid;
	r->tid = (pid_t)s->tid;
	r->group = (size_t)(stream - cpu->streams);
	stream->time = sample_time(stream, s);
	r->enabled = s->enabled - stream->enabled;
	r->running = s->running - stream->running;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t value = s->values[i * t->stride];

		stream->added[i] = value - stream->last[i];
		stream->last[i] = value;
	}
	stream->enabled = s->enabled;
	stream->running = s->running;
	r->unreported = stream->added[0] - !is_snapshot;
	r->n = s->n;
	r->added = stream->added;
	r->events = stream->events;
	for (size_t g = 0; is_snapshot && g < t->opened.n_groups; g++)
		if (r->group == 0 || r->group == g)
			cpu->streams[g].due = false;
	return true;
}

size_t switch_trace_catch_up(struct switch_trace *t, size_t cpu, size_t g, struct sample *passed)
{
	struct stream *s = &t->cpus[cpu].streams[g];
	const struct plan_group *group = &t->opened.groups[g];
	const struct sample now = counters_get(t->counters, cpu, group->members[0])->sample;
	size_t n = 0;

	if (!s->id)
		return 0;
	for (size_t i = 0; i < group->n; i++)
		if (counters_leader(t->counters, cpu, group->members[i]) == (int)group->members[0]) {
			uint64_t value = counters_get(t->counters, cpu, group->members[i])->sample.value;

			s->added[n] = value - s->last[n];
			s->last[n++] = value;
		}
	*passed = (struct sample){s->added[0], now.enabled - s->enabled, now.running - s->running};
	s->enabled = now.enabled;
	s->running = now.running;
	return n;
}

/* ---- other records ---- */

static bool decode_task(const struct perf_event_header *header, struct trace_record *r)
{
	const struct task_record *task = (const struct task_record *)(const void *)header;

	if (header->size < sizeof(*task))
		return false;
	r->kind = header->type == PERF_RECORD_FORK ? TRACE_FORK : TRACE_EXIT;
	r->pid = (pid_t)task->pid;
	r->tid = (pid_t)task->tid;
	r->ppid = (pid_t)task->ppid;
	r->ptid = (pid_t)task->ptid;
	return true;
}

static bool decode_name(const struct perf_event_header *header, struct trace_record *r)
{
	const struct name_record *name = (const struct name_record *)(const void *)header;
	size_t fixed = sizeof(*name) + sizeof(struct trailer);

	if (header->size <= fixed || !memchr(name->name, '\0', header->size - fixed))
		return false;
	r->kind = TRACE_NAME;
	r->pid = (pid_t)name->pid;
	r->tid = (pid_t)name->tid;
	r->name = name->name;
	r->exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool decode_lost(const struct perf_event_header *header, struct trace_record *r)
{
	const struct lost_record *lost = (const struct lost_record *)(const void *)header;

	if (header->size < sizeof(*lost))
		return false;
	r->kind = TRACE_LOST;
	r->lost = lost->lost;
	return true;
}

static void report_lost(const struct switch_trace *t, size_t cpu, bool garbled)
{
	t->options.handler(t->options.arg,
			   &(struct trace_record){.kind = TRACE_LOST, .cpu = cpu, .lost = garbled, .garbled = garbled});
}

static void hand_over(struct switch_trace *t, size_t cpu, const struct perf_event_header *header)
{
	const struct sample_record *s = (const struct sample_record *)(const void *)header;
	struct trace_record r = {.cpu = cpu, .time = t->cpus[cpu].time};
	bool good;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		if (is_surplus(t, &t->cpus[cpu], s))
			return;
		good = decode_sample(t, &t->cpus[cpu], s, &r);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		good = decode_task(header, &r);
		break;
	case PERF_RECORD_COMM:
		good = decode_name(header, &r);
		break;
	case PERF_RECORD_LOST:
		good = decode_lost(header, &r);
		break;
	default:
		return;
	}
	if (good)
		t->options.handler(t->options.arg, &r);
	else
		report_lost(t, cpu, true);
}

/* ---- order ---- */

/* 0: not known, and the record comes as soon as may be. */
static uint64_t record_time(const struct switch_trace *t, struct cpu *cpu, const struct perf_event_header *header)
{
	const char *end = (const char *)header + header->size;

	if (header->type == PERF_RECORD_SAMPLE) {
		const struct sample_record *s = (const struct sample_record *)(const void *)header;
		const struct stream *stream = find_stream(t, cpu, s);

		return stream ? sample_time(stream, s) : 0;
	}
	if (header->size < sizeof(*header) + sizeof(struct trailer))
		return 0;
	return ((const struct trailer *)(const void *)(end - sizeof(struct trailer)))->time;
}

/* Is there something to read on this CPU, of that time at the latest? */
static void look_ahead(const struct switch_trace *t, struct cpu *cpu, uint64_t until)
{
	const struct perf_event_header *header = ring_peek(&cpu->ring);
	uint64_t time = header ? record_time(t, cpu, header) : 0;

	cpu->next = UINT64_MAX;
	if (!header || time > until)
		return;
	if (time > cpu->time) /* a sample may be interrupted by another one, which is written first */
		cpu->time = time;
	cpu->next = cpu->time;
}

/* The CPU whose next record is the earliest; NULL: there is no record. */
static struct cpu *find_earliest(const struct switch_trace *t)
{
	struct cpu *earliest = &t->cpus[0];

	for (size_t i = 1; i < t->n_cpus; i++)
		if (t->cpus[i].next < earliest->next)
			earliest = &t->cpus[i];
	return earliest->next == UINT64_MAX ? NULL : earliest;
}

void switch_trace_read_until(struct switch_trace *t, uint64_t until)
{
	struct cpu *cpu;

	for (size_t i = 0; i < t->n_cpus; i++) {
		ring_update(&t->cpus[i].ring);
		t->cpus[i].was_full = ring_was_full(&t->cpus[i].ring);
		look_ahead(t, &t->cpus[i], until);
	}
	while ((cpu = find_earliest(t))) {
		const struct perf_event_header *header = ring_peek(&cpu->ring);

		hand_over(t, (size_t)(cpu - t->cpus), header);
		ring_skip(&cpu->ring, header);
		look_ahead(t, cpu, until);
		/* the kernel tells of a loss when there is room again: too late for other CPUs' records */
		if (cpu->next == UINT64_MAX && cpu->was_full)
			report_lost(t, (size_t)(cpu - t->cpus), false);
	}
	for (size_t i = 0; i < t->n_cpus; i++) {
		bool is_damaged = ring_is_damaged(&t->cpus[i].ring);

		if (is_damaged && !t->cpus[i].damage_reported)
			report_lost(t, i, true);
		t->cpus[i].damage_reported = is_damaged;
	}
}
