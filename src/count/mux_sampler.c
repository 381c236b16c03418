#include "count/mux_sampler.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/random.h"
#include "lib/util.h"
#include "plan/rotation.h"
#include "pmu/sysfs.h"

#define NS_PER_MS 1000000u
#define CYCLE_MIN (8u * NS_PER_MS)

/* Other processes may multiplex with a group that is alone on its PMU. The first look for them is after this time, each
 * later look after twice the previous time. OTHERS_MAX limits the number of groups in their cycle. */
#define LOOK_NS    ((uint64_t)10 * NS_PER_MS)
#define LOOKS_MAX  30
#define OTHERS_MAX 16

/* The wait as a multiple of the cost of a reading. The interrupted tasks lose about twice the cost. */
#define COST_SHARE      350
#define CPUS_MAX        4  /* at most this many CPUs share the cost: one of them does the work */
#define UNBOUNDED       48 /* number of readings at any cost: with fewer, nothing would be known about a short run */
#define UNBOUNDED_AGAIN 10 /* ... and in each interval */

/* A multiplexed group on one slot: its counts when its last slice ended. */
struct group_slices {
	struct sample *at_end; /* for each member */
	struct sample read;    /* the times at the last reading, from the slice's beginning */
	double moment;         /* sum of the running time between two readings * the middle of the readings */
	struct mux_stats *stats;
};

struct mux_sampler {
	const struct plan *plan;
	struct counters *counters;
	bool *marked;                /* for each group: it is multiplexed */
	bool *watched;               /* for each group: it is multiplexed, or others may cause it */
	bool is_sampling;            /* any group is multiplexed */
	uint64_t *intervals;         /* for each group: of rotation, ns; 0 if it is not multiplexed */
	uint64_t cycle;              /* of rotation, ns; the longest of all PMUs */
	uint64_t wait;               /* between two of the first readings */
	struct group_slices *slices; /* [slot * n_groups + group] */
	size_t n_slots, n_slices;
	struct loop *loop;
	int timer; /* -1 before it is first set */
	struct random random;
	uint64_t cost;              /* CPU time of a reading, ns */
	size_t readings, unbounded; /* so far, and the number up to which they are made at any cost */
};

/* ---- multiplexed groups and their rotation ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Marks the groups of a PMU on which this one is multiplexed. n: number of groups in a rotation cycle. */
static void mark_pmu(struct mux_sampler *s, size_t group, uint64_t n)
{
	uint64_t interval =
		NS_PER_MS * (uint64_t)sysfs_mux_interval(SYSFS_ROOT, (uint32_t)rotation_pmu(s->plan, group));

	for (size_t g = 0; g < s->plan->n_groups; g++)
		if (s->watched[g] && rotation_pmu(s->plan, g) == rotation_pmu(s->plan, group)) {
			s->marked[g] = true;
			s->intervals[g] = interval;
		}
	s->is_sampling = true;
	s->cycle = larger(s->cycle, larger(interval * n, CYCLE_MIN));
	s->wait = larger(s->wait, larger(interval, CYCLE_MIN / 2));
	s->unbounded = s->readings + UNBOUNDED;
}

/* True if the group may be multiplexed with other groups of the plan or of other processes. Pinned groups are not;
 * groups bound to a CPU are off it while the task is elsewhere. */
static bool may_be_multiplexed(const struct plan *plan, size_t group)
{
	const struct event *leader = &plan->events[plan->groups[group].members[0]];

	return rotation_count(plan, group) > 1 ||
	       (rotation_pmu(plan, group) != UINT64_MAX && !leader->attr.pinned && leader->cpu < 0);
}

struct mux_sampler *mux_sampler_new(const struct plan *plan)
{
	struct mux_sampler *s;
	size_t first = 0;

	while (first < plan->n_groups && !may_be_multiplexed(plan, first))
		first++;
	if (first == plan->n_groups)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->plan = plan;
	s->timer = -1;
	s->marked = xcalloc(plan->n_groups, sizeof(*s->marked));
	s->watched = xcalloc(plan->n_groups, sizeof(*s->watched));
	s->intervals = xcalloc(plan->n_groups, sizeof(*s->intervals));
	for (size_t g = first; g < plan->n_groups; g++)
		s->watched[g] = may_be_multiplexed(plan, g);
	for (size_t g = first; g < plan->n_groups; g++)
		if (!s->marked[g] && rotation_count(plan, g) > 1)
			mark_pmu(s, g, rotation_count(plan, g));
	s->random.state = clock_now() ^ (uint64_t)getpid() << 32;
	return s;
}

/* Events of a task that count on one kind of cores are off their PMU on the others. */
static bool is_off_for_others(const struct mux_sampler *s, size_t slot, size_t event)
{
	const struct count *count = counters_get(s->counters, slot, event);
	bool is_elsewhere = s->plan->events[event].core >= 0 && counters_slot(s->counters, slot)->pid != -1;

	return count->open && !is_elsewhere && sample_is_scaled(count->sample);
}

