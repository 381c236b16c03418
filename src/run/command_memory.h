/* command_memory: the peak memory of all processes of a command together, for the event tree_rss; and without it, with
 * --trace, the sum of their peaks.
 *
 * Order of calls: zero-initialize; command_memory_open; command_memory_finish; command_memory_add_sum;
 * command_memory_free. */
#pragma once

#include "by/memory_trace.h"
#include "by/tree.h"
#include "plan/plan.h"
#include "rows/collect.h"

struct command_memory {
	struct memory_trace *trace; /* NULL if it is not wanted, or not possible */
	struct tree_peak peak;
	char *missing;
};

/* The command is held before its exec; 0: there is none. If the peak cannot be recorded, its row says why. */
void command_memory_open(struct command_memory *m, const struct plan *plan, pid_t command, struct loop *loop);
/* begin: when the command was released, CLOCK_MONOTONIC, ns. */
void command_memory_finish(struct command_memory *m, uint64_t begin);
/* Adds tree_rss, the sum of the peaks of all processes, each that of its last program, if they are known. */
void command_memory_add_sum(struct result *result, const struct plan *plan, const struct tree *tree);

void command_memory_free(struct command_memory *m);
