/* vendor: events by the names that CPUs' vendors give them in files (vendor_files.h): for names that libpfm4 does not
 * have, and for CPUs that it does not know. Nothing in a file says which CPU it is for: the user chooses it.
 *
 *   EVENT            EVENT/cmask=1/          on the PMU that the file says, or the core PMU
 *   pmu/EVENT/       pmu/EVENT,cmask=1/      with terms as in sysfs.h
 *
 * An event that this machine cannot encode, as its PMU is another CPU's, is an error; with events->describe, which is
 * for --explain, it is an event that nothing can count, with what the file says of it (event->fields).
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "pmu/vendor_events.h"

/* See event.h for the return value; names that sysfs.h takes are not asked for here. root as for pmu.h. */
int vendor_resolve(const char *root, struct vendor_events *events, const char *name, struct event *event,
		   struct error *e);

/* Every event whose code is known. 0, or -errno: the files cannot be read. */
int vendor_each(struct vendor_events *events, event_each *each, void *arg, struct error *e);
