/* formula_set: the metrics of a run, as -M names them, and the events that they need: of the user's list, to which
 * those that it lacks are added, each once.
 *
 *   list := item (',' item)*          commas in parentheses and between '@' belong to an item
 *   item := NAME '=' EXPR | METRIC | GROUP
 *
 * Order of calls: zero-initialize; formula_set_define for each -M; formula_set_add for each, after the parsings of the
 * user's events; formula_set_judge; formula_set_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "metric/catalogue.h"
#include "metric/formula.h"
#include "resolve/eventlist.h"

/* An event that metrics name. */
struct formula_event {
	char *name;
	size_t at;    /* in the events that were resolved; SIZE_MAX: none, see wrong */
	size_t index; /* in the list; SIZE_MAX: it is not counted */
	struct error wrong;
};

struct formula_set {
	struct catalogue catalogue;
	bool is_loaded;
	struct error unread;     /* why files that the user has not named could not be read */
	struct formula **chosen; /* in the order of -M, each once */
	size_t n;
	struct formula_event *events;
	size_t n_events;
	struct event_list resolved;
	struct strings texts; /* of the user's own, and reasons */
	size_t depth;         /* of metrics that name each other, while they are bound */
};

struct formula_context {
	const char *option; /* -M, for errors */
	struct event_list *list;
	bool system_wide;                                         /* all CPUs are counted */
	bool (*has_event)(const struct event *event);             /* does the kernel take it? */
	int (*check)(const struct event *event, struct error *e); /* can it be counted here? NULL: it need not */
	bool on_cpus;                                             /* CPUs are counted, and not tasks */
};

/* The definitions of a list, which those of all lists may name. 0 or -errno. Files are read, if there are any: those
 * that no --metrics names only have to be readable if a name is not found. */
int formula_set_define(struct formula_set *set, const char *list, const struct formula_context *context,
		       struct error *e);

/* The metrics of a list, and their events. A metric that was named, and cannot be computed, is an error, which shows
 * where; of a group it is left without a value, as long as there are others. 0 or -errno. */
int formula_set_add(struct formula_set *set, const char *list, const struct formula_context *context, struct error *e);

/* Add the events that thresholds need, and the metrics lack. What cannot be bound is not judged. context NULL: nothing
 * is added, and those are judged for which all is counted anyway. */
void formula_set_judge(struct formula_set *set, const struct formula_context *context);

/* Mark the events, as many as the set has, that the metric needs; thresholds not included. */
void formula_mark_events(const struct formula_set *set, const struct formula *formula, bool *marked);

void formula_set_free(struct formula_set *set);
