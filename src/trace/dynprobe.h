/* dynprobe: probes defined in tracefs (uprobe_events, kprobe_events) while they are counted, so that they are
 * inherited.
 *
 * A probe of the dynamic `uprobe` and `kprobe` PMUs must not be inherited: for each child and thread, the kernel sets
 * it up again in the forking process, where config1 points elsewhere, and the fork fails with EFAULT (measured on Linux
 * 6.1 and 6.18). Without CAP_PERFMON, which the command may have dropped, it always fails. A tracepoint is inherited
 * without this check, and a definition in tracefs makes a tracepoint of a probe.
 *
 * The definitions' group is pfmstat_NAMESPACE_PID. The next run that defines a probe removes the definitions of killed
 * runs.
 *
 * The breakpoint of a user probe is only in the memory of programs that have an event on it; the kernel removes it from
 * other programs when it is hit. But tasks that have inherited the same events may swap them when the kernel switches
 * between the tasks, and the breakpoints do not follow: when one task ends, the other loses its breakpoint, and its
 * later calls are not counted (seen on Linux 6.18). An event for all tasks keeps the breakpoints in place: the
 * keepalive, which counts nothing. While it is open, every program that calls the function has the cost of a
 * breakpoint. User probes that others have defined also get a keepalive, if permitted.
 *
 * Order of calls: zero-initialize; dynprobes_define before the plan is built; after the counters are closed and before
 * tracefs is unmounted, dynprobes_remove, which also frees. The events keep their attributes for the PMU, and are
 * opened by event->tracepoint. */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"
#include "trace/tracefs.h"

/* A definition in tracefs, or only a keepalive on a definition of others. */
struct dynprobe {
	char *name; /* with the group; NULL for a definition of others */
	bool user;
	int keepalive; /* -1 without one */
};

struct dynprobes {
	const char *root;  /* tracefs; NULL if nothing had to be defined */
	char *group;       /* of the definitions */
	int files[2];      /* with root: kprobe_events and uprobe_events; or -errno */
	size_t n_named[2]; /* kernel and user probes named so far */
	struct dynprobe *v;
	size_t n;
};

/* Opens a keepalive. Returns a descriptor, or -errno (counters.h). */
typedef int dynprobe_keepalive(uint64_t tracepoint);

/* Defines the probes among these events, if there are any. An event that cannot be defined is opened by its PMU, is not
 * inherited, and event->not_inherited is the reason. */
void dynprobes_define(struct dynprobes *d, struct event *events, size_t n, struct tracefs *tracefs,
		      dynprobe_keepalive *open_keepalive);

/* Returns how many returns of a kernel function were not counted, since too many calls were active, in any task; -1 if
 * it is unknown. Before dynprobes_remove. */
int64_t dynprobe_missed(const struct event *event);

/* Sets event->not_inherited if the reason is known in advance; defines nothing. */
void dynprobes_foresee(struct event *events, size_t n, struct tracefs *tracefs);

/* Returns 0, or -errno if a definition could not be removed. */
int dynprobes_remove(struct dynprobes *d, struct error *e);
