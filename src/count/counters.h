/* counters: perf_event_open, its ioctls and reads, which no other module uses. Opens a plan's groups on slots (a task
 * or a CPU), with one descriptor for each event and one read for each group, and keeps the state of every event on
 * every slot.
 *
 * Order of calls: counters_new; counters_open for each slot (counters_close_slot reverts one); counters_switch_all
 * unless enable_on_exec; counters_read as often as wanted; counters_get or counters_fetch; counters_free.
 *
 * A leader is opened disabled and its members enabled; only leaders are enabled, with argument 0: PERF_IOC_FLAG_GROUP
 * leaves siblings of other PMUs enabled and never running (measured on Linux 6.1 and 6.18).
 *
 * Events that children of a running task inherit are never switched by ioctl: a copy that is made for a child at that
 * moment takes the parent's old state (kernel/events/core.c: inherit_event reads it before it waits for the child_mutex
 * that the ioctl holds), and all descendants inherit it. On a chain of threads, 876 of 2,000 ENABLEs counted nothing
 * afterwards, and 337 DISABLEs continued to count (Linux 6.18). Such events run from the moment they are opened, and
 * reads determine the counts while counting was on. */
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

/* An errno, which no kernel returns, for an event that opens and never counts. Some hypervisors omit the debug
 * registers (PVM, Linux 6.18) or counters of their guests. The guests' kernels do not notice, and breakpoints and core
 * events count 0. */
#define COUNTS_NOTHING ENODATA

struct slot {
	pid_t pid;                   /* a task (thread) id; 0: the caller; -1: any task */
	int cpu;                     /* -1: any CPU */
	const struct cgroup *cgroup; /* with pid -1 and a CPU: only tasks and events of this cgroup; NULL: all */
};

/* The result of testing whether events of a kind count anything here, before the first one is opened. */
struct liveness {
	bool is_tested, is_dead;
};

/* Facts about this machine, for later opens. Zero-initialize. */
struct counters_memory {
	struct liveness breakpoints, core;
};

struct counters_options {
	bool inherit;        /* count children and threads */
	bool inherit_thread; /* with inherit: threads, but no forked children (Linux 5.13) */
	bool enable_on_exec;
	bool until_exec; /* counts only up to the task's exec (Linux 5.13) */
	bool task_reads; /* with inherit: each task writes a PERF_RECORD_READ for each event at its end
			    (counters_redirect) */
	bool ids; /* for events that write samples: each value in a sample is followed by its event's counters_id */
	bool untested; /* for trials of scheduling: skips the test whether events count anything here */
	/* The order in which the plan's groups are opened, and so of their first slices on the PMU; NULL: the order of
	 * the plan. */
	const size_t *order;
	struct counters_memory *memory; /* may be NULL */
};

struct counters *counters_new(const struct plan *plan, const struct counters_options *options);

/* Opens every group on a slot, with the table of fallbacks. An event that cannot be opened is left out of its group and
 * keeps its error; the others are counted. On a CPU (pid -1), events whose PMU counts only on other CPUs are left out
 * without an error. Returns 0, or -errno if the whole slot failed and nothing of it was kept: -ESRCH (the task has
 * ended), -EMFILE (no descriptors left), -EINVAL (a filter was refused), -EINTR (a signal asks to end, and counting is
 * not on yet). */
int counters_open(struct counters *c, const struct slot *slot, struct error *e);

/* Removes a slot before counting starts; the slots after it move up. Children lose the inherited events. */
void counters_close_slot(struct counters *c, size_t slot);

void counters_switch_all(struct counters *c, bool on);
/* Returns the ns spent in it: the enabled times of slots may differ by as much. */
uint64_t counters_switching(const struct counters *c);
/* The same for one slot, which is switched on only if counting is on. */
void counters_switch_slot(struct counters *c, size_t slot, bool on);

/* Reads from the CPU of the caller: see system.h. marked: the groups to read; NULL: all. */
void counters_read(struct counters *c, const bool *marked);

/* To find out which events a PMU can count together: counters_leave closes a member of a group, but not the leader;
 * counters_join opens it again as the last member, which may be refused; counters_ran is true if the group has been on
 * the PMU since it had run for this time. */
void counters_leave(struct counters *c, size_t slot, size_t event);
bool counters_join(struct counters *c, size_t slot, size_t event, size_t leader);
bool counters_ran(struct counters *c, size_t slot, size_t leader, uint64_t *running);

/* False if the plan has no events to open. */
bool counters_are_any(const struct counters *c);
bool counters_are_inherited(const struct counters *c);
/* Switches one event on all slots. Returns 0; -ENOENT if it is open on none; on CPUs, -EBUSY if it leads a group whose
 * members would start or stop with it, or -EAGAIN if it is such a member and counting is off; or -errno. */
