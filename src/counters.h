/* counters: the only file with perf_event_open, its ioctls and reads. Opens a plan's groups on slots (a task, a CPU),
 * one descriptor an event and one read a group, and keeps for every event and slot what happened to it.
 *
 * Order of calls: counters_new; counters_open for each slot (counters_close_slot takes one back); counters_enable
 * unless enable_on_exec; counters_read as often as wanted; counters_get; counters_free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"
#include "plan.h"
#include "sample.h"
#include "util.h"

struct counters;

struct slot {
	pid_t pid; /* a task (thread) id; -1: any task */
	int cpu;   /* -1: any CPU */
};

struct counters_options {
	bool inherit;        /* children and threads too */
	bool inherit_thread; /* with inherit: threads, but no forked children */
	bool enable_on_exec;
};

/* One event on one slot. */
struct count {
	bool open;
	int error;            /* errno of the open that failed, or of a failed read; 0: none */
	bool user_only;       /* the kernel had to be excluded to open it at all */
	struct sample sample; /* the last read */
};

struct counters *counters_new(const struct plan *plan, const struct counters_options *options);

/* Open every group on a slot, trying again as the table of fallbacks says. An event that cannot be opened is left out
 * of its group and kept as an error of its own; the rest is counted. Returns the slot's index, or -errno when the slot
 * as a whole is no good: -ESRCH the task is gone (nothing is kept of it), -EMFILE no descriptors left. */
int counters_open(struct counters *c, const struct slot *slot, struct error *e);
void counters_close_slot(struct counters *c, size_t slot);

int counters_enable(struct counters *c, struct error *e);
void counters_disable(struct counters *c);
void counters_read(struct counters *c);

size_t counters_slots(const struct counters *c);
const struct count *counters_get(const struct counters *c, size_t slot, size_t event);

/* What the fallbacks gave up, one line each (limits raised need no note). */
const struct strings *counters_notes(const struct counters *c);

void counters_free(struct counters *c);

/* The plan's probe: open the events as a group on the own task, enable, read, close. */
enum plan_fit counters_probe(void *arg, const struct event *const *events, size_t n);
