/* switch_trace: the work of every task on every CPU, from the kernel's records: the counts of a plan's events at each
 * context switch, and the forks, new names and ends of tasks between switches.
 *
 * Each CPU has a group of events that belongs to no task. Its leader counts context switches and writes a sample with
 * all the group's counts at each of them. A task leaves a CPU only by a switch, so the counts between two samples of a
 * CPU are the work of a single task, which the later sample names. Events of hardware PMUs have separate groups, so
 * that the main group, of software events and tracepoints, is never off its PMU. The work of a task that is still on a
 * CPU is in another sample, written when a timer interrupts it (switch_trace_snapshot); if a group is off its PMU then,
 * because other events took its counters, the counters are read. The work of the command's process before its exec does
 * not count; it is measured by events on that process, which the kernel removes at the exec, and subtracted.
 *
 * Order of calls: switch_trace_open; switch_trace_enable; switch_trace_read whenever one of the descriptors is
 * readable, and switch_trace_snapshot as often as wanted; switch_trace_finish; switch_trace_close. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counters.h"
#include "count/counts.h"
#include "lib/cpuset.h"
#include "lib/error.h"
#include "plan/plan.h"

enum trace_kind {
	TRACE_SWITCH,   /* the task leaves the CPU */
	TRACE_SNAPSHOT, /* as SWITCH, but the task stays there */
	TRACE_HIT,      /* the same, at one of options.probes */
	TRACE_OFF,      /* the group is off its PMU: its counts until then, of an unknown task */
	TRACE_FORK,
	TRACE_EXIT, /* the task has ended; only its last switch follows */
	TRACE_NAME,
	TRACE_CGROUP, /* a cgroup was created */
	TRACE_MOVE,   /* a process, or one of its threads, is now in another cgroup */
	TRACE_LOST,   /* the ring was full, or a record was invalid */
};

/* The work of the command's process before its exec, for an event of the plan. */
struct before_exec {
	bool known; /* false: the kernel is too old, or the PMU had no free counter */
	uint64_t value;
};

struct trace_record {
	enum trace_kind kind;
	size_t cpu;     /* counted from 0; not the kernel's number */
	uint64_t time;  /* CLOCK_MONOTONIC, ns */
	pid_t pid, tid; /* tid -1: its parent has already reaped it; 0: idle, or invisible from here */

	/* SWITCH, SNAPSHOT, HIT, OFF (of no task): the counts on this CPU since the group's last record. Group 0 is the
	 * main one. */
	size_t group;
	uint64_t enabled, running; /* ns; running < enabled: the group was off its PMU for a time */
	size_t n;
	const uint64_t *added;
	const size_t *events; /* added[i] is the count of this event of the plan; SIZE_MAX: of none */
	uint64_t
		unreported; /* switches since then without a sample from the kernel: added includes those tasks' work */

	const size_t *probes; /* added[i] is the number of hits of this probe; SIZE_MAX: of none */
	size_t probe;         /* HIT: its index */
	uint64_t sp;          /* HIT: the stack pointer; 0: unknown */

	pid_t ppid, ptid; /* FORK: of the parent task */
	const char *name; /* NAME; CGROUP: its path */
	uint64_t cgroup;  /* CGROUP, MOVE, and with options.cgroups SWITCH and SNAPSHOT: the kernel's id */
	bool exec;        /* NAME: of a new program */
	const struct before_exec *before; /* NAME: for each event, if it is the command's exec; otherwise NULL */
	uint64_t lost; /* LOST: number of records. 0: records may have been lost, or their order is unknown */
};

typedef void trace_handler(void *arg, const struct trace_record *record);

struct trace_options {
	const struct plan *plan;
	pid_t root;                 /* the command's process, held before its exec; 0 without a command */
	bool snapshots;             /* switch_trace_snapshot will be called */
	bool execs;                 /* switch_trace_exec_fd will be called */
	bool cgroups;               /* records contain the task's cgroup, and moves are recorded; without probes */
	const struct event *probes; /* user probes: at each hit, a HIT for each group, the main one's last */
	size_t n_probes;
	trace_handler *handler;
	void *arg;
};

struct switch_trace;

/* Opens all CPUs. Returns 0 or -errno; with -EACCES and -EPERM, e names the missing permission. */
int switch_trace_open(struct switch_trace **out, const struct trace_options *options, struct error *e);

/* Returns the descriptor of a CPU, readable when there are records; -1 if there are no more CPUs. */
int switch_trace_fd(const struct switch_trace *t, size_t cpu);
/* Returns a descriptor that becomes readable when a program that is executed on the CPU maps its file or a library, so
 * that facts of a process can be read before it ends. The ring of switches cannot wake its reader that often: the
 * reader's switches would wake it forever. */
int switch_trace_exec_fd(const struct switch_trace *t, size_t cpu);
/* Returns the kernel's number of a CPU. */
int switch_trace_cpu(const struct switch_trace *t, size_t cpu);
/* True, once finished, if the CPU went offline: the kernel stops its events for good, even if it comes back. */
bool switch_trace_has_stopped(const struct switch_trace *t, size_t cpu);
size_t switch_trace_groups(const struct switch_trace *t);
/* Returns the state of an event after opening, on these CPUs (NULL or empty: all); its sample is empty. */
struct count switch_trace_count(const struct switch_trace *t, size_t event, const struct cpuset *cpus);

void switch_trace_enable(struct switch_trace *t);

/* Passes on the records written before this call, in order of time over all CPUs. */
void switch_trace_read(struct switch_trace *t);

/* Passes on the records written before this call, and on each CPU the work so far of the task that is there: a SNAPSHOT
 * for each group, the main one's last; OFF records follow. No task leaves its CPU for this. */
void switch_trace_snapshot(struct switch_trace *t);

/* Switches everything off and passes on all remaining records. Running tasks are charged up to now: each CPU is taken
 * away from its task for a moment. */
void switch_trace_finish(struct switch_trace *t);

void switch_trace_close(struct switch_trace *t);