/* Returns the number of groups that would explain the time that this group was off its PMU. */
static uint64_t groups_in_cycle(struct sample s)
{
	uint64_t n = s.enabled / s.running;

	return n < 2 ? 2 : n < OTHERS_MAX ? n : OTHERS_MAX;
}

/* Marks groups that are alone on their PMU in the plan but were off it. Returns false if there are none. */
static bool look_for_others(struct mux_sampler *s)
{
	bool found = false;

	for (size_t slot = 0; slot < counters_slots(s->counters); slot++)
		for (size_t g = 0; g < s->plan->n_groups; g++) {
			size_t leader = s->plan->groups[g].members[0];

			if (!s->watched[g] || s->marked[g] || !is_off_for_others(s, slot, leader))
				continue;
			mark_pmu(s, g, groups_in_cycle(counters_get(s->counters, slot, leader)->sample));
			found = true;
		}
	return found;
}

/* ---- slices ---- */

/* Slots are opened before counting starts; a later slot counts from its beginning. */
static struct group_slices *slices_of(struct mux_sampler *s, size_t slot, size_t group)
{
	size_t members = s->plan->groups[group].n, n = rotation_count(s->plan, group);
	struct group_slices *slices;

	for (; s->n_slots < counters_slots(s->counters); s->n_slots++)
		for (size_t g = 0; g < s->plan->n_groups; g++)
			ARRAY_PUSH(s->slices, s->n_slices);
	slices = &s->slices[slot * s->plan->n_groups + group];
	if (!slices->stats) {
		double interval = (double)s->intervals[group];

		slices->at_end = xcalloc(members, sizeof(*slices->at_end));
		slices->stats = mux_stats_new(members, interval, n > 1 ? interval * (double)n : 0);
	}
	return slices;
}

/* Returns the times since the slice began, of the member that was on the PMU for the shortest time. Members that never
 * were on the PMU are left out: they would never end a slice. */
static struct sample times_since(const struct mux_sampler *s, const struct group_slices *slices, size_t slot,
				 const struct plan_group *g)
{
	struct sample times = {0}, *shortest = NULL;

	for (size_t i = 0; i < g->n; i++) {
		const struct count *count = counters_get(s->counters, slot, g->members[i]);
		struct sample since = sample_sub(count->sample, slices->at_end[i]);

		if (count->open && count->sample.running && (!shortest || since.running < shortest->running)) {
			times = since;
			shortest = &times;
		}
	}
	return times;
}

static void end_slice(struct mux_sampler *s, size_t slot, size_t group)
{
	const struct plan_group *g = &s->plan->groups[group];
	struct group_slices *slices = slices_of(s, slot, group);
	struct sample times = times_since(s, slices, slot, g);
	auto_free double *rates = NULL;

	slices->moment += ((double)times.running - (double)slices->read.running) *
			  ((double)times.enabled + (double)slices->read.enabled) / 2;
	slices->read = times;
	if (times.running < s->intervals[group] / 4)
		return;
	rates = xcalloc(g->n, sizeof(*rates));
	for (size_t i = 0; i < g->n; i++) {
		struct sample now = counters_get(s->counters, slot, g->members[i])->sample;
		struct sample slice = sample_sub(now, slices->at_end[i]);

		rates[i] = slice.running ? (double)slice.value / (double)slice.running : 0;
		slices->at_end[i] = now;
	}
	mux_stats_add(slices->stats, rates, (double)times.running, (double)times.enabled,
		      slices->moment / (double)times.running);
	slices->read = (struct sample){0};
	slices->moment = 0;
}

static void end_slices(struct mux_sampler *s)
{
	for (size_t slot = 0; slot < counters_slots(s->counters); slot++)
		for (size_t g = 0; g < s->plan->n_groups; g++)
			if (s->marked[g])
				end_slice(s, slot, g);
}

/* ---- when to read ---- */

/* Returns the wait that the cost of a reading requires. A task pays the whole cost, each CPU only a part. */
static uint64_t affordable(const struct mux_sampler *s)
{
	size_t n = counters_slots(s->counters);

	if (s->readings < s->unbounded)
		return 0;
	if (n == 0 || counters_slot(s->counters, 0)->pid != -1)
		n = 1;
	return s->cost * COST_SHARE / (n < CPUS_MAX ? n : CPUS_MAX);
}

static void on_timer(void *arg, int fd);

/* Sets the timer: 0.75 to 1.25 times a rotation interval at first and then half the cycle, or the wait that the cost
 * requires; or until the next look. */
