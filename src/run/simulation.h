/* simulation: the command under the engine of its simulated events (event/simulated.h), and what the engine has counted
 * when it has ended: a figure for each event of each process. The engine's files are in a directory of their own.
 *
 * Order of calls: simulation_open; the command is started with argv; simulation_read when it has ended;
 * simulation_close.
 *
 * Valgrind starts anew when a process executes a program, so that a process is counted from its last exec on. A process
 * that was forked and has executed nothing inherits the counts of its parent: Valgrind does not tell its own apart.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"
#include "plan/plan.h"

struct simulation {
	char *directory; /* NULL: nothing is simulated */
	bool is_needed;  /* by processes that go on: it stays */
	struct strings options;
	char **argv; /* the engine, its options and the command; the array is owned, the words are not */
};

struct simulated_process {
	pid_t pid;
	char *command;    /* the words of its command line */
	bool forked;      /* its values include those of its parent */
	uint64_t *values; /* per event of the plan */
};

struct simulated_counts {
	struct simulated_process *processes; /* that left their counts, by their ids */
	size_t n;
	size_t lost;  /* processes that ended without leaving any */
	size_t alive; /* that go on */
	/* What the engine says of the command: an instruction that it does not know, and so on. */
	struct strings errors;
};

/* children: other programs that the command starts are simulated, too; else they run on the CPU. 0 or -errno. */
int simulation_open(struct simulation *s, const struct plan *plan, char **command, bool children, struct error *e);

/* counts is to be freed. */
void simulation_read(struct simulation *s, const struct plan *plan, struct simulated_counts *counts);
void simulated_counts_free(struct simulated_counts *counts);

void simulation_close(struct simulation *s);
