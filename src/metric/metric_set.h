/* metric_set: the metrics of a run, as -M names them, and their events, each once: events of the user's list and
 * additional events.
 *
 *   list := item (',' item)*          commas in parentheses and between '@' belong to an item
 *   item := NAME '=' EXPR | METRIC | GROUP
 *
 * Order of calls: zero-initialize; metric_set_define for each -M; when the user's events are resolved, metric_set_add
 * for each; metric_set_judge; metric_set_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "metric/catalogue.h"
#include "metric/metric.h"
#include "resolve/eventlist.h"

/* An event to which metrics refer. */
struct metric_event {
	char *name;
	size_t at;    /* index in the resolved events; SIZE_MAX if it is not resolved, see wrong */
	size_t index; /* index in the list; SIZE_MAX if it is not counted */
	struct error wrong;
};

struct metric_set {
	struct catalogue catalogue;
	bool is_loaded;
	struct error unread;    /* why files that the user has not named could not be read */
	struct metric **chosen; /* in the order of -M, each once */
	size_t n;
	struct metric_event *events;
	size_t n_events;
	struct event_list resolved;
	struct strings texts; /* of the user's definitions, and reasons */
	size_t depth;         /* nesting of metrics that refer to each other, while they are bound */
};

struct metric_context {
	const char *option; /* -M, for errors */
	struct event_list *list;
	bool system_wide;                                         /* all CPUs are counted */
	bool (*has_event)(const struct event *event);             /* true if the kernel accepts it */
	int (*check)(const struct event *event, struct error *e); /* 0 if it can be counted here; NULL: not checked */
	bool on_cpus;                                             /* CPUs are counted, not tasks */
};

/* Adds the definitions of a list, to which all lists may refer. Returns 0 or -errno. Reads the files; a file that
 * --metrics does not name may be unreadable unless a name is not found. */
int metric_set_define(struct metric_set *set, const char *list, const struct metric_context *context, struct error *e);

/* Adds the metrics of a list, and their events. It is an error, which shows the position, if a named metric, or every
 * metric of a group, cannot be computed; otherwise, such a metric of a group has no value. Returns 0 or -errno. */
int metric_set_add(struct metric_set *set, const char *list, const struct metric_context *context, struct error *e);

/* Adds the events that only thresholds need. A threshold that cannot be bound is dropped. context NULL: adds nothing,
 * and keeps the thresholds whose events are counted anyway. */
void metric_set_judge(struct metric_set *set, const struct metric_context *context);

/* Marks the events that the metric needs, in an array for all events of the set; without its threshold. */
void metric_mark_events(const struct metric_set *set, const struct metric *metric, bool *marked);

/* Writes their indices in the set, in the order of the expression, and returns their number. */
size_t metric_list_events(const struct metric_set *set, const struct metric *metric, size_t *events);

void metric_set_free(struct metric_set *set);
