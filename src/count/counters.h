/* counters: perf_event_open, its ioctls and reads, which nothing else uses. Opens a plan's groups on slots (a task, a
 * CPU), one descriptor an event and one read a group, and keeps for every event and slot what happened to it.
 *
 * Order of calls: counters_new; counters_open for each slot (counters_close_slot takes one back); counters_switch_all
 * unless enable_on_exec; counters_read as often as wanted; counters_get or counters_take; counters_free.
 *
 * A leader is opened disabled and its members enabled; only leaders are enabled, with argument 0: PERF_IOC_FLAG_GROUP
 * leaves siblings of other PMUs enabled and never running (measured on Linux 6.1 and 6.18).
 *
 * Events that children of a running task inherit are not switched by ioctl at all: a copy that is being made for a
 * child at that moment takes the parent's old state (kernel/events/core.c: inherit_event reads it before it waits for
 * the child_mutex that the ioctl holds), and so do all descendants. On a chain of threads, 876 of 2,000 ENABLEs counted
 * nothing afterwards, and 337 DISABLEs went on counting (Linux 6.18). Such events run from the moment they are opened,
 * and reads tell what came while counting was on.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counts.h"
#include "host/cgroup.h"
#include "lib/error.h"
#include "lib/util.h"
#include "plan/plan.h"

struct counters;

/* The errno, which no kernel gives, of an event that opens and never counts. Some hypervisors leave out debug registers
 * (PVM, Linux 6.18) or counters of their guests, whose kernels do not know: breakpoints and core events count 0. */
#define COUNTS_NOTHING ENODATA

struct slot {
	pid_t pid;                   /* a task (thread) id; 0: the caller; -1: any task */
	int cpu;                     /* -1: any CPU */
	const struct cgroup *cgroup; /* with pid -1 and a CPU: only its tasks and its events; NULL: all */
};

/* Do events of a kind count anything here? Tested before the first one is opened. */
struct liveness {
	bool is_tested, is_dead;
};

/* How the kernel has refused an event, one errno for each try. Later opens take these as given. */
struct refusals {
	int errors[8];
	size_t n;
};

/* What the opens of a plan have shown of this machine, for later opens of the same plan on the same kind of task.
 * Zero-initialize; counters_forget. */
struct counters_memory {
	struct liveness breakpoints, core;
	struct refusals *refusals; /* per event; NULL: nothing was opened so far */
};

void counters_forget(struct counters_memory *memory);

struct counters_options {
	bool inherit;        /* children and threads too */
	bool inherit_thread; /* with inherit: threads, but no forked children (Linux 5.13) */
	bool enable_on_exec;
	bool until_exec; /* counts only up to the task's exec (Linux 5.13) */
	bool ids;        /* of events that write samples: each figure in one is followed by its event's counters_id */
	bool untested;   /* for trials of what fits: without testing whether events count anything here */
	/* The plan's groups in the order in which they are opened, and so in which they take their first turns on the
	 * PMU; NULL: as they are in the plan. */
	const size_t *order;
	struct counters_memory *memory; /* NULL: nothing is known, and nothing is kept */
};

struct counters *counters_new(const struct plan *plan, const struct counters_options *options);

/* How many descriptors a slot takes at the most. */
size_t counters_slot_size(struct counters *c, const struct slot *slot);

/* Open every group on a slot, trying again as the table of fallbacks says. An event that cannot be opened is left out
 * of its group and kept with its error; the rest is counted. On a CPU (pid -1), events whose PMU counts only on other
 * CPUs are left out without one. 0, or -errno when the whole slot failed and nothing was kept of it: -ESRCH the task
 * has ended, -EMFILE no descriptors left, -EINVAL a filter was refused, -EINTR counting is not on yet, and a signal
 * asks to end. */
int counters_open(struct counters *c, const struct slot *slot, struct error *e);

/* Take a slot back before counting starts; the slots after it move up. Children lose what they inherited from it. */
void counters_close_slot(struct counters *c, size_t slot);

void counters_switch_all(struct counters *c, bool on);
/* The same for one slot, which is switched on only if counting is. */
void counters_switch_slot(struct counters *c, size_t slot, bool on);

/* From the CPU where the caller is: see system.h. marked: which groups of the plan; NULL: all. */
void counters_read(struct counters *c, const bool *marked);

/* To find out what a PMU can count together: close a member of a group, but not the leader; open it again as the last
 * member, which may be refused; and: has its group been on the PMU since it had run for so long? */
void counters_leave(struct counters *c, size_t slot, size_t event);
bool counters_join(struct counters *c, size_t slot, size_t event, size_t leader);
bool counters_ran(struct counters *c, size_t slot, size_t leader, uint64_t *running);

bool counters_are_inherited(const struct counters *c);
/* Switch one event on all slots. 0; -ENOENT: it is open on none; on CPUs, -EBUSY: it leads a group whose members would
 * start or stop with it, or -EAGAIN: it is such a member, and counting is off; or -errno. */
int counters_switch(struct counters *c, size_t event, bool on);

/* The slot's CPU has gone, and its counters have stopped for good; or it has come while others are counted. */
void counters_mark_slot(struct counters *c, size_t slot, bool came);

size_t counters_slots(const struct counters *c);
const struct slot *counters_slot(const struct counters *c, size_t slot);
/* Is any event open on it? */
bool counters_slot_is_open(const struct counters *c, size_t slot);
const struct count *counters_get(const struct counters *c, size_t slot, size_t event);

/* For events that write samples (attr.sample_period; ring.h): the descriptor to map and poll, -1: not open; and the
 * event's number in records, 0: none. */
int counters_fd(const struct counters *c, size_t slot, size_t event);
uint64_t counters_id(const struct counters *c, size_t slot, size_t event);
/* From now on a sample every so many; counted from here. */
void counters_set_period(const struct counters *c, size_t slot, size_t event, uint64_t period);
/* The leader of the event's group, whose samples have its figures; -1: not open. */
int counters_leader(const struct counters *c, size_t slot, size_t event);

/* A copy of what the last read said; counts is renewed (counts.h). */
void counters_take(const struct counters *c, struct counts *counts);

/* What the fallbacks gave up, one line each. */
const struct strings *counters_notes(const struct counters *c);

void counters_free(struct counters *c);

/* An event that counts nothing, for a user probe defined in tracefs (see dynprobe.h). A descriptor, or -errno. */
int counters_open_keepalive(uint64_t tracepoint);

/* An event of a task that counts nothing; its mapped descriptor polls POLLHUP when the task ends. A descriptor, or
 * -errno. */
int counters_open_tracker(pid_t pid);

/* A counter of the context switches of a task and of all that it starts, from its exec on; read(2) gives the number. A
 * descriptor, or -errno. */
int counters_open_switches(pid_t pid);

/* An event of a CPU that counts nothing: its mapped descriptor is readable once a task there has mapped a program or a
 * library. A descriptor, or -errno. */
int counters_open_exec_notify(int cpu);

/* Let an event that samples write into another's ring, of the same CPU. 0 or -errno. */
int counters_redirect(int fd, int to);

/* Does any PMU take the core's raw events? Found by opening one. */
bool counters_have_core_pmu(void);

/* May this process count anything of itself? The same, for when something was refused. */
bool counters_are_permitted(void);
