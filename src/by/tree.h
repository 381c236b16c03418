/* tree: the processes of a command: their parents, names, starts and ends; and the current meaning of each thread id,
 * since the kernel reuses ids. Pure.
 *
 * Order of calls: zero-initialize; tree_add_process, tree_put_task, tree_find_task, tree_end_task …; tree_keep to drop
 * some; tree_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/util.h"

#define TREE_NONE SIZE_MAX

/* The row of work that could not be attributed to a task. */
#define UNATTRIBUTED "(unattributed)"

struct process {
	pid_t pid, ppid;
	size_t parent; /* index; TREE_NONE for the root, or if its parent is not in the tree */
	/* One after another, each with its NUL, oldest first; the last is the current one. Most processes have one: a
	 * list would take twice the memory. */
	char *names;
	unsigned n_names;
	uint64_t start, end; /* CLOCK_MONOTONIC, ns; end 0 while it lives */
	uint64_t peak;       /* of its resident memory, in bytes, of its last program; 0: unknown */
	char *cmdline;       /* words separated by blanks; NULL if unknown */
	uint64_t cmdline_at; /* time when it was read, as start */
	int wait_status;
	bool has_status : 1;
	unsigned alive : 31; /* number of its known tasks that have not ended */
};

#define NAME_MAX_LEN 16 /* bytes, the kernel's TASK_COMM_LEN */

/* The meaning of a thread id. */
struct task {
	pid_t tid; /* 0 for an empty entry of the table */
	bool ended;
	char name[NAME_MAX_LEN]; /* for the caller: the name of a thread that has set one; put_task sets "" */
	size_t process;          /* index; TREE_NONE if not in the tree */
	size_t unit;             /* for the caller */
	uint64_t cgroup, moved;  /* for the caller; put_task sets 0 */
};

struct tree {
	struct process *processes; /* in order of their start */
	size_t n;
	struct task *tasks; /* hash table by tid */
	size_t n_tasks, capacity;
};

/* Appends a process; its first name is its parent's. Returns its index. */
size_t tree_add_process(struct tree *tree, pid_t pid, pid_t ppid, size_t parent, uint64_t start);
/* The process takes another name; repeating the current one adds none. tree_rename_anew: in place of all names so far.
 */
void tree_rename(struct tree *tree, size_t process, const char *name);
void tree_rename_anew(struct tree *tree, size_t process, const char *name);
const char *tree_name(const struct tree *tree, size_t process);
/* Returns all names of a process, which the caller frees. */
struct strings tree_names(const struct process *process);

/* Sets how the last process with this id has ended, as from wait4. */
void tree_set_status(struct tree *tree, pid_t pid, int wait_status);

/* Returns NULL for an unknown id. Valid until the next tree_put_task. */
struct task *tree_find_task(const struct tree *tree, pid_t tid);
/* Returns the main task of the process with this id, or NULL. */
struct task *tree_find_first(const struct tree *tree, pid_t pid);
/* From now on, tid means this task, which is alive. An earlier process with this id has ended. */
struct task *tree_put_task(struct tree *tree, pid_t tid, size_t process, size_t unit);
/* The task has ended; with its last task, its process has also ended. */
void tree_end_task(struct tree *tree, struct task *task, uint64_t time);
/* The task's process executes a program: only the task with the process's id remains, whichever task called exec. */
void tree_exec(struct tree *tree, struct task *task);

/* Sorts the children of each process by their start, depth first: order[i] is the i-th process to show, depth[i] the
 * number of its ancestors. Both have room for tree->n. */
void tree_walk(const struct tree *tree, size_t *order, unsigned *depth);

/* Drops the processes that are not in keep, and their tasks; their children then have no parent. new_index, with room
 * for tree->n, gets the new index of each, or TREE_NONE. */
void tree_keep(struct tree *tree, const bool *keep, size_t *new_index);

void tree_free(struct tree *tree);
