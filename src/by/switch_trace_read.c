/* The records of all CPUs, taken apart and put in order of time. */
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

/* Whose sample it is. Its id does not tell: where several events sample the same switch, another program's included,
 * the kernel makes id and time for the first of them and writes these for all (seen on Linux 6.18, not on 6.1). The
 * figures are always the event's own. NULL: it makes no sense. */
static struct stream *find_stream(const struct switch_trace *t, struct cpu *cpu, const struct perf_event_header *header)
{
	const struct sample_record *s = (const struct sample_record *)(const void *)header;
	struct stream *stream = &cpu->streams[0];

	if (header->size < sizeof(*s) + t->stride * sizeof(uint64_t))
		return NULL;
	if (t->stride > 1)
		while (stream->id != s->values[1])
			if (++stream == &cpu->streams[t->opened.n_groups])
				return NULL;
	return s->n == stream->n && header->size == sizeof(*s) + s->n * t->stride * sizeof(uint64_t) ? stream : NULL;
}

static bool is_by_timer(const struct stream *stream, const struct sample_record *s)
{
	return stream->timer && s->id == stream->timer;
}

/* 0: none, it comes as soon as may be. */
static uint64_t record_time(const struct switch_trace *t, struct cpu *cpu, const struct perf_event_header *header)
{
	const char *end = (const char *)header + header->size;

	if (header->type == PERF_RECORD_SAMPLE) {
		const struct sample_record *s = (const struct sample_record *)(const void *)header;
		const struct stream *stream = find_stream(t, cpu, header);

		if (!stream)
			return 0;
		/* another one's time may be by another clock */
		return s->id == stream->id || is_by_timer(stream, s) ? s->time
								     : stream->time + (s->enabled - stream->enabled);
	}
	if (header->size >= sizeof(*header) + sizeof(struct trailer))
		return ((const struct trailer *)(const void *)(end - sizeof(struct trailer)))->time;
	return 0;
}

static bool decode_sample(const struct switch_trace *t, struct cpu *cpu, const struct perf_event_header *header,
			  struct switch_trace_record *r)
{
	const struct sample_record *s = (const struct sample_record *)(const void *)header;
	struct stream *stream = find_stream(t, cpu, header);
	bool is_cut;

	if (!stream)
		return false;
	is_cut = is_by_timer(stream, s);
	r->kind = is_cut ? TIMELINE_CUT : TIMELINE_SWITCH;
	r->pid = (pid_t)s->pid;
	r->tid = (pid_t)s->tid;
	r->group = (size_t)(stream - cpu->streams);
	stream->time = record_time(t, cpu, header);
	r->enabled = s->enabled - stream->enabled;
	r->running = s->running - stream->running;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t value = s->values[i * t->stride];

		stream->added[i] = value - stream->last[i];
		stream->last[i] = value;
	}
	stream->enabled = s->enabled;
	stream->running = s->running;
	r->unreported = stream->added[0] - !is_cut;
	r->n = s->n;
	r->added = stream->added;
	r->events = stream->events;
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

/* A timer goes on firing until it is switched off. And once the main group has been cut, it is too late for the others:
 * what they say is shared out between two samples of that one. */
static bool is_idle_cut(const struct switch_trace *t, struct cpu *cpu, const struct perf_event_header *header)
{
	const struct sample_record *s = (const struct sample_record *)(const void *)header;
	const struct stream *stream = find_stream(t, cpu, header);

	return stream && is_by_timer(stream, s) && !stream->due;
}

static void note_cut(const struct switch_trace *t, struct cpu *cpu, size_t group)
{
	cpu->streams[group].due = false;
	for (size_t g = 0; g < t->opened.n_groups && group == 0; g++)
		cpu->streams[g].due = false;
	cpu->cut |= group == 0;
}

static bool decode_task(const struct perf_event_header *header, struct switch_trace_record *r)
{
	const struct task_record *task = (const struct task_record *)(const void *)header;

	if (header->size < sizeof(*task))
		return false;
	r->kind = header->type == PERF_RECORD_FORK ? TIMELINE_FORK : TIMELINE_EXIT;
	r->pid = (pid_t)task->pid;
	r->tid = (pid_t)task->tid;
	r->ppid = (pid_t)task->ppid;
	r->ptid = (pid_t)task->ptid;
	return true;
}

