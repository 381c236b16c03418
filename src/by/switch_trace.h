/* switch_trace: what every task did on every CPU, as the kernel records it: at each context switch the figures of a
 * plan's events, and between switches which task started another one, took a name or ended.
 *
 * How: on each CPU a group of events that belongs to no task. Its leader counts context switches and writes a sample
 * with all the group's figures at each of them. A task leaves a CPU only by a switch, so what was added between two
 * samples of a CPU is the work of the one task that the later sample names. Events of hardware PMUs have groups of
 * their own, so that the main group, of software events and tracepoints, is never off its PMU. What a task has done
 * that is still on a CPU is in another sample, written when a timer interrupts it (switch_trace_snapshot); of a group
 * that is off its PMU then, because others took its counters, the counters are read. What the command's process does
 * before its exec, which does not count, is counted by events on that process, which the kernel removes at exec.
 *
 * Order of calls: switch_trace_open; switch_trace_enable; switch_trace_read whenever one of the descriptors is
 * readable, and switch_trace_snapshot as often as wanted; switch_trace_finish; switch_trace_close.
 */
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
	TRACE_OFF,      /* the group is off its PMU: what it has counted until then, of no known task */
	TRACE_FORK,
	TRACE_EXIT, /* the task has ended; only its last switch follows */
	TRACE_NAME,
	TRACE_LOST, /* the ring was full, or a record made no sense */
};

/* What the command's process did before its exec, of an event of the plan. */
struct before_exec {
	bool known; /* false: the kernel is too old, or the PMU had no counter left for it */
	uint64_t value;
};

struct trace_record {
	enum trace_kind kind;
	size_t cpu;     /* counted from 0; not the kernel's number */
	uint64_t time;  /* CLOCK_MONOTONIC, ns */
	pid_t pid, tid; /* tid -1: its parent has collected it already; 0: idle, or invisible from here */

	/* SWITCH, SNAPSHOT, OFF (of no task): what was added on this CPU since the group's last one. Group 0 is the
	 * main one. */
	size_t group;
	uint64_t enabled, running; /* ns; less running: the group was not on its PMU all the time */
	size_t n;
	const uint64_t *added;
	const size_t *events; /* added[i] is of this event of the plan; SIZE_MAX: of none */
	uint64_t unreported;  /* switches since then that the kernel wrote no sample of: those tasks' work is in it */

	pid_t ppid, ptid;                 /* FORK: of the task that did it */
	const char *name;                 /* NAME */
	bool exec;                        /* NAME: of a new program */
	const struct before_exec *before; /* NAME: of each event, if it is the command's exec; else NULL */
	uint64_t lost; /* LOST: so many records. 0: records may have been lost, or their order is not known */
};

typedef void trace_handler(void *arg, const struct trace_record *record);

struct trace_options {
	const struct plan *plan;
	pid_t root;     /* the command's process, held before its exec; 0: no command */
	bool snapshots; /* switch_trace_snapshot will be called */
	bool execs;     /* switch_trace_exec_fd will be called */
	trace_handler *handler;
	void *arg;
};

struct switch_trace;

/* Open all CPUs. 0, or -errno: -EACCES, -EPERM it is not permitted, and e says what is missing. */
int switch_trace_open(struct switch_trace **out, const struct trace_options *options, struct error *e);

/* The descriptor of a CPU, readable when there are records; -1: no more CPUs. */
int switch_trace_fd(const struct switch_trace *t, size_t cpu);
/* Readable as soon as a program that is executed on the CPU maps its file or a library: what must be looked at before
 * it has ended is looked at then. The ring of switches cannot wake its reader that often: the reader's own switches
 * would wake it for ever. */
int switch_trace_exec_fd(const struct switch_trace *t, size_t cpu);
/* The kernel's number of a CPU. */
int switch_trace_cpu(const struct switch_trace *t, size_t cpu);
size_t switch_trace_groups(const struct switch_trace *t);
/* What became of an event at opening, on these CPUs (NULL or empty: all); nothing in its sample. */
struct count switch_trace_count(const struct switch_trace *t, size_t event, const struct cpuset *cpus);

void switch_trace_enable(struct switch_trace *t);

/* Hand over, in order of time over all CPUs, what was written before this call. */
void switch_trace_read(struct switch_trace *t);

/* Hand over what was written before this call, and on each CPU what the task that is there has done so far: a SNAPSHOT
 * for each group, the main one's last; OFF records follow. No task leaves its CPU for it. */
void switch_trace_snapshot(struct switch_trace *t);

/* Switch everything off and hand over all that is left. The tasks that were running are charged up to now: each CPU is
 * taken away from its task for a moment. */
void switch_trace_finish(struct switch_trace *t);

void switch_trace_close(struct switch_trace *t);
