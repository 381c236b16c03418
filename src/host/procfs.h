/* procfs: tasks as /proc shows them. A task may end at any moment: what is read of it is then missing, never wrong.
 *
 * Order of calls: procfs_read_stat, procfs_read_state, procfs_read_status as often as wanted; zero-initialize a
 * proc_list, procfs_list_processes, proc_list_free; zero-initialize a thread_set, procfs_list_threads, free its v.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_NAME 16

/* Does it show tasks by the ids that they have here? Not where it is another PID namespace's. */
bool procfs_is_ours(void);

/* The name of a task as we have it everywhere: any task may give itself an empty one (prctl(2)), which would be none at
 * all, as our own rows have. It becomes "", two quotation marks. */
const char *procfs_task_name(const char *name);

/* From /proc/PID/task/PID/stat. */
struct proc_stat {
	pid_t pid, ppid;
	char state;     /* R, S, D, T, Z, X… */
	uint64_t start; /* ticks since boot */
	char name[PROC_NAME];
};

/* From /proc/PID/status. */
struct proc_status {
	char state;    /* '\0': there is no such task */
	char name[64]; /* control characters made visible */
	pid_t process;
	uid_t owner;
};

struct proc_list {
	struct proc_stat *v; /* the oldest first */
	size_t n;
};

struct thread_set {
	pid_t *v;
	size_t n;
};

/* Does every task have an id here? In a PID namespace (a container), the kernel shows all tasks outside it as 0. False,
 * too, where it is not known. */
bool procfs_names_all_tasks(void);

/* pid may be a thread's id. 0, or -errno: it has ended. */
int procfs_read_stat(pid_t pid, struct proc_stat *stat);

/* pid may be a thread's id. */
struct proc_status procfs_read_status(pid_t pid);

/* The process that a thread belongs to; 0: it has ended. */
pid_t procfs_process_of(pid_t tid);

/* Append the threads of a process; none when it has ended. The kernel may skip threads while others end
 * (fs/proc/base.c: next_tid). */
void procfs_list_threads(struct thread_set *set, pid_t process);

size_t procfs_count_threads(pid_t process);

void procfs_list_processes(struct proc_list *list);
void proc_list_free(struct proc_list *list);
