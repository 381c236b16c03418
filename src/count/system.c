#include "count/system.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Events on several CPUs are switched on and off one after another; the difference is less than 1% of the time, or than
 * this. */
#define STOPPED_NS 10000000

/* A CPU has a slot, or one for each cgroup. */
static size_t slots_of_cpu(const struct system *s)
{
	return s->options.cgroups ? s->options.cgroups->n : 1;
}

static struct slot slot_of(const struct system *s, int cpu, size_t i)
{
	return (struct slot){.pid = -1, .cpu = cpu, .cgroup = s->options.cgroups ? &s->options.cgroups->v[i] : NULL};
}

static int open_cpu(struct system *s, int cpu, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < slots_of_cpu(s) && error == 0; i++) {
		struct slot slot = slot_of(s, cpu, i);

		error = counters_open(s->counters, &slot, e);
	}
	return error;
}

/* Finds the wanted CPUs, which must all be online, or all online CPUs. */
static int find_cpus(const struct cpuset *wanted, struct cpuset *cpus, struct error *e)
{
	if (!wanted || wanted->n == 0)
		return topology_online(TOPOLOGY_ROOT, cpus, e);
	for (size_t i = 0; i < wanted->n; i++)
		*ARRAY_PUSH(cpus->cpus, cpus->n) = wanted->cpus[i];
	return topology_check(TOPOLOGY_ROOT, cpus, e);
}

int system_open(struct system *s, struct counters *counters, const struct system_options *options, struct error *e)
{
	int error;

	*s = (struct system){.options = *options, .counters = counters};
	error = find_cpus(options->cpus, &s->counted, e);
	if (error == 0)
		error = topology_open(&s->topology, TOPOLOGY_ROOT, options->scope, options->cache_level, &s->counted,
				      e);
	for (size_t i = 0; i < s->counted.n && error == 0; i++)
		error = open_cpu(s, s->counted.cpus[i], e);
	return error;
}

/* ---- CPUs that go offline and come online ---- */

static void cpu_goes(struct system *s, int cpu)
{
	if (!cpuset_has(&s->counted, cpu))
		return;
	cpuset_remove(&s->counted, cpu);
	cpuset_add(&s->gone, cpu);
	for (size_t i = 0; i < counters_slots(s->counters); i++)
		if (counters_slot(s->counters, i)->cpu == cpu)
			counters_mark_slot(s->counters, i, SLOT_GONE);
}

static void cpu_comes(struct system *s, int cpu)
{
	const struct cpuset *wanted = s->options.cpus;
	size_t before = counters_slots(s->counters);
	struct error e;

	if (cpuset_has(&s->counted, cpu) || (wanted && wanted->n && !cpuset_has(wanted, cpu)) ||
	    open_cpu(s, cpu, &e) < 0)
		return;
	for (size_t i = before; i < counters_slots(s->counters); i++) {
		counters_mark_slot(s->counters, i, SLOT_CAME);
		counters_switch_slot(s->counters, i, true);
	}
	cpuset_add(&s->counted, cpu);
	cpuset_add(&s->came, cpu);
}

/* Returns true if the kernel's list of online CPUs has changed since the last call. The file stays open, since opening
 * and parsing it would be a quarter of an interval's work. */
static bool online_changed(struct system *s)
{
	char text[sizeof(s->online)];
	ssize_t n;

	if (s->online_file <= 0)
		s->online_file = open(TOPOLOGY_ROOT "/cpu/online", O_RDONLY | O_CLOEXEC);
	n = pread(s->online_file, text, sizeof(text), 0);
	if (n > 0 && (size_t)n < sizeof(text) && (size_t)n == s->n_online && memcmp(text, s->online, (size_t)n) == 0)
		return false;
	s->n_online = n > 0 ? (size_t)n : 0;
	memcpy(s->online, text, s->n_online);
	return true;
}

void system_update(struct system *s)
{
	auto_cpuset struct cpuset online = {0};
	struct error e;

	if (!online_changed(s) || topology_online(TOPOLOGY_ROOT, &online, &e) < 0)
		return;
	for (size_t i = s->counted.n; i-- > 0;)
		if (!cpuset_has(&online, s->counted.cpus[i]))
			cpu_goes(s, s->counted.cpus[i]);
	for (size_t i = 0; i < online.n; i++)
		cpu_comes(s, online.cpus[i]);
}

