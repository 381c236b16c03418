/* tree: the processes that a command became: their parents, names, starts and ends; and which of them a thread id means
 * at the moment, since the kernel reuses ids. Pure.
 *
 * Order of calls: zero-initialize; tree_add_process, tree_put_task, tree_find_task, tree_end_task …; tree_keep to
 * forget some; tree_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/util.h"

#define TREE_NONE SIZE_MAX

struct process {
	pid_t pid, ppid;
	size_t parent;        /* index; TREE_NONE: the root, or its parent is not in the tree */
	struct strings names; /* oldest first; the last is the present one */
	uint64_t start, end;  /* CLOCK_MONOTONIC, ns; end 0: not yet */
	unsigned alive;       /* its known tasks that have not ended */
	char *cmdline;        /* words separated by blanks; NULL: not known */
	uint64_t cmdline_at;  /* when it was read, like start */
	bool has_status;
	int wait_status;
};

#define NAME_MAX_LEN 16 /* bytes, the kernel's TASK_COMM_LEN */

/* What a thread id stands for. */
struct task {
	pid_t tid;      /* 0: an empty place in the table */
	size_t process; /* index; TREE_NONE: not in the tree */
	size_t unit;    /* the caller's own */
	bool ended;
	char name[NAME_MAX_LEN]; /* the caller's: of a thread that took one of its own; from put_task "" */
};

struct tree {
	struct process *processes; /* in order of their start */
	size_t n;
	struct task *tasks; /* hash table by tid */
	size_t n_tasks, n_places;
};

/* Append one; its first name is its parent's. Returns its index. */
size_t tree_add_process(struct tree *tree, pid_t pid, pid_t ppid, size_t parent, uint64_t start);
/* The process takes another name; repeating the present one adds none. */
void tree_rename(struct tree *tree, size_t process, const char *name);
const char *tree_name(const struct tree *tree, size_t process);

/* How the last process with this id has ended, as from wait4. */
void tree_set_status(struct tree *tree, pid_t pid, int wait_status);

/* NULL: unknown. Good until the next tree_put_task. */
struct task *tree_find_task(const struct tree *tree, pid_t tid);
/* The main task of the process with this id; NULL: there is none. */
struct task *tree_find_first(const struct tree *tree, pid_t pid);
/* From now on tid means this task, which is alive. The process that had this id before, if any, has ended. */
struct task *tree_put_task(struct tree *tree, pid_t tid, size_t process, size_t unit);
/* The task has ended; with its last task, the process has. */
void tree_end_task(struct tree *tree, struct task *task, uint64_t time);
/* The task's process executes a program: only the task with the process' id is left, whichever called exec. */
void tree_exec(struct tree *tree, struct task *task);

/* The children of each process in order of their start, depth first: order[i] is the i-th process to show, depth[i] how
 * many ancestors it has. Both have room for tree->n. */
void tree_walk(const struct tree *tree, size_t *order, unsigned *depth);

/* Forget the processes that are not to be kept, and their tasks; their children have no parent then. place, with room
 * for tree->n, gets the new index of each; TREE_NONE: it is gone. */
void tree_keep(struct tree *tree, const bool *keep, size_t *place);

void tree_free(struct tree *tree);
