/* counters_internal: shared by one open (counters_attempt), the groups of a slot (counters_group), switching
 * (counters_switch), and the life cycle and reads (counters); for these files only. */
#pragma once

#include "count/counters.h"
#include "lib/cpuset.h"

/* An event on a slot. */
struct counter {
	int fd;     /* -1 if it is not open */
	int leader; /* index of the event that leads its group (for a leader its index); -1 if it is not open */
	struct count count;
	bool held;             /* it runs, but counting is off: reads add to skipped, not to the count */
	struct sample skipped; /* counted while counting was off */
};

struct slot_counters {
	struct slot slot;
	struct counter *counters; /* one per event of the list */
};

struct counters {
	const struct plan *plan;
	struct counters_options options;
	struct slot_counters *slots;
	size_t n;
	bool enabled;
	uint64_t switching;  /* ns spent on switching all slots */
	bool inherits;       /* as requested: the fallbacks may remove it from the options */
	struct cpuset *cpus; /* for each event: the CPUs of its PMU, empty for any; NULL until needed */
	struct counters_memory *memory, own_memory;
	uint64_t *buffer; /* for a read of the largest group */
	size_t room;      /* its size in bytes */
	struct strings notes;
};

/* One open, and its changes after refusals. */
struct attempt {
	struct counters *c;
	const struct event *event;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group_fd;
	unsigned long flags;
	bool user_only;
	bool limit_raised;
};

/* Returns the descriptor, or the -errno of the most informative refusal. */
int attempt_open(struct attempt *a);

/* The tests: a breakpoint on a write, and a core event over a loop, both in this task. Also true if the event cannot be
 * opened or gets no counter now. */
bool breakpoints_fire(void);
bool core_counts(void);

/* Keeps the changes of a successful open for the following opens. */
void attempt_keep(const struct attempt *a);

/* True if the slot's events run all the time, since children inherit them, so that only reads determine the counts
 * while counting was on (counters.h). */
bool slot_is_by_reads(const struct counters *c, const struct slot *slot);

/* True if the event's PMU counts on other CPUs than the slot's. */
bool slot_is_elsewhere(struct counters *c, const struct slot *slot, size_t event);

/* Opens the plan's groups on a slot, and repeats it if a child that was forked at that time has inherited a part of a
 * group. Returns 0 or -errno, as counters_open. */
int slot_open(struct counters *c, struct slot_counters *s, struct error *e);
void slot_close(struct counters *c, struct slot_counters *s);

/* Reads a group. */
void leader_read(struct counters *c, struct slot_counters *s, size_t leader);
/* Reads the marked groups; NULL: all. */
void slot_read(struct counters *c, struct slot_counters *s, const bool *marked);