static bool decode_name(const struct perf_event_header *header, struct switch_trace_record *r)
{
	const struct name_record *name = (const struct name_record *)(const void *)header;
	size_t fixed = sizeof(*name) + sizeof(struct trailer);

	if (header->size <= fixed || !memchr(name->name, '\0', header->size - fixed))
		return false;
	r->kind = TIMELINE_NAME;
	r->pid = (pid_t)name->pid;
	r->tid = (pid_t)name->tid;
	r->name = name->name;
	r->exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static void tell_lost(size_t cpu, uint64_t lost, switch_trace_handler *handler, void *arg)
{
	handler(arg, &(struct switch_trace_record){.kind = TIMELINE_LOST, .cpu = cpu, .lost = lost});
}

static void tell_garbled(size_t cpu, switch_trace_handler *handler, void *arg)
{
	handler(arg, &(struct switch_trace_record){.kind = TIMELINE_LOST, .cpu = cpu, .lost = 1, .garbled = true});
}

static void deliver(struct switch_trace *t, size_t cpu, const struct perf_event_header *header,
		    switch_trace_handler *handler, void *arg)
{
	struct switch_trace_record r = {.cpu = cpu, .time = t->cpus[cpu].time};
	bool good = false;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		if (is_idle_cut(t, &t->cpus[cpu], header))
			return;
		good = decode_sample(t, &t->cpus[cpu], header, &r);
		if (good && r.kind == TIMELINE_CUT)
			note_cut(t, &t->cpus[cpu], r.group);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		good = decode_task(header, &r);
		break;
	case PERF_RECORD_COMM:
		good = decode_name(header, &r);
		break;
	case PERF_RECORD_LOST:
		if (header->size < sizeof(struct lost_record))
			break;
		tell_lost(cpu, ((const struct lost_record *)(const void *)header)->lost, handler, arg);
		return;
	default:
		return;
	}
	if (good)
		handler(arg, &r);
	else
		tell_garbled(cpu, handler, arg);
}

static bool is_earlier(const struct switch_trace *t, size_t i, size_t k)
{
	return t->cpus[t->heap[i]].time < t->cpus[t->heap[k]].time;
}

static void heap_swap(struct switch_trace *t, size_t i, size_t k)
{
	size_t cpu = t->heap[i];

	t->heap[i] = t->heap[k];
	t->heap[k] = cpu;
}

static void heap_sink(struct switch_trace *t)
{
	for (size_t i = 0;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < t->n_heap && is_earlier(t, child + 1, child))
			child++;
		if (child >= t->n_heap || !is_earlier(t, child, i))
			return;
		heap_swap(t, i, child);
		i = child;
	}
}

static void heap_add(struct switch_trace *t, size_t cpu)
{
	size_t i = t->n_heap++;

	t->heap[i] = cpu;
	for (; i > 0 && is_earlier(t, i, (i - 1) / 2); i = (i - 1) / 2)
		heap_swap(t, i, (i - 1) / 2);
}

/* Is there something to read on this CPU before that time? Sets its time. */
static const struct perf_event_header *cpu_peek(const struct switch_trace *t, struct cpu *cpu, uint64_t until)
{
	const struct perf_event_header *header = ring_peek(&cpu->ring);
	uint64_t time;

	if (!header)
		return NULL;
	time = record_time(t, cpu, header);
	if (time > until)
		return NULL;
	if (time > cpu->time) /* a sample may be interrupted by another one, which is written first */
		cpu->time = time;
	return header;
}

static void check_damage(struct switch_trace *t, size_t cpu, switch_trace_handler *handler, void *arg)
{
	struct cpu *c = &t->cpus[cpu];

	if (ring_is_damaged(&c->ring) && !c->damage_told)
		tell_garbled(cpu, handler, arg);
	c->damage_told = ring_is_damaged(&c->ring);
}

void switch_trace_read_until(struct switch_trace *t, uint64_t until, switch_trace_handler *handler, void *arg)
{
	t->n_heap = 0;
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++) {
		ring_update(&t->cpus[cpu].ring);
		t->cpus[cpu].was_full = ring_was_full(&t->cpus[cpu].ring);
		if (cpu_peek(t, &t->cpus[cpu], until))
			heap_add(t, cpu);
	}
	while (t->n_heap) {
		size_t cpu = t->heap[0];
		struct cpu *c = &t->cpus[cpu];
		const struct perf_event_header *header = ring_peek(&c->ring);

		deliver(t, cpu, header, handler, arg);
		ring_skip(&c->ring, header);
		if (!cpu_peek(t, c, until)) {
			t->heap[0] = t->heap[--t->n_heap];
			/* the kernel tells of a loss when there is room again: too late for other CPUs' records */
			if (c->was_full)
				tell_lost(cpu, 0, handler, arg);
		}
		heap_sink(t);
	}
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		check_damage(t, cpu, handler, arg);
}

/* What is written to one ring after another one was looked at is left for the next time, if it happened after the
 * first look: cause and effect on two CPUs stay in order. */
void switch_trace_read(struct switch_trace *t, switch_trace_handler *handler, void *arg)
{
	switch_trace_read_until(t, clock_now(), handler, arg);
	for (size_t cpu = 0; cpu < t->n_cpus; cpu++)
		ring_update(&t->cpus[cpu].ring);
	switch_trace_disarm(t);
}
