/* ledger: the counts of each task of a command's tree, from records of its tasks' starts, names and ends, and of their
 * counts at the end; and the proof that nothing is missing. Pure: the records may come from the kernel's rings or from
 * ptrace.
 *
 * The proof: for each event, the counts of all tasks add up to the total, which was counted separately. A row is exact
 * if each of its tasks has a start and one read of the event, and the sums agree. If the reads of one row are missing,
 * the difference is its count, exactly. If the reads of several rows are missing, these rows are lower bounds, and the
 * difference has a row of its own, UNATTRIBUTED.
 *
 * Order of calls: ledger_new; ledger_fork, ledger_name and ledger_exit in order of time, and ledger_read in any order,
 * but after the fork of its task; ledger_lose for lost records; ledger_finish with the totals; ledger_fetch,
 * ledger_fetch_tree, ledger_add_notes; ledger_free.
 *
 * All times are CLOCK_MONOTONIC, ns. A task is named by the ids of its process and of itself, as in a perf record: the
 * first thread has the id of the process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "by/tree.h"
#include "count/aggr_map.h"
#include "count/counts.h"
#include "lib/util.h"

struct ledger;

/* A new task, and the task that started it. */
struct task_ids {
	pid_t pid, tid, parent_pid, parent_tid;
};

/* by: AGGR_PROCESS, AGGR_COMM or AGGR_THREAD. Events are numbered from 0 to n_events - 1. */
struct ledger *ledger_new(size_t n_events, enum aggr_mode by);

/* A task starts: a thread if both processes are the same. The first task is the command's. */
void ledger_fork(struct ledger *l, const struct task_ids *ids, uint64_t time);
/* A task takes a name, of at most NAME_MAX_LEN bytes. exec: it executes a program. */
void ledger_name(struct ledger *l, pid_t pid, pid_t tid, const char *name, bool exec, uint64_t time);
/* A task maps a program or a library. */
void ledger_map(struct ledger *l, pid_t tid, uint64_t time);
/* A task ends; or the kernel stops counting it because it gains rights at an exec. The kernel does this before it maps
 * the program (fs/exec.c: begin_new_exec), so the task has mapped nothing since the exec. */
void ledger_exit(struct ledger *l, pid_t tid, uint64_t time);
/* All that a task has counted. A process whose threads are counted together has one read, of its first thread; its
 * other threads then need no fork. */
void ledger_read(struct ledger *l, pid_t pid, pid_t tid, size_t event, struct sample sample, uint64_t time);
/* The process's command line, since its last exec; takes over its memory. Its later children have the same. */
void ledger_set_cmdline(struct ledger *l, pid_t pid, char *cmdline);
bool ledger_is_alive(const struct ledger *l, pid_t pid);
/* Records were lost or damaged: n of them, 0 if the number is unknown. */
void ledger_lose(struct ledger *l, uint64_t n);

/* totals: for each event, its state and its count over all tasks, read at this time or later. Records of later times
 * must not be added. */
void ledger_finish(struct ledger *l, const struct count *totals);

/* Fetches the counts: slot 0 is the whole, from the totals, and has no key; slot 1 is for unattributed work and has a
 * key only if there is any; then slots for the processes, programs or threads, in order of their start. ranking: those
 * that it leaves to a row for others share one slot. The caller frees counts and map, before and after. */
void ledger_fetch(const struct ledger *l, const struct ranking *ranking, struct counts *counts, struct aggr_map *map);

/* Returns the processes. The caller may change the tree, and frees it; nothing can be fetched afterwards. */
struct tree ledger_fetch_tree(struct ledger *l);
/* Appends a line for each problem. Called before ledger_fetch_tree. */
void ledger_add_notes(const struct ledger *l, struct strings *notes);

/* Names the programs that the kernel stopped counting because they gain rights; NULL if there are none. The caller
 * frees the text. After ledger_finish. */
char *ledger_explain_gained(const struct ledger *l);
/* False if there may be others, because records were lost. */
bool ledger_knows_gained(const struct ledger *l);

/* l may be NULL. */
void ledger_free(struct ledger *l);