int counters_switch(struct counters *c, size_t event, bool on);

/* Marks a slot whose CPU went offline, so that its counters have stopped for good; came online while others are
 * counted; or went offline and came back without new counters. */
enum slot_mark { SLOT_GONE, SLOT_CAME, SLOT_STOPPED };
void counters_mark_slot(struct counters *c, size_t slot, enum slot_mark mark);

size_t counters_slots(const struct counters *c);
const struct slot *counters_slot(const struct counters *c, size_t slot);
/* True if any event is open on the slot. */
bool counters_slot_is_open(const struct counters *c, size_t slot);
const struct count *counters_get(const struct counters *c, size_t slot, size_t event);

/* For events that write samples (attr.sample_period; ring.h): the descriptor to map and poll, or -1 if it is not open;
 * and the event's number in records, or 0. */
int counters_fd(const struct counters *c, size_t slot, size_t event);
uint64_t counters_id(const struct counters *c, size_t slot, size_t event);
/* Sets the sample period, from the current count on. */
void counters_set_period(const struct counters *c, size_t slot, size_t event, uint64_t period);
/* Returns the leader of the event's group, whose samples contain its counts; -1 if it is not open. */
int counters_leader(const struct counters *c, size_t slot, size_t event);

/* Copies the results of the last read; counts is renewed (counts.h). */
void counters_fetch(const struct counters *c, struct counts *counts);
/* The same for events that run all the time since children inherit them: with what they counted while counting was off.
 */
void counters_fetch_life(const struct counters *c, struct counts *counts);

/* Returns how many children and threads have inherited the events; more if others opened events meanwhile; UINT64_MAX
 * if it is not known. Each event gets the next number, also the copy that a child inherits (kernel/events/core.c:
 * perf_event_alloc). */
uint64_t counters_forks(const struct counters *c);

/* Returns a line for each loss that the fallbacks caused. */
const struct strings *counters_notes(const struct counters *c);

void counters_free(struct counters *c);

/* Opens an event that counts nothing, for a user probe defined in tracefs (see dynprobe.h). Returns a descriptor, or
 * -errno. */
int counters_open_keepalive(uint64_t tracepoint);

/* Opens an event of a task that counts nothing; its mapped descriptor polls POLLHUP when the task ends. Returns a
 * descriptor, or -errno. */
int counters_open_end_watch(pid_t pid);

/* Opens an event of a task that counts nothing. The kernel writes, backward, records of the task's execs and of the
 * code that the task maps. Returns a descriptor, or -errno. */
int counters_open_exec_record(pid_t pid);

/* Opens an event of a CPU that counts nothing: its mapped descriptor becomes readable when a task on that CPU has
 * mapped a program or a library. Returns a descriptor, or -errno. */
int counters_open_exec_notify(int cpu);

/* Opens a tracepoint on a CPU that records each hit, with its raw data after the time. The records have the fields of
 * counters_task_reads, and this id. Returns a descriptor, or -errno. */
int counters_open_hits(uint64_t tracepoint, int cpu, uint64_t *id);

/* The same for a process and all that it starts, from its exec on, with the starts and ends of tasks. It wakes the
 * reader every `watermark` bytes. */
int counters_open_hits_of(uint64_t tracepoint, pid_t pid, int cpu, uint32_t watermark);

enum task_records {
	TASK_RECORDS_NONE,  /* only of other events, redirected to it */
	TASK_RECORDS_READS, /* of tasks that it starts: the counts of this event at their ends */
	TASK_RECORDS_NAMES, /* of all tasks: starts, names, ends, and mappings of programs and libraries */
};

/* Opens an event of this process that counts nothing, and may be mapped with NONE or on a CPU (-1: all). It wakes the
 * reader every `watermark` bytes. The records have the fields of counters_task_reads. Returns a descriptor, or -errno.
 */
int counters_open_task_records(enum task_records records, int cpu, uint32_t watermark);

/* Sets the fields of records: at the end of each are the ids, the time (CLOCK_MONOTONIC) and the event's id. */
void counters_task_reads(struct perf_event_attr *attr);

/* Redirects the records of an event into another event's ring, of the same CPU or task. Returns 0 or -errno. */
int counters_redirect(int fd, int to);

/* Counts the work with an event on this thread, and returns 0 or -errno. work returns the truth. */
int counters_count_own(const struct event *event, double (*work)(volatile uint32_t *word), volatile uint32_t *word,
		       double *truth, struct sample *s);

/* True if a PMU accepts the core's raw events, found by opening one. */
bool counters_have_core_pmu(void);

/* True if this process may count events of itself. The second function is for explaining a refusal. */
bool counters_are_permitted(void);
