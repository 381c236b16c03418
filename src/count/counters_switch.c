/* Switching counting on and off: by ioctls, or for inherited events by reads (counters.h). */
#include <errno.h>
#include <sys/ioctl.h>

#include "count/counters_internal.h"

/* Marks a group that could not be switched on or off: its counts are wrong, even if a later attempt succeeds. */
static void leader_give_up(const struct counters *c, struct slot_counters *s, size_t leader, int error)
{
	for (size_t i = 0; i < c->plan->n_events; i++)
		if (s->counters[i].leader == (int)leader && !s->counters[i].count.not_switched) {
			s->counters[i].count.open = false;
			s->counters[i].count.not_switched = true;
			s->counters[i].count.error = error;
		}
}

/* Returns 0 or -errno. Skips the counters of a CPU that went offline: if they were switched on after the CPU came back,
 * they would be enabled but count nothing. */
static int fd_switch(const struct counter *counter, bool on)
{
	if (counter->count.gone)
		return 0;
	return ioctl(counter->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0 ? -errno : 0;
}

/* Switches a group. When the kernel enables a cgroup's event on a CPU, it adds the time since such an event was last
 * enabled there (up to tens of seconds) to the enabled time, and usually to the running time. Counting therefore starts
 * with a read after the switch. The kernel may add the same time to both again when the CPU switches to another cgroup.
 * This does not change a group that ran all the time; a multiplexed group is scaled too little (Linux 6.18, measured
 * against msr/tsc/; perf stat uses these times unchanged). */
static int leader_switch(struct counters *c, struct slot_counters *s, size_t leader, bool on)
{
	const struct plan_group *g = &c->plan->groups[c->plan->group_of[leader]];
	int error;

	if (!on || !s->slot.cgroup || !s->slot.cgroup->path)
		return fd_switch(&s->counters[leader], on);
	leader_read(c, s, leader);
	error = fd_switch(&s->counters[leader], on);
	for (size_t i = 0; i < g->n; i++)
		s->counters[g->members[i]].held = true;
	leader_read(c, s, leader); /* removes the time that the switch added */
	for (size_t i = 0; i < g->n; i++)
		s->counters[g->members[i]].held = false;
	return error;
}

void counters_switch_slot(struct counters *c, size_t slot, bool on)
{
	struct slot_counters *s = &c->slots[slot];
	bool by_reads = slot_is_by_reads(c, &s->slot);
	int error;

	on &= c->enabled;
	if (by_reads)
		slot_read(c, s, NULL);
	for (size_t i = 0; i < c->plan->n_events; i++)
		if (by_reads)
			s->counters[i].held = !on;
		else if (s->counters[i].leader == (int)i && (error = leader_switch(c, s, i, on)) < 0)
			leader_give_up(c, s, i, -error);
}

void counters_switch_all(struct counters *c, bool on)
{
	uint64_t start = clock_now();

	c->enabled = on;
	for (size_t i = 0; i < c->n; i++)
		counters_switch_slot(c, i, on);
	c->switching += clock_now() - start;
}

uint64_t counters_switching(const struct counters *c)
{
	return c->switching;
}

static bool leads_others(const struct counters *c, const struct slot_counters *s, size_t event)
{
	for (size_t i = 0; i < c->plan->n_shown; i++)
		if (i != event && s->counters[i].leader == (int)event)
			return true;
	return false;
}

static int counter_switch(struct counters *c, struct slot_counters *s, size_t event, bool on)
{
	s->counters[event].count.apart = true;
	if (slot_is_by_reads(c, &s->slot)) {
		leader_read(c, s, (size_t)s->counters[event].leader);
		s->counters[event].held = !on;
		return 0;
	}
	if (leads_others(c, s, event))
		return -EBUSY;
	if (on && !c->enabled && s->counters[event].leader != (int)event)
		return -EAGAIN;
	return s->counters[event].leader == (int)event ? leader_switch(c, s, event, on)
						       : fd_switch(&s->counters[event], on);
}

int counters_switch(struct counters *c, size_t event, bool on)
{
	int error = -ENOENT;

	for (size_t i = 0; i < c->n && (error == -ENOENT || error == 0); i++)
		if (c->slots[i].counters[event].fd >= 0)
			error = counter_switch(c, &c->slots[i], event, on);
	return error;
}
