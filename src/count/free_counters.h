/* free_counters: what could be counted here and now, found by trying: whether the kernel opens an event, how many
 * counters of a core PMU nobody holds, and how many breakpoint registers. For --check; nothing is left open.
 *
 * A core PMU's counters are those that a pinned group of this task gets, on each CPU in turn: what only takes turns
 * makes room for it, and what others have pinned to the CPU (the NMI watchdog, `perf stat -a -e cycles:D`) does not.
 * How many the PMU has in all, the kernel does not say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/eventlist.h"
#include "host/cgroup.h"
#include "lib/cpuset.h"

/* Open an event on this task, or on the CPU where it is (of one cgroup only, unless NULL), and close it: 0 or the
 * errno. */
int event_try(const struct event *event, bool on_task, const struct cgroup *cgroup);

/* Events that may have a counter of their own, beside those that are for any event. */
#define FREE_OWN 3
extern const char *const free_own_names[FREE_OWN];

/* The same on all of these CPUs. */
struct free_set {
	struct cpuset cpus;
	size_t any;           /* counters for any event */
	size_t own[FREE_OWN]; /* and so many more for each of these: 0 or 1 */
};

struct free_pmu {
	char *name;
	int error;             /* errno, when none of the events could be opened: */
	struct event event;    /* the first of them */
	struct free_set *sets; /* that with the most counters first */
	size_t n;
};

struct free_counters {
	struct free_pmu *v;
	size_t n;
};

size_t free_set_sum(const struct free_set *set);

/* Of each core PMU, on those CPUs where this task may run. There is one PMU at least, even if it is only a name. */
void free_counters_find(struct free_counters *found);
void free_counters_free(struct free_counters *found);

/* How many breakpoints this task could have at once; 0 with the errno of the first. */
size_t free_breakpoints(struct event *first, int *error);
