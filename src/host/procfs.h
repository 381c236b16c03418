/* procfs: tasks in /proc. A task may end at any moment; its data are then missing, but never wrong.
 *
 * Order of calls: procfs_read_stat, procfs_read_state, procfs_read_status as often as wanted; zero-initialize a
 * proc_list, procfs_list_processes, proc_list_free; zero-initialize a thread_set, procfs_list_threads, free its v. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_NAME 16

/* True if /proc shows tasks by their ids here. False if it belongs to another PID namespace. */
bool procfs_is_ours(void);

/* Returns the task's name for reports. A task may give itself an empty name (prctl(2)), which would look like a row
 * without a name: it becomes "", two quotation marks. */
const char *procfs_task_name(const char *name);

/* Returns the length of the kernel's ticks in /proc, ns. */
uint64_t procfs_tick(void);

/* From /proc/PID/task/PID/stat. */
struct proc_stat {
	pid_t pid, ppid;
	char state;     /* R, S, D, T, Z, X… */
	uint64_t start; /* ticks since boot */
	char name[PROC_NAME];
};

/* True if the task certainly existed at this time (CLOCK_MONOTONIC, ns): the kernel's ticks are 10 ms long. */
bool procfs_existed_at(const struct proc_stat *stat, uint64_t time);

/* From /proc/PID/stat, of all its threads. */
struct proc_times {
	uint64_t own, children; /* ns on a CPU, in whole ticks; children: those that it has waited for */
	uint64_t start;         /* ticks since boot */
};

/* From /proc/PID/status. */
struct proc_status {
	char state;    /* '\0' if there is no such task */
	char name[64]; /* control characters escaped */
	pid_t process;
	uid_t owner;
};

struct proc_list {
	struct proc_stat *v; /* oldest first */
	size_t n;
};

struct thread_set {
	pid_t *v;
	size_t n;
};

/* True if every task has an id here. In a PID namespace (a container), the kernel shows all tasks outside it as 0.
 * False also if it is unknown. */
bool procfs_names_all_tasks(void);

/* pid may be a thread's id. Returns 0, or -errno if the task has ended. */
int procfs_read_stat(pid_t pid, struct proc_stat *stat);

/* Returns 0, or -errno if the process has ended. */
int procfs_read_times(pid_t pid, struct proc_times *times);

/* pid may be a thread's id. */
struct proc_status procfs_read_status(pid_t pid);

/* Returns the peak of the resident memory since the exec, in bytes; 0 if unknown. */
uint64_t procfs_read_peak(pid_t pid);

/* Returns the process of a thread; 0 if it has ended. */
pid_t procfs_process_of(pid_t tid);

/* Returns the words of the command line, separated by blanks; NULL if the process has ended, has none, or if its exec
 * has not progressed so far. The caller frees it. */
char *procfs_read_cmdline(pid_t pid);

/* True if the kernel has mapped its code for user probes into the process, at the first probe that the process hit.
 * Needs the right to trace it. */
bool procfs_has_hit_probes(pid_t pid);

/* Appends the threads of a process; none if it has ended. The kernel may skip threads while others end (fs/proc/base.c:
 * next_tid). */
void procfs_list_threads(struct thread_set *set, pid_t process);

/* True if any of its threads lives: a process whose first thread has ended is shown as a zombie. */
bool procfs_process_lives(pid_t process);

void procfs_list_processes(struct proc_list *list);
void proc_list_free(struct proc_list *list);
