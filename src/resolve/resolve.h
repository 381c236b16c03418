/* resolve: resolves one event's name with its modifiers by asking the resolvers in turn: the kernel's names, sysfs,
 * tracepoints, breakpoints, probes, libpfm4, vendors' files. The first resolver that takes the name wins; PMU::NAME
 * goes directly to libpfm4. */
#pragma once

#include <stdbool.h>

#include "event/event.h"
#include "event/modifier.h"
#include "lib/error.h"
#include "pfm/pfm.h"
#include "pmu/vendor_events.h"
#include "trace/tracefs.h"

/* State that some resolvers keep between names. */
struct resolvers {
	struct tracefs *tracefs;
	struct vendor_events *vendor; /* NULL without files */
	enum errata errata;
};

/* True for mem:, uprobe: and similar prefixes, whose names contain an address or a path, so that a '/' in them does not
 * begin the terms of a PMU. */
bool resolve_is_path(const char *name);

/* True if it is a glob over tracepoints or probes, which is expanded before its matches are resolved. */
bool resolve_is_glob(const char *name);

/* Fills the event (except event->name) and adds the name's modifiers to m, which the caller applies. On failure the
 * event is empty, and e says why no resolver took the name, with near names in its hint; the token counts from name. */
int resolve_name(const struct resolvers *resolvers, const char *name, struct event *event, struct modifiers *m,
		 struct error *e);

/* Returns an event of several PMUs or places (instance_list) as it is on one of them; the caller frees it. */
void resolve_instance(struct event *one, const struct event *event, const char *where);
