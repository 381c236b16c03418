#include "system.h"

#include <errno.h>

#include "hotplug.h"

static struct slot slot_of(int cpu)
{
	return (struct slot){.pid = -1, .cpu = cpu};
}

int system_cpus(const struct cpuset *wanted, struct cpuset *cpus, struct error *e)
{
	if (!wanted || wanted->n == 0)
		return topology_online(TOPOLOGY_ROOT, cpus, e);
	for (size_t i = 0; i < wanted->n; i++)
		*ARRAY_PUSH(cpus->cpus, cpus->n) = wanted->cpus[i];
	return topology_check(TOPOLOGY_ROOT, cpus, e);
}

static int reserve(struct system *s, struct error *e)
{
	auto_free char *what = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->counted.n; i++) {
		struct slot slot = slot_of(s->counted.cpus[i]);

		n += counters_slot_size(s->counters, &slot);
	}
	what = xasprintf("the events on %zu CPUs", s->counted.n);
	return descriptors_reserve(&s->descriptors, n, what, e);
}

int system_open(struct system *s, struct counters *counters, const struct system_options *options, struct error *e)
{
	int error;

	*s = (struct system){.options = *options, .counters = counters};
	error = system_cpus(options->cpus, &s->counted, e);
	if (error == 0)
		error = topology_open(&s->topology, TOPOLOGY_ROOT, options->scope, options->cache_level, &s->counted,
				      e);
	if (error == 0)
		error = reserve(s, e);
	for (size_t i = 0; i < s->counted.n && error == 0; i++) {
		struct slot slot = slot_of(s->counted.cpus[i]);

		error = counters_open(counters, &slot, e);
	}
	return error;
}

/* ---- CPUs that go and come ---- */

static bool is_wanted(const struct system *s, int cpu)
{
	const struct cpuset *wanted = s->options.cpus;

	return !wanted || wanted->n == 0 || cpuset_has(wanted, cpu);
}

static void cpu_goes(struct system *s, int cpu)
{
	if (!cpuset_has(&s->counted, cpu))
		return;
	cpuset_remove(&s->counted, cpu);
	cpuset_add(&s->gone, cpu);
	for (size_t i = 0; i < counters_slots(s->counters); i++)
		if (counters_slot(s->counters, i)->cpu == cpu)
			counters_end_slot(s->counters, i);
}

static void cpu_comes(struct system *s, int cpu)
{
	struct slot slot = slot_of(cpu);
	struct error e;

	if (cpuset_has(&s->counted, cpu) || !is_wanted(s, cpu))
		return;
	if (counters_open(s->counters, &slot, &e) < 0)
		return;
	counters_enable_slot(s->counters, counters_slots(s->counters) - 1);
	cpuset_add(&s->counted, cpu);
	cpuset_add(&s->came, cpu);
}

/* What no message told. Counting a CPU that came is of use only while there is something to come. */
static void look(struct system *s, bool goes_on)
{
	struct cpuset online = {0};
	struct error e;

	if (topology_online(TOPOLOGY_ROOT, &online, &e) == 0) {
		for (size_t i = s->counted.n; i-- > 0;)
			if (!cpuset_has(&online, s->counted.cpus[i]))
				cpu_goes(s, s->counted.cpus[i]);
		for (size_t i = 0; i < online.n && goes_on; i++)
			cpu_comes(s, online.cpus[i]);
	}
	cpuset_free(&online);
}

static void on_uevent(void *arg, int fd)
{
	struct system *s = arg;
	enum hotplug_kind kind;
	int cpu = 0;

	while ((kind = hotplug_next(fd, &cpu)) != HOTPLUG_NONE) {
		if (kind == HOTPLUG_OFFLINE)
			cpu_goes(s, cpu);
		else if (kind == HOTPLUG_ONLINE)
			cpu_comes(s, cpu);
		else
			look(s, true);
	}
}

void system_watch(struct system *s, struct loop *loop)
{
	s->uevents = hotplug_open();
	s->watching = s->uevents >= 0;
	if (s->watching)
		loop_add(loop, s->uevents, on_uevent, s);
}

static void note_cpus(struct strings *notes, const struct cpuset *cpus, const char *one, const char *many)
{
	auto_free char *text = cpuset_text(cpus);

	if (cpus->n)
		strings_add(notes, "CPU%s %s %s", cpus->n == 1 ? "" : "s", text, cpus->n == 1 ? one : many);
}

void system_settle(struct system *s, struct strings *notes)
{
	look(s, false);
	note_cpus(notes, &s->gone, "went offline: it was counted until then",
		  "went offline: they were counted until then");
	note_cpus(notes, &s->came, "came online: it was counted from then on",
		  "came online: they were counted from then on");
}

/* ---- rows ---- */

void system_group(struct system *s, struct grouping *grouping)
{
	size_t n = counters_slots(s->counters);
	auto_free int *cpus = NULL;

	if (s->options.scope == SCOPE_TOTAL) {
		grouping_total(grouping, n);
		return;
	}
	cpus = xcalloc(n, sizeof(*cpus));
	for (size_t i = 0; i < n; i++)
		cpus[i] = counters_slot(s->counters, i)->cpu;
	grouping_cpus(grouping, &s->topology, cpus, n);
}

void system_close(struct system *s)
{
	if (s->watching)
		close(s->uevents);
	topology_free(&s->topology);
	cpuset_free(&s->counted);
	cpuset_free(&s->gone);
	cpuset_free(&s->came);
	descriptors_restore(&s->descriptors);
	*s = (struct system){.counters = NULL};
}
