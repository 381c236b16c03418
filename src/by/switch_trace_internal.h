/* switch_trace_internal: shared by switch_trace_open.c and switch_trace_probes.c (opening each CPU), switch_trace.c
 * (from enabling to the end) and switch_trace_read.c (the records). */
#pragma once

#include "by/switch_trace.h"
#include "by/task_record.h"
#include "os/ring.h"

/* A group on a CPU. */
struct stream {
	uint64_t id;    /* the kernel's id of the leader; 0 if it is not open */
	uint64_t timer; /* the id of the timer event; 0 without one */
	bool due;       /* a requested snapshot is still to come; after the main group's, any sample takes its place */
	size_t n;       /* values in a sample, the first being the leader's */
	size_t *events; /* of the plan */
	size_t *probes; /* of the options; SIZE_MAX for other events */
	uint64_t *last; /* the values of the previous sample */
	uint64_t *added;
	uint64_t enabled, running;
	uint64_t time; /* of that sample, or of the start */
};

/* An event of a probe on a CPU, in one of its groups. */
struct probe_id {
	uint64_t id; /* the kernel's */
	size_t probe;
};

struct cpu {
	struct ring ring;
	struct ring exec_ring; /* of mappings by programs: it only wakes the reader */
	int exec_fd;
	struct stream *streams;  /* one for each group */
	struct probe_id *probes; /* of all groups, sorted by id */
	size_t n_probes;
	int move_fd; /* of the tracepoint of moves; -1 without one */
	uint64_t move_id;
	uint64_t time; /* of the latest record that was at the ring's head */
	uint64_t next; /* of the next record; UINT64_MAX at the end */
	bool damage_reported;
	bool owes_loss;   /* its ring was full, and the kernel has not yet reported how many records were lost */
	bool armed;       /* its timers run */
	uint64_t began;   /* when it had been switched on */
	uint64_t watched; /* from then until it was switched off, ns; 0 before */
};

struct switch_trace {
	struct trace_options options;
	struct plan opened; /* the opened events: for each group its leader, then its members, then its probes, then its
			       timer */
	size_t *origin;     /* for each event of opened: its index in the user's plan; OWN_EVENT: in none */
	size_t *probe_of;   /* for each event of opened: its index among the probes; SIZE_MAX: it is none */
	struct event leader, timer;
	uint64_t timer_ns;
	struct counters *counters; /* slot i: CPU i */
	size_t stride;             /* words of a value in a sample: with several groups, its event's id follows it */
	struct counters *before;   /* counters for the work of the command's process before its exec */
	struct before_exec *before_exec; /* their counts; NULL before the record of the exec */
	bool exec_unknown;               /* the process ran while the CPUs were switched on */
	size_t moved_pid, moved_to;      /* offsets in the raw data of a move: the process, its new cgroup */
	struct cpu *cpus;
	struct cpu **heap; /* of all CPUs */
	size_t n_cpus;
};

#define OWN_EVENT SIZE_MAX

/* The period of a timer that must not fire: years. */
#define TIMER_RESTS ((uint64_t)1 << 60)

/* Passes on the records up to a time (CLOCK_MONOTONIC, ns). The kernel may then reuse their space. */
void switch_trace_read_until(struct switch_trace *t, uint64_t until);

/* Reads the work of the command's process before its exec, which is over. */
void switch_trace_read_before_exec(struct switch_trace *t);

/* For a group that is off its PMU, or switched off, and whose counters have been read: returns the counts since its
 * last record. Returns false if it is not open. */
bool switch_trace_catch_up(struct switch_trace *t, size_t cpu, size_t group, struct trace_record *r);

/* Adds an event to a group of the opened ones. origin: see there. */
void switch_trace_add_member(struct switch_trace *t, struct plan_group *g, const struct event *event, size_t origin);
void switch_trace_add_probes(struct switch_trace *t, struct plan_group *g);
/* Redirects an event's samples into the CPU's ring, the ring of the main group. Returns 0 or -errno. */
int switch_trace_redirect(const struct switch_trace *t, size_t cpu, size_t event);
/* Called after the groups are open; the probes' samples go to the CPU's ring. */
int switch_trace_open_probes(struct switch_trace *t, size_t cpu, struct error *e);
/* Returns NULL if the event with this id does not belong to a probe. */
const struct probe_id *switch_trace_find_probe(const struct cpu *cpu, uint64_t id);
/* Called after the rings are open, with options.cgroups. Returns 0, or -ENODEV. */
int switch_trace_open_moves(struct switch_trace *t, struct error *e);
/* Returns false for a damaged record of an event with the id cpu->move_id. */
bool switch_trace_decode_move(const struct switch_trace *t, const union task_record *record, struct trace_record *r);
