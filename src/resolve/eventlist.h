/* eventlist: the grammar of -e (and --filter), and the order in which the resolvers are asked.
 *
 *   list  := item (',' item)*
 *   item  := event | '{' event (',' event)* '}' [':' letters]
 *   event := name [':' modifiers] | pmu '/' term (',' term)* '/' [modifiers]
 *            | mem:ADDR[/LEN][:ACCESS] | uprobe:PATH:SYMBOL | …   ("\," "\{" "\}" belong to the name)
 *
 * White space around events, including newlines, is ignored.
 *
 * Order of calls: zero-initialize; event_list_parse for each -e, event_list_filter for each --filter;
 * event_list_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"
#include "lib/error.h"
#include "lib/util.h"
#include "pfm/pfm.h"
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
	struct vendor_events *vendor; /* from --metrics; not owned, may be NULL */
	enum errata errata;           /* --errata */
	bool no_merge;                /* an event on several PMUs of a kind becomes several events */
	struct strings notes;         /* for example ignored modifiers; one line each */
	struct tracefs tracefs;
};

/* Appends the list's events. On error nothing is appended; error->text names the offending token, its column (from 1)
 * and the reason; the hint contains near names and a copy of the list with the token underlined. */
int event_list_parse(struct event_list *list, const char *text, struct error *e);

/* Appends one event by its name, without list syntax. Returns 0 or -errno; the error's token counts from the name,
 * which is not shown. */
int event_list_add(struct event_list *list, const char *name, struct error *e);

/* --filter: applies to the tracepoints of the last item (all matches of a glob, all members of a group); a second
 * filter is added to the first. Returns -EINVAL if there is no tracepoint among them. */
int event_list_filter(struct event_list *list, const char *filter, struct error *e);

/* Applies --all-user or --all-kernel to every event that is not a tool event and for which the user did not choose
 * modes: like :u or :k, so modes_given is set and the hypervisor is also excluded. With neither or both, does nothing.
 */
void event_list_restrict(struct event_list *list, bool user, bool kernel);

void event_list_free(struct event_list *list);
