/* switch_trace_internal: what switch_trace.c, which opens and closes, switch_trace_plan.c, switch_trace_exec.c, which
 * begins, switch_trace_read.c and switch_snapshot.c share; nobody else includes it. */
#pragma once

#include "by/switch_trace.h"
#include "lib/ring.h"

/* A group on a CPU. */
struct stream {
	uint64_t id;    /* of the leader, as the kernel numbers it; 0: not open */
	uint64_t timer; /* the id of the event that is the timer of its cuts; 0: none */
	bool due;       /* a cut was asked for and has not come */
	size_t n;       /* figures in a sample, the first being the leader's own */
	size_t *events; /* of the plan */
	uint64_t *last; /* the figures of the sample before */
	uint64_t *added;
	uint64_t enabled, running;
	uint64_t time; /* of that sample, or when all began */
};

struct cpu {
	struct ring ring;
	struct stream *streams; /* one for each group */
	uint64_t time;          /* of the record at the ring's head */
	bool damage_told;
	bool was_full; /* of what is being read, the rest may be lost */
	bool armed;    /* the timers of its cuts run */
	bool cut;      /* since they were set */
};

struct switch_trace {
	const struct plan *plan; /* the user's */
	struct plan opened;      /* what is really opened: for each group its leader, then its members */
	size_t *origin;          /* per event of opened: its index in the user's plan; OWN_EVENT: of none */
	struct event switches;   /* the leader of each group */
	bool cuts;               /* each group has a timer, too, its last member */
	struct event timer;
	uint64_t cut_after;        /* ns: the period of a timer that is to fire */
	struct counters *counters; /* slot i: CPU i */
	size_t stride;             /* words of a figure in a sample: with several groups, its event's id is behind it */
	struct counters *before;   /* what the command's process does before its exec */
	struct sample *earlier;    /* per event of the plan: what of that it did before the CPUs were watched */
	bool exec_unknown;         /* it would not hold still for that moment */
	pid_t root;
	struct cpu *cpus;
	size_t n_cpus;
	size_t *heap; /* CPUs with something to read, the earliest first */
	size_t n_heap;
};

/* Per event of opened: a leader, or a timer; none of the user's. */
#define OWN_EVENT SIZE_MAX

/* The period of a timer that is not to fire: years. */
#define TIMER_RESTS ((uint64_t)1 << 60)

/* Make the plan of what is opened, of what can be counted of a process. */
void switch_trace_plan(struct switch_trace *t);

/* ns from setting a timer to its firing. */
uint64_t switch_snapshot_after(void);
/* Switch off the timers of those CPUs whose cuts have come. */
void switch_trace_disarm(struct switch_trace *t);

/* Hand over what was written up to a time (CLOCK_MONOTONIC, ns). */
void switch_trace_read_until(struct switch_trace *t, uint64_t until, switch_trace_handler *handler, void *arg);

/* Say what can be counted of the command's process, or of any, and make ready to count what it does before its exec. */
int switch_trace_open_before(struct switch_trace *t, struct error *e);

/* A group that is switched off and has been read: what was added since its last record goes to its stream. Returns how
 * many figures, 0: the group is not open; *passed: the leader's own. */
size_t switch_trace_catch_up(struct switch_trace *t, size_t cpu, size_t group, struct sample *passed);
