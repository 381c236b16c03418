/* switch_trace: what every task did on every CPU, as the kernel writes it down while it happens: at each context switch
 * the figures of the events of a plan, and between them who was started by whom, who took which name, who ended.
 *
 * How: on each CPU a group of events that belongs to no task. Its leader counts context switches and writes a sample
 * with all the group's figures at each; a task leaves the CPU only by one. So what was added between two samples of a
 * CPU is the work of the one task that the later sample names. What the command's process does before its exec, which
 * does not count, is counted by events of its own, which the kernel removes at exec. Events of hardware PMUs have
 * groups of their own beside that, so that the main one, of software events and tracepoints, is never off. What a task
 * has done that does not leave is told by another sample, written when a timer interrupts it (switch_snapshot.c).
 *
 * Order of calls: switch_trace_open; switch_trace_enable; switch_trace_read whenever one of the descriptors is
 * readable, and switch_snapshot as often as wanted; switch_trace_finish; switch_trace_close.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counters.h"
#include "count/counts.h"
#include "count/plan.h"
#include "lib/error.h"

enum switch_trace_kind {
	TIMELINE_SWITCH, /* the task leaves the CPU */
	TIMELINE_CUT,    /* it stays there; as SWITCH, but for this */
	TIMELINE_FORK,
	TIMELINE_EXIT, /* it has ended, but for its last switch */
	TIMELINE_NAME,
	TIMELINE_LOST, /* the ring was full, or a record made no sense */
};

struct switch_trace_record {
	enum switch_trace_kind kind;
	size_t cpu;     /* counted from 0; not the kernel's number */
	uint64_t time;  /* CLOCK_MONOTONIC, ns */
	pid_t pid, tid; /* tid -1: it has been collected by its parent already; 0: idle, or invisible from here */

	/* SWITCH, CUT: what was added on this CPU since the group's last one. Group 0 is the main one. */
	size_t group;
	uint64_t enabled, running; /* ns; less running: the group was not on its PMU all the time */
	size_t n;
	const uint64_t *added;
	const size_t *events; /* added[i] is of this event of the plan; SIZE_MAX: of none */
	uint64_t unreported;  /* switches since then of tasks that the kernel wrote nothing of: their work is in it */

	pid_t ppid, ptid; /* FORK: of the task that did it */
	const char *name; /* NAME */
	bool exec;        /* NAME: of a new program */
	uint64_t lost;    /* LOST: how many records; 0: some may be, from now on, which a later record will tell */
	bool garbled;     /* LOST: they were there, but made no sense */
};

typedef void switch_trace_handler(void *arg, const struct switch_trace_record *record);

struct switch_trace;

/* Open all CPUs. root: the command's process, held before its exec; 0: no command. cuts: switch_snapshot will be
 * called. 0, or -errno: -EACCES, -EPERM it is not permitted, and e says what is missing. */
int switch_trace_open(struct switch_trace **out, const struct plan *plan, pid_t root, bool cuts, struct error *e);

/* The descriptor of a CPU, to be polled for what is to be read; -1: no more CPUs. */
int switch_trace_fd(const struct switch_trace *t, size_t cpu);
/* The kernel's number of a CPU. */
int switch_trace_cpu(const struct switch_trace *t, size_t cpu);
size_t switch_trace_groups(const struct switch_trace *t);

void switch_trace_enable(struct switch_trace *t);

/* Hand over, in order of time over all CPUs, what was written before this call. */
void switch_trace_read(struct switch_trace *t, switch_trace_handler *handler, void *arg);

/* Hand over what was written before this call, and on each CPU what the task that is there has done so far: a CUT for
 * each group, the main one's last. Nothing is switched off, and no task leaves its CPU for it. */
void switch_snapshot(struct switch_trace *t, switch_trace_handler *handler, void *arg);

/* Switch everything off and hand over all that is left. The tasks that were running are charged up to now: each CPU is
 * taken away from its task for a moment. */
void switch_trace_finish(struct switch_trace *t, switch_trace_handler *handler, void *arg);

/* What the command's process did before its exec, to be read once that is over, as switch_trace_finish does; then it is
 * known, unless the kernel is too old or the PMU had no counter left for that. */
void switch_trace_read_before_exec(struct switch_trace *t);
bool switch_trace_knows_exec(const struct switch_trace *t, size_t event);
struct sample switch_trace_before_exec(const struct switch_trace *t, size_t event);

/* What became of an event at opening; nothing in its sample. */
struct count switch_trace_count(const struct switch_trace *t, size_t event);

void switch_trace_close(struct switch_trace *t);