static int arm(struct mux_sampler *s)
{
	uint64_t least = s->readings < s->unbounded ? s->wait : s->cycle / 2;
	uint64_t mean = s->is_sampling ? larger(affordable(s), least)
				       : LOOK_NS << (s->readings < LOOKS_MAX ? s->readings : LOOKS_MAX);
	uint64_t wait = mean / 4 * 3 + random_below(&s->random, mean / 2 + 1);
	struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)(wait / 1000000000u), .tv_nsec = (long)(wait % 1000000000u)},
	};

	if (s->timer < 0) {
		s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
		if (s->timer < 0)
			return -errno;
		loop_add(s->loop, s->timer, on_timer, s);
	}
	return timerfd_settime(s->timer, 0, &when, NULL) < 0 ? -errno : 0;
}

/* Returns the CPU time of this process, which excludes the time of other processes in between. */
static uint64_t cpu_time(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

/* The timer is not read: setting it again clears its expirations. */
static void on_timer(void *arg, int fd)
{
	struct mux_sampler *s = arg;
	uint64_t begin = cpu_time(), cost;
	bool is_look;

	(void)fd;
	s->readings++;
	is_look = !s->is_sampling || (s->readings & (s->readings - 1)) == 0; /* others may come to another PMU */
	counters_read(s->counters, is_look ? s->watched : s->marked);
	if (is_look)
		look_for_others(s);
	end_slices(s);
	/* a moving average that quickly forgets a single expensive reading, for example of a CPU that a hypervisor
	 * stopped */
	cost = cpu_time() - begin;
	s->cost = cost < s->cost ? cost : s->cost + (cost - s->cost) / 4;
	arm(s);
}

static bool counts_switches(const struct plan *plan)
{
	bool counted = false;

	for (size_t i = 0; i < plan->n_shown; i++)
		counted |= plan->events[i].attr.type == PERF_TYPE_SOFTWARE &&
			   plan->events[i].attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	return counted;
}

/* A look may take the CPU from the counted tasks. Without a sign of others, an exact count of switches is more
 * important. */
static bool may_read(const struct mux_sampler *s)
{
	return s->is_sampling || !counts_switches(s->plan);
}

int mux_sampler_start(struct mux_sampler *s, struct counters *counters, struct loop *loop, struct error *e)
{
	if (!s)
		return 0;
	s->counters = counters;
	s->loop = loop;
	return may_read(s) && arm(s) < 0 ? error_set(e, errno, "timerfd: %s", strerror(errno)) : 0;
}

void mux_sampler_add_notes(const struct mux_sampler *s, struct strings *notes)
{
	size_t each;

	if (!s || !s->readings || !counts_switches(s->plan))
		return;
	/* a reading on a CPU may switch from a task and back to it */
	each = counters_slots(s->counters) && counters_slot(s->counters, 0)->pid == -1 ? 2 : 1;
	strings_add(notes,
		    "up to %zu of the context switches are due to pfmstat, which read the multiplexed groups %zu times",
		    each * s->readings, s->readings);
}

void mux_sampler_fetch(struct mux_sampler *s, struct counts *counts)
{
	size_t n;

	if (!s || !s->counters)
		return;
	if (!s->is_sampling && look_for_others(s))
		arm(s); /* if this fails, there are no more slices */
	if (!s->is_sampling)
		return;
	end_slices(s);
	if (s->unbounded < s->readings + UNBOUNDED_AGAIN)
		s->unbounded = s->readings + UNBOUNDED_AGAIN;
	n = counts->n_slots < s->n_slots ? counts->n_slots : s->n_slots;
	counts->n_groups = s->plan->n_groups;
	counts->mux_stats = xcalloc(counts->n_slots * counts->n_groups, sizeof(struct mux_stats *));
	for (size_t i = 0; i < n * counts->n_groups; i++)
		if (s->slices[i].stats) {
			mux_stats_close(s->slices[i].stats);
			counts->mux_stats[i] = mux_stats_since(s->slices[i].stats, NULL);
		}
}

void mux_sampler_add_hint(const struct plan *plan, struct strings *notes)
{
	for (size_t g = 0; g < plan->n_groups; g++) {
		uint32_t type = (uint32_t)rotation_pmu(plan, g);
		char path[PATH_MAX];
		unsigned ms;

		if (rotation_count(plan, g) < 2 || plan->groups[g].pass)
			continue;
		ms = sysfs_mux_interval(SYSFS_ROOT, type);
		if (ms < 2 || sysfs_mux_path(SYSFS_ROOT, type, path, sizeof(path)) < 0)
			continue;
		strings_add(notes,
			    "groups of events are rotated every %u ms: shorter intervals give smaller errors; fix, as "
			    "root: echo 1 >%s",
			    ms, path);
		return;
	}
}

void mux_sampler_free(struct mux_sampler *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_slots * s->plan->n_groups; i++) {
		free(s->slices[i].at_end);
		mux_stats_free(s->slices[i].stats);
	}
	free(s->slices);
	free(s->marked);
	free(s->watched);
	free(s->intervals);
	if (s->timer >= 0)
		close(s->timer);
	free(s);
}
