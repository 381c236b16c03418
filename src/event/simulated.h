/* simulated: events that an engine counts while it simulates the command in user space: sim:instructions and others.
 * The engine is Valgrind: its tool Cachegrind, or Callgrind for events that only Callgrind counts.
 */
#pragma once

#include "event/event.h"
#include "lib/error.h"

#define SIMULATED_ENGINE "valgrind"

/* An event, and the totals of the engine from which it is computed. */
struct simulated {
	const char *name, *description;
	const char *columns[2]; /* names of the engine's totals, which are added up; none: calls, one per line */
	bool accesses;          /* needs the simulation of caches */
	bool branches;          /* needs the simulation of branch prediction */
	const char *tool;       /* the only tool that counts it; NULL if both do */
};

/* The CPU features by which the C library of the command chooses its functions. */
enum sim_cpu { SIM_CPU_HOST, SIM_CPU_BASELINE };

/* See event.h for the return value. */
int simulated_resolve(const char *name, struct event *event, struct error *e);
void simulated_each(event_each *each, void *arg);

/* Returns NULL for other events. */
const struct simulated *simulated_of(const struct event *event);

/* Finds the engine and its version, and chooses its tool, which becomes the PMU of the run's simulated events. Returns
 * 0; -ENOENT if the engine is not in PATH; -EINVAL if no tool counts all of them. */
int simulated_choose_tool(struct event *events, size_t n, struct error *e);

/* Names the simulated events among these as those of a command whose C library uses no feature of the host's CPU: they
 * are other events than those of the host. Returns 0; -EINVAL if there are none; -ENOTSUP on this architecture. */
int simulated_set_baseline(struct event *events, size_t n, struct error *e);
bool simulated_is_baseline(const struct event *event);
/* Returns the setting for GLIBC_TUNABLES that has this effect; NULL on this architecture. */
const char *simulated_baseline(void);

/* Returns the first simulated event, or NULL. */
const struct event *simulated_first(const struct event *events, size_t n);

/* Returns the tool that was chosen for a simulated event. */
const char *simulated_tool(const struct event *event);
