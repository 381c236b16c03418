/* simulation: the command under the engine of its simulated events (event/simulated.h), and the engine's counts after
 * its end: a value for each event of each process. The engine's files are in a separate directory.
 *
 * Order of calls: simulation_open; the command is started with argv; simulation_read when it has ended;
 * simulation_close.
 *
 * Valgrind starts again when a process executes a program, so that a process is counted from its last exec on. A forked
 * process without an exec inherits the counts of its parent, which Valgrind does not separate, and its counts are lost
 * if it executes a program.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"
#include "plan/plan.h"

#define SIMULATION_LOG ".log" /* ends the names of the engine's logs */

struct simulation {
	char *directory; /* NULL without a simulation */
	bool is_needed;  /* processes still write to it, so that it is not removed */
	int watch;       /* inotify events of its files; -1: unknown what was overwritten */
	struct strings options;
	bool baseline;  /* the environment has CHILD_TUNABLES for a baseline CPU */
	char *tunables; /* ... and had this before, or NULL */
	char **argv;    /* the engine, its options and the command; the array is owned, the words are not */
};

struct simulated_process {
	pid_t pid, parent; /* parent: 0 if unknown */
	char *command;     /* the words of its command line */
	bool forks;        /* it called fork */
	bool spawns;       /* it called vfork or posix_spawn, whose child does little before it executes a program */
	bool forked;       /* its values include the values of its parent */
	bool switched;     /* its program or libraries contain requests that switch the counting off */
	uint64_t *values;  /* per event of the plan */
};

struct simulated_counts {
	struct simulated_process *processes; /* processes with counts, by their ids */
	size_t n;
	size_t lost;      /* number of processes that ended without counts */
	size_t alive;     /* number of processes that continue */
	size_t worked;    /* number of processes that may have worked between a fork and their exec */
	size_t executed;  /* number of times that a process executed another program, which replaced its counts */
	size_t trapped;   /* number of processes that a breakpoint killed (SIGTRAP) */
	bool overwritten; /* counts of a process were replaced by those of a later one with the same id */
	bool unwatched;   /* too many processes: the two before are not known of all of them */
	const char *tool; /* of the engine */
	/* paths of programs and libraries with and without requests that switch the tool's counting off */
	struct strings with_requests, without_requests;
	struct strings unread; /* paths of programs and libraries whose code cannot be read */
	/* the engine's message about the command, for example an unknown instruction */
	struct strings errors;
};

/* children: other programs that the command starts are also simulated; otherwise they run on the CPU. Returns 0 or
 * -errno. */
int simulation_open(struct simulation *s, const struct plan *plan, char **command, bool children, struct error *e);

/* counts is to be freed. */
void simulation_read(struct simulation *s, const struct plan *plan, struct simulated_counts *counts);
void simulated_counts_free(struct simulated_counts *counts);

void simulation_close(struct simulation *s);
