/* Probes: their events are members of each group of each CPU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "by/switch_trace_internal.h"
#include "lib/util.h"

void switch_trace_add_member(struct switch_trace *t, struct plan_group *g, const struct event *event, size_t origin)
{
	size_t n = t->opened.n_events, at = plan_add_event(&t->opened, event);

	t->opened.events[at].attr.use_clockid = 1; /* a group has one clock */
	t->opened.events[at].attr.clockid = CLOCK_MONOTONIC;
	plan_add_member(&t->opened, g, at);
	*ARRAY_PUSH(t->origin, n) = origin;
	t->probe_of = xreallocarray(t->probe_of, n, sizeof(*t->probe_of));
	t->probe_of[at] = SIZE_MAX;
}

/* Returns the bit of the stack pointer among the user's registers, as numbered in the kernel's asm/perf_regs.h; 0 if
 * unknown. */
static uint64_t stack_register(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return 1u << 7;
#elif defined(__aarch64__)
	return 1u << 31;
#elif defined(__riscv)
	return 1u << 2;
#elif defined(__powerpc__)
	return 1u << 1;
#elif defined(__s390x__)
	return 1u << 15;
#elif defined(__arm__)
	return 1u << 13;
#elif defined(__loongarch__)
	return 1u << 3;
#else
	return 0;
#endif
}

/* Like the timer, they are members of each group, so that their samples include the group's values. */
void switch_trace_add_probes(struct switch_trace *t, struct plan_group *g)
{
	for (size_t i = 0; i < t->options.n_probes; i++) {
		struct perf_event_attr *attr;
		size_t at = t->opened.n_events;

		switch_trace_add_member(t, g, &t->options.probes[i], OWN_EVENT);
		t->probe_of[at] = i;
		attr = &t->opened.events[at].attr;
		attr->sample_period = 1;
		attr->sample_type = t->leader.attr.sample_type;
		attr->sample_id_all = 1;
		attr->sample_regs_user = stack_register();
		if (attr->sample_regs_user)
			attr->sample_type |= PERF_SAMPLE_REGS_USER;
	}
}

int switch_trace_redirect(const struct switch_trace *t, size_t cpu, size_t event)
{
	int fd = counters_fd(t->counters, cpu, event), main_fd = switch_trace_fd(t, cpu);

	return fd >= 0 && fd != main_fd ? counters_redirect(fd, main_fd) : 0;
}

/* Stores its number in the kernel's records, and sends these to the CPU's ring. */
static int open_probe(struct switch_trace *t, size_t cpu, size_t event)
{
	const struct count *count = counters_get(t->counters, cpu, event);

	if (!count->open)
		return count->error ? -count->error : -EINVAL;
	*ARRAY_PUSH(t->cpus[cpu].probes, t->cpus[cpu].n_probes) =
		(struct probe_id){counters_id(t->counters, cpu, event), t->probe_of[event]};
	return switch_trace_redirect(t, cpu, event);
}

static int compare_probe_ids(const void *a, const void *b)
{
	const struct probe_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

const struct probe_id *switch_trace_find_probe(const struct cpu *cpu, uint64_t id)
{
	const struct probe_id key = {.id = id};

	return cpu->n_probes ? bsearch(&key, cpu->probes, cpu->n_probes, sizeof(key), compare_probe_ids) : NULL;
}

int switch_trace_open_probes(struct switch_trace *t, size_t cpu, struct error *e)
{
	struct cpu *c = &t->cpus[cpu];

	for (size_t event = 0; event < t->opened.n_events; event++) {
		size_t probe = t->probe_of[event];
		int error = probe == SIZE_MAX ? 0 : open_probe(t, cpu, event);

		if (error < 0)
			return error_set(e, -error, "'%s' cannot be probed on CPU %d: %s",
					 t->options.probes[probe].name, switch_trace_cpu(t, cpu), strerror(-error));
	}
	if (c->n_probes)
		qsort(c->probes, c->n_probes, sizeof(*c->probes), compare_probe_ids);
	return 0;
}
