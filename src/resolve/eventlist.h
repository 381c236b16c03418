/* eventlist: the grammar of -e (and --filter), and the order in which the resolvers are asked.
 *
 *   list  := item (',' item)*
 *   item  := event | '{' event (',' event)* '}' [':' letters]
 *   event := name [':' modifiers] | pmu '/' term (',' term)* '/' [modifiers]
 *            | mem:ADDR[/LEN][:ACCESS] | uprobe:PATH:SYMBOL | …   ("\," "\{" "\}" belong to the name)
 *
 * White space around events is ignored, newlines too.
 *
 * Order of calls: zero-initialize; event_list_parse for each -e, event_list_filter for each --filter;
 * event_list_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"
#include "pmu/vendor_events.h"
#include "trace/tracefs.h"

struct event_group {     /* a group in braces */
	bool weak;       /* :W */
	size_t first, n; /* its events are contiguous in the list */
};

struct event_list {
	struct event *events;
	size_t n;
	struct event_group *groups;
	size_t n_groups;
	size_t last;                  /* first event of the last item, for --filter */
	struct vendor_events *vendor; /* of --metrics; not owned, NULL: none */
	bool no_merge;                /* an event of several PMUs of a kind becomes several events */
	struct strings notes;         /* modifiers accepted and ignored, and the like; one line each */
	struct tracefs tracefs;
};

/* Append the list's events. On error nothing is appended; error->text names the offending token and its column
 * (from 1), the reason and, in the hint, near names and a copy of the list with a caret below. */
int event_list_parse(struct event_list *list, const char *text, struct error *e);

/* Append one event, of a name that is no list. 0 or -errno; the token counts from the name, which is not shown. */
int event_list_add(struct event_list *list, const char *name, struct error *e);

/* --filter: on the last item's tracepoints (all matches of a glob, all members of a group); a second filter is added to
 * the first. -EINVAL when there is no tracepoint among them. */
int event_list_filter(struct event_list *list, const char *filter, struct error *e);

/* --all-user or --all-kernel for every event that is not a tool's and whose modes the user left open: as :u or :k, so
 * modes_given is set and the hypervisor excluded too. Neither or both: nothing to do. */
void event_list_restrict(struct event_list *list, bool user, bool kernel);

void event_list_free(struct event_list *list);
