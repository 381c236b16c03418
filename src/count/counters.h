/* counters: the only file with perf_event_open, its ioctls and reads. Opens a plan's groups on slots (a task, a CPU),
 * one descriptor an event and one read a group, and keeps for every event and slot what happened to it.
 *
 * Order of calls: counters_new; counters_open for each slot (counters_close_slot takes one back); counters_enable
 * unless enable_on_exec; counters_read as often as wanted; counters_get or counters_take; counters_free.
 *
 * A leader is opened disabled and its members enabled; only leaders are enabled, with argument 0: PERF_IOC_FLAG_GROUP
 * leaves siblings of other PMUs enabled and never running (measured on Linux 6.1 and 6.18).
 *
 * Events that are inherited by the children of a task that runs are not switched on and off by ioctl at all: a copy
 * that is being made for a child meanwhile takes the state that its parent's had before (kernel/events/core.c:
 * inherit_event looks at it first and then waits for the child_mutex that the ioctl holds), and so do all that descend
 * from it. On a chain of threads each of which starts the next, 876 of 2,000 ENABLEs counted nothing afterwards, and
 * 337 DISABLEs went on counting (Linux 6.18). Such events run from the moment they are opened, and reads tell what came
 * while counting was on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counts.h"
#include "count/plan.h"
#include "host/cgroup.h"
#include "lib/error.h"
#include "lib/util.h"

struct counters;

struct slot {
	pid_t pid;                   /* a task (thread) id; 0: the caller; -1: any task */
	int cpu;                     /* -1: any CPU */
	const struct cgroup *cgroup; /* with pid -1 and a CPU: its tasks, and its events alone; NULL: all */
};

struct counters_options {
	bool inherit;        /* children and threads too */
	bool inherit_thread; /* with inherit: threads, but no forked children (Linux 5.13) */
	bool enable_on_exec;
	bool until_exec; /* counts up to the task's exec alone (Linux 5.13) */
	bool ids;        /* of events that write samples: each figure in one is followed by its event's counters_id */
};

struct counters *counters_new(const struct plan *plan, const struct counters_options *options);

/* How many descriptors a slot takes at the most. */
size_t counters_slot_size(struct counters *c, const struct slot *slot);

/* Open every group on a slot, trying again as the table of fallbacks says. An event that cannot be opened is left out
 * of its group and kept with its error; the rest is counted. On a CPU (pid -1), events whose PMU counts on other CPUs
 * alone are left out without one. Returns 0, or -errno when the slot as a whole is no good
 * and nothing was kept of it: -ESRCH the task is gone, -EMFILE no descriptors left, -EINVAL a filter was refused. */
int counters_open(struct counters *c, const struct slot *slot, struct error *e);

/* Take a slot back before counting starts; the slots behind it move up. Inherited children lose their events, too. */
void counters_close_slot(struct counters *c, size_t slot);

void counters_enable(struct counters *c);
/* The same for a slot that was opened meanwhile, if counting is on. */
void counters_enable_slot(struct counters *c, size_t slot);
void counters_disable(struct counters *c);
void counters_disable_slot(struct counters *c, size_t slot);

/* From the CPU where the caller is: see system.h. */
void counters_read(struct counters *c);
/* The same for those groups of the plan alone that are marked. */
void counters_read_groups(struct counters *c, const bool *marked);

/* Where children inherit the counters of a task that runs: how long, in ns, have a slot's been enabled on a CPU since
 * they were opened, those of the children included? false: none can be read, or not while a child is being born. */
bool counters_are_inherited(const struct counters *c);
bool counters_enabled_ns(struct counters *c, size_t slot, uint64_t *enabled);

/* Switch one event on all slots. 0, or -EBUSY: on a CPU, it leads a group whose members would stop with it; or -errno.
 */
int counters_switch(struct counters *c, size_t event, bool on);

/* The slot's CPU has gone: its counters have stopped for good. */
void counters_end_slot(struct counters *c, size_t slot);

size_t counters_slots(const struct counters *c);
const struct slot *counters_slot(const struct counters *c, size_t slot);
/* Is any event open on it? */
bool counters_slot_is_open(const struct counters *c, size_t slot);
const struct count *counters_get(const struct counters *c, size_t slot, size_t event);

/* For events that write samples (attr.sample_period; ring.h): the descriptor to map and poll, -1 when it is not open;
 * and how the kernel numbers the event in its records, 0 when it does not. */
int counters_fd(const struct counters *c, size_t slot, size_t event);
uint64_t counters_id(const struct counters *c, size_t slot, size_t event);
/* From now on a sample every so many; counted from here. */
void counters_set_period(const struct counters *c, size_t slot, size_t event, uint64_t period);
/* The event that leads the group of this one, whose figures are in the leader's samples; -1: not open. */
int counters_leader(const struct counters *c, size_t slot, size_t event);

/* All that the last read said, as a matrix of its own, which is renewed (counts.h). */
void counters_take(const struct counters *c, struct counts *counts);

/* What the fallbacks gave up, one line each (a raised limit needs no note). */
const struct strings *counters_notes(const struct counters *c);

void counters_free(struct counters *c);

/* An event that counts nothing, for a user probe defined in tracefs (see dynprobe.h). A descriptor, or -errno. */
int counters_open_keepalive(uint64_t tracepoint);

/* An event that counts nothing, for what the kernel says about a task: on a mapped ring (ring.h) it writes a FORK
 * record for each task that this one and (inherit) its descendants start on this CPU, with CLOCK_MONOTONIC times; and,
 * without inherit and on any CPU (-1), its mapped descriptor polls POLLHUP when the task ends. A descriptor, or -errno.
 */
int counters_open_tracker(pid_t pid, int cpu, bool inherit);

/* The same for whatever runs on a CPU: its mapped descriptor is readable as soon as a task there passes the tracepoint;
 * 0: as soon as one has mapped a program or a library. A descriptor, or -errno. */
int counters_open_exec_notify(int cpu, uint64_t tracepoint);

/* Let an event (a tracker, or one that samples) write into another's ring, of the same CPU. 0 or -errno. */
int counters_redirect(int fd, int to);

/* Does any PMU take the core's raw events? One open, where reading about all PMUs in /sys would be dozens. */
bool counters_have_core_pmu(void);

/* May this process count anything of itself? Another open, for when something was refused. */
bool counters_are_permitted(void);
