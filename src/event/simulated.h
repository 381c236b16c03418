/* simulated: events that an engine counts while it simulates the command in user space: sim:instructions and others.
 * The engine is Valgrind: its tool Cachegrind, or Callgrind for what only that one counts.
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"

#define SIMULATED_ENGINE "valgrind"

/* What the engine counts for an event. */
struct simulated {
	const char *name, *description;
	const char *columns[2]; /* of the engine's totals, to be added up; none: calls, a line each */
	bool accesses;          /* it needs the simulation of caches */
	bool branches;          /* it needs that of branch prediction */
	const char *tool;       /* the only one that counts it; NULL: each does */
};

/* See event.h for the return value. */
int simulated_resolve(const char *name, struct event *event, struct error *e);
void simulated_each(event_each *each, void *arg);

/* NULL: it is not such an event. */
const struct simulated *simulated_of(const struct event *event);

/* Of all events of a run: find the engine and its version, and choose its tool, which becomes their PMU. 0; -ENOENT:
 * the engine is not in PATH; -EINVAL: no tool counts all of them. */
int simulated_choose_tool(struct event *events, size_t n, struct error *e);

/* The first such event; NULL: there is none. */
const struct event *simulated_first(const struct event *events, size_t n);

/* The tool that was chosen for an event. */
const char *simulated_tool(const struct event *event);
