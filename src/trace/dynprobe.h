/* dynprobe: probes defined in tracefs (uprobe_events, kprobe_events) while they are counted, so that they are
 * inherited.
 *
 * A probe of the dynamic `uprobe` and `kprobe` PMUs must not be: for each child and thread the kernel sets it up anew,
 * in the forking process. There config1 points to something else, and the fork fails with EFAULT (measured on Linux 6.1
 * and 6.18); without CAP_PERFMON, which the command may have dropped, it fails in any case. A tracepoint is inherited
 * without a second look, and a definition in tracefs makes a tracepoint of a probe.
 *
 * The definitions' group is pfmstat_NAMESPACE_PID. The next run that defines one removes those of killed runs.
 *
 * A user probe's breakpoint is only in the memory of programs that an event on it is for, and the kernel removes it
 * from others when it is hit. But tasks that have inherited the same events may swap them when the kernel switches from
 * one to the other, and the breakpoints do not follow: when one task ends, the other loses its breakpoint and the rest
 * of its calls (seen on Linux 6.18). An event for all tasks keeps the breakpoints in place: the anchor, which counts
 * nothing. While it is open, every program that calls the function pays for a breakpoint. User probes that others have
 * defined get one, too, where it is permitted.
 *
 * Order of calls: zero-initialize; dynprobes_define before the plan is built; after the counters are closed
 * dynprobes_remove, which frees, before tracefs is unmounted. The events keep what they are by the
 * PMU, and are opened by event->tracepoint.
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"
#include "trace/tracefs.h"

/* One in tracefs, or only an anchor of somebody else's. */
struct dynprobe {
	char *name; /* with the group; NULL: it is somebody else's */
	bool user;
	int anchor; /* -1: none */
};

struct dynprobes {
	const char *root;  /* tracefs; NULL: nothing was to be defined */
	char *group;       /* of the definitions */
	int files[2];      /* with root: kprobe_events and uprobe_events; or -errno */
	size_t n_named[2]; /* kernel and user probes that were given a name so far */
	struct dynprobe *v;
	size_t n;
};

/* Opens an anchor: a descriptor, or -errno (counters.h). */
typedef int dynprobe_keepalive(uint64_t tracepoint);

/* Define the probes among these events, if there are any. What cannot be defined is opened by its PMU, not inherited,
 * and says why in event->not_inherited. */
void dynprobes_define(struct dynprobes *d, struct event *events, size_t n, struct tracefs *tracefs,
		      dynprobe_keepalive *anchor);

/* Set event->not_inherited as far as it is known beforehand; nothing is defined. */
void dynprobes_foresee(struct event *events, size_t n, struct tracefs *tracefs);

/* 0, or -errno when a definition could not be removed. */
int dynprobes_remove(struct dynprobes *d, struct error *e);
