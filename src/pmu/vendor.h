/* vendor: events by the names that CPU vendors give them in files (vendor_files.h), for names and CPUs that libpfm4
 * does not know. A file does not name its CPU: the user chooses the file.
 *
 *   EVENT            EVENT/cmask=1/          on the PMU named in the file, or the core PMU
 *   pmu/EVENT/       pmu/EVENT,cmask=1/      with terms as in sysfs.h
 *
 * An event that this machine cannot encode, since its PMU belongs to another CPU, is an error; with events->describe,
 * which is for --explain, it is an event that cannot be counted, with its fields from the file (event->fields). */
#pragma once

#include "event/event.h"
#include "lib/error.h"
#include "pmu/vendor_events.h"

/* See event.h for the return value; names that sysfs.h resolves are not resolved here. root as for pmu.h. */
int vendor_resolve(const char *root, struct vendor_events *events, const char *name, struct event *event,
		   struct error *e);

/* Lists every event whose code is known. Returns 0, or -errno if the files cannot be read. */
int vendor_each(struct vendor_events *events, event_each *each, void *arg, struct error *e);
