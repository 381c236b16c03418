/* resolve: one event's name with its modifiers, asked of the resolvers in turn: the kernel's own names, sysfs,
 * tracepoints, breakpoints, probes, libpfm4, vendors' files. The first to take it wins; PMU::NAME goes to libpfm4 at
 * once.
 */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "event/modifier.h"
#include "lib/error.h"
#include "pmu/vendor_events.h"
#include "trace/tracefs.h"

/* What some of them keep between names. */
struct resolvers {
	struct tracefs *tracefs;
	struct vendor_events *vendor; /* NULL: no files */
};

/* mem:, uprobe: and the like: names that hold an address or a path, so a '/' in them begins no PMU's terms. */
bool resolve_is_path(const char *name);

/* Is it a glob over tracepoints or probes, to be expanded before its matches are resolved? */
bool resolve_is_glob(const char *name);

/* Fill the event (but for event->name) and add the name's own modifiers to m, which the caller applies. On failure the
 * event is empty, and e says why no resolver took the name, with near names in its hint; the token counts from name. */
int resolve_name(const struct resolvers *resolvers, const char *name, struct event *event, struct modifiers *m,
		 struct error *e);

/* An event of several PMUs or places (instance_list) as it is on one of them, to be freed. */
void resolve_instance(struct event *one, const struct event *event, const char *where);