/* Returns the longest time that an event of the slot was enabled. */
static uint64_t enabled_on(const struct counts *counts, size_t slot)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < counts->n_events; i++)
		if (counts_at(counts, slot, i)->sample.enabled > longest)
			longest = counts_at(counts, slot, i)->sample.enabled;
	return longest;
}

/* The kernel stops events on a CPU that goes offline and does not start them when it comes back, so that they were
 * enabled for a shorter time than events of other CPUs. Events of cgroups are enabled only while their tasks run.
 * Pinned events, which lose their times with their counters, have a clock beside them (plan_add_clock). */
static void find_stopped(struct system *s)
{
	struct counts counts = {0};
	uint64_t longest = 0, slack = counters_switching(s->counters) + STOPPED_NS;

	if (s->options.cgroups)
		return;
	counters_fetch(s->counters, &counts);
	for (size_t i = 0; i < counts.n_slots; i++)
		if (enabled_on(&counts, i) > longest)
			longest = enabled_on(&counts, i);
	for (size_t i = 0; i < counts.n_slots; i++) {
		int cpu = counters_slot(s->counters, i)->cpu;

		if (!counters_slot_is_open(s->counters, i) || cpuset_has(&s->came, cpu) || cpuset_has(&s->gone, cpu) ||
		    enabled_on(&counts, i) + longest / 100 + slack >= longest)
			continue;
		counters_mark_slot(s->counters, i, SLOT_STOPPED);
		cpuset_add(&s->stopped, cpu);
	}
	counts_free(&counts);
}

static void note_cpus(struct strings *notes, const struct cpuset *cpus, const char *how, const char *when)
{
	auto_free char *text = cpuset_text(cpus);
	bool one = cpus->n == 1;

	if (cpus->n)
		strings_add(notes, "CPU%s %s %s: %s counted %s", one ? "" : "s", text, how,
			    one ? "it was" : "they were", when);
}

void system_finish(struct system *s, struct strings *notes)
{
	system_update(s);
	find_stopped(s);
	note_cpus(notes, &s->gone, "went offline", "until then");
	note_cpus(notes, &s->came, "came online", "from then on");
	note_cpus(notes, &s->stopped, "went offline and came back", "until it went");
}

/* ---- rows ---- */

static bool is_any_open(const struct system *s, const struct cgroup *cgroup)
{
	for (size_t i = 0; i < counters_slots(s->counters); i++)
		if (counters_slot(s->counters, i)->cgroup == cgroup && counters_slot_is_open(s->counters, i))
			return true;
	return false;
}

/* Adds the cgroup's remark to all its rows; checks it once. */
static void remark_cgroup(const struct system *s, const struct cgroup *cgroup, struct aggr_map *map)
{
	bool removed = cgroup_is_removed(cgroup);
	auto_free char *remark = cgroup_remark(cgroup, removed);
	auto_free char *obstacle = is_any_open(s, cgroup) ? NULL : cgroup_obstacle(cgroup);

	for (size_t i = 0; i < map->n_slots; i++) {
		struct key *key = &map->keys[map->key_of[i]];

		if (counters_slot(s->counters, i)->cgroup != cgroup)
			continue;
		key->removed = removed;
		if (remark && !key->remark)
			key->remark = xstrdup(remark);
		if (obstacle && !key->obstacle)
			key->obstacle = xstrdup(obstacle);
	}
}

void system_group(struct system *s, struct aggr_map *map)
{
	const struct cgroup_set *cgroups = s->options.cgroups;
	size_t n = counters_slots(s->counters);
	auto_free struct slot *slots = NULL;

	if (s->options.scope == AGGR_TOTAL && !cgroups) {
		aggr_map_total(map, n);
		return;
	}
	slots = xcalloc(n, sizeof(*slots));
	for (size_t i = 0; i < n; i++)
		slots[i] = *counters_slot(s->counters, i);
	aggr_map_cpus(map, &s->topology, cgroups, slots, n);
	for (size_t i = 0; cgroups && i < cgroups->n; i++)
		remark_cgroup(s, &cgroups->v[i], map);
}

void system_close(struct system *s)
{
	if (s->online_file > 0)
		close(s->online_file);
	topology_free(&s->topology);
	cpuset_free(&s->counted);
	cpuset_free(&s->gone);
	cpuset_free(&s->came);
	cpuset_free(&s->stopped);
	*s = (struct system){.counters = NULL};
}
