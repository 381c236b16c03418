/* counters_internal: shared by one open (counters_attempt), the groups of a slot (counters_group), and the life cycle
 * and reads (counters); included by nothing else. */
#pragma once

#include "count/counters.h"
#include "lib/cpuset.h"

/* An event on a slot. */
struct cell {
	int fd;     /* -1: not open */
	int leader; /* index of the event that leads its group; its own for a leader; -1: not open */
	struct count count;
	bool held;             /* it runs, but counting is off: reads add to skipped, not to the count */
	struct sample skipped; /* what came while counting was off */
};

struct slot_cells {
	struct slot slot;
	struct cell *cells; /* one per event of the list */
};

struct counters {
	const struct plan *plan;
	struct counters_options options;
	struct slot_cells *slots;
	size_t n;
	bool enabled;
	bool inherits;       /* as it was asked for: the fallbacks may take it out of the options */
	struct cpuset *cpus; /* per event: where its PMU counts, empty: anywhere; NULL: not needed so far */
	struct counters_memory *memory, own_memory;
	uint64_t *buffer; /* for the largest group's read, */
	size_t room;      /* in bytes */
	struct strings notes;
};

/* One open, and what is changed in it when the kernel refuses. */
struct attempt {
	struct counters *c;
	const struct event *event;
	struct refusals *known; /* NULL: none are kept */
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
	bool user_only;
	bool limit_raised;
};

/* The descriptor, or -errno: of the refusal that tells most. */
int attempt_open(struct attempt *a);

/* The tests: of a breakpoint on a write, and of a core event over a loop, both of the own task. True, too, if the event
 * cannot be opened or gets no counter now. */
bool breakpoints_fire(void);
bool core_counts(void);

/* Remember what a successful open had to give up, for the opens that follow. */
void attempt_keep(const struct attempt *a);

/* Do the slot's events run all the time, since children inherit them, so that only reads tell what came while counting
 * was on? (counters.h) */
bool slot_is_by_reads(const struct counters *c, const struct slot *slot);

/* Is the event one of other CPUs than the slot's? */
bool slot_is_elsewhere(struct counters *c, const struct slot *slot, size_t event);

/* Open the plan's groups on a slot, anew if a child that was forked meanwhile has inherited a part of a group. 0 or
 * -errno, as counters_open. */
int slot_open(struct counters *c, struct slot_cells *s, struct error *e);
void slot_close(struct counters *c, struct slot_cells *s);
