/* task_reads: the counts of each task of a command, from the kernel's own records. Events that every task inherits
 * write a PERF_RECORD_READ for each task at its end; records of starts, names and ends name the tasks. They go into a
 * ledger, which proves by the total that nothing is missing.
 *
 * The events are opened on pfmstat itself, and start to count at an exec, so they count nothing of pfmstat. The
 * command's first process inherits them, as all others do, and has records of its own. (If they were opened on the
 * command, its own part would not be known; and at a switch to a child, the kernel might exchange the events of both.)
 * No CPU is watched: the rights to count the command are enough, and other programs do not matter.
 *
 * All events of a task share one ring, which several CPUs write at once (read_ring.h). The ids and names have a ring
 * for each CPU.
 *
 * Order of calls: task_reads_open before the command is forked; task_reads_watch; task_reads_stop, just before the
 * totals are read for the last time; task_reads_finish; task_reads_close. Until task_reads_finish, pfmstat must fork
 * nothing but the command. */
#pragma once

#include "by/ledger.h"
#include "count/counters.h"
#include "lib/error.h"
#include "os/loop.h"
#include "plan/plan.h"

struct task_reads;

/* Where they are not used. */
#define TASK_READS_ONLY                                                                                             \
	"records of the ends of tasks are only for a command as a whole, without -I, --delay and events of single " \
	"CPUs"

struct task_reads_options {
	const struct plan *plan;
	const size_t *order; /* of its groups, see counters_options */
	struct counters_memory *memory;
	enum aggr_mode by;
	bool cmdline; /* also read command lines */
};

/* Returns 0 if this kernel writes the records and this user may have them, or -errno with the reason; -EOPNOTSUPP: it
 * does not write them, as Linux 5.13 to 6.17.12, 6.18 and 6.18.1. Starts a process that ends at once. */
int task_reads_probe(struct error *e);

/* Returns 0 or -errno. */
int task_reads_open(struct task_reads **out, const struct task_reads_options *options, struct error *e);
/* Makes the loop read the records while the command runs. */
void task_reads_watch(struct task_reads *t, struct loop *loop);
/* Returns the counters of the whole, on one slot. */
struct counters *task_reads_counters(struct task_reads *t);
/* What ends later has not ended. Only the first call has an effect. */
void task_reads_stop(struct task_reads *t);
/* Reads the remaining records. totals: for each event, as read after task_reads_stop. Closes the events. */
void task_reads_finish(struct task_reads *t, const struct count *totals);
/* Returns the ledger, which is complete after task_reads_finish. */
struct ledger *task_reads_ledger(struct task_reads *t);

/* t may be NULL. */
void task_reads_close(struct task_reads *t);
