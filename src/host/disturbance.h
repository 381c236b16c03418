/* disturbance: what delayed a run: other tasks, the host of a virtual machine, CPU limits of cgroups, and the disk. No
 * privileges are needed. Figures that this kernel does not have are unknown.
 *
 * Order of calls: disturbance_watch_open once; disturbance_begin when a run begins; disturbance_end when it has ended;
 * the caller adds the figures of the command's processes, which are unknown until then; disturbance_watch_close. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/util.h"

enum disturbance_kind {
	DISTURBANCE_WAIT,        /* ns that the command's first process was ready to run, but not on a CPU */
	DISTURBANCE_STEAL,       /* ns that the host took from this machine's CPUs, to 10 ms */
	DISTURBANCE_THROTTLED,   /* ns that CPU limits stopped tasks of pfmstat's cgroup */
	DISTURBANCE_CPU,         /* ns in which some task of the machine waited for a CPU */
	DISTURBANCE_IO,          /* ... for I/O */
	DISTURBANCE_MEMORY,      /* ... for memory */
	DISTURBANCE_MAJOR_FAULT, /* page faults of the command that read from a disk */
	DISTURBANCE_SWITCH,      /* involuntary context switches of the command */
	DISTURBANCE_KINDS,
};

struct disturbance {
	uint64_t v[DISTURBANCE_KINDS]; /* DISTURBANCE_UNKNOWN, or the figure */
	uint64_t elapsed;              /* ns */
	uint64_t busy;                 /* ns of all CPUs, used or taken by the host */
};

#define DISTURBANCE_UNKNOWN UINT64_MAX

struct disturbance_watch {
	const char *root;        /* before all paths; "" except for tests */
	struct strings limits;   /* files with the CPU limits of pfmstat's cgroup and its ancestors */
	struct disturbance last; /* the figures of the machine since its start, as last read */
	uint64_t read_at;        /* CLOCK_MONOTONIC, ns; 0: never */
};

void disturbance_watch_open(struct disturbance_watch *watch, const char *root);

/* Reading takes 0.1 ms and more: figures may be from up to 20 ms before the run, and shorter runs have none. */
void disturbance_begin(struct disturbance_watch *watch);
/* elapsed: ns since then. */
void disturbance_end(struct disturbance_watch *watch, uint64_t elapsed, struct disturbance *d);

void disturbance_watch_close(struct disturbance_watch *watch);

/* Returns the part of the time that was lost; 0 if it is unknown, too short to be known, or not a time. */
double disturbance_share(const struct disturbance *d, enum disturbance_kind kind);

/* True if a cause outside of the command took so much time that it explains an unusual elapsed time. */
bool disturbance_is_large(const struct disturbance *d);

/* Returns the end of a sentence about a run: "waited 31% of its time for a CPU; the host took 12% of the CPU time". The
 * caller frees it. */
char *disturbance_text(const struct disturbance *d);

/* For machine-readable formats. */
const char *disturbance_name(enum disturbance_kind kind);
const char *disturbance_unit(enum disturbance_kind kind);
