/* switch_trace_internal: what switch_trace_open.c (what is opened on each CPU), switch_trace.c (from enabling to the
 * end) and switch_trace_read.c (the records) share. */
#pragma once

#include "by/switch_trace.h"
#include "os/ring.h"

/* A group on a CPU. */
struct stream {
	uint64_t id;    /* of the leader, as the kernel numbers it; 0: not open */
	uint64_t timer; /* the id of the event that is its timer; 0: none */
	bool due;       /* a snapshot was asked for and has not come, nor, after the main group's, another sample */
	size_t n;       /* figures in a sample, the first being the leader's own */
	size_t *events; /* of the plan */
	uint64_t *last; /* the figures of the sample before */
	uint64_t *added;
	uint64_t enabled, running;
	uint64_t time; /* of that sample, or when all began */
};

struct cpu {
	struct ring ring;
	struct ring exec_ring; /* of what programs map: it only wakes the reader */
	int exec_fd;
	struct stream *streams; /* one for each group */
	uint64_t time;          /* of the latest record that was at the ring's head */
	uint64_t next;          /* of the one to be read next; UINT64_MAX: none, for now */
	bool damage_reported;
	bool owes_loss; /* its ring was full, and the kernel has not said since then how many records were lost */
	bool armed;     /* its timers run */
};

struct switch_trace {
	struct trace_options options;
	struct plan opened; /* what is really opened: for each group its leader, then its members, then its timer */
	size_t *origin;     /* per event of opened: its index in the user's plan; OWN_EVENT: of none */
	struct event leader, timer;
	uint64_t timer_ns;
	struct counters *counters; /* slot i: CPU i */
	size_t stride;             /* words of a figure in a sample: with several groups, its event's id follows it */
	struct counters *before;   /* what the command's process does before its exec */
	struct counts earlier;     /* what of that it did before the CPUs were watched */
	struct before_exec *before_exec; /* ... and from then on; NULL: the exec has not been reported */
	bool exec_unknown;               /* it ran while they were switched on */
	struct cpu *cpus;
	struct cpu **heap; /* of all of them */
	size_t n_cpus;
};

#define OWN_EVENT SIZE_MAX

/* The period of a timer that is not to fire: years. */
#define TIMER_RESTS ((uint64_t)1 << 60)

/* Hand over what was written up to a time (CLOCK_MONOTONIC, ns). The kernel may write there again then. */
void switch_trace_read_until(struct switch_trace *t, uint64_t until);

/* Read what the command's process did before its exec, which is over. */
void switch_trace_read_before_exec(struct switch_trace *t);

/* Of a group that is off its PMU, or switched off, and whose counters have been read: what was added since its last
 * record. False: it is not open. */
bool switch_trace_catch_up(struct switch_trace *t, size_t cpu, size_t group, struct trace_record *r);
