/* exec_record: tells whether the kernel stopped counting a process at an exec.
 *
 * The kernel removes the events of a process that executes an unreadable program, or one that gains rights
 * (begin_new_exec in fs/exec.c). It does so after writing the record of the exec, and before the record of the
 * program's first mapping. Children are not watched.
 *
 * Order of calls: exec_record_open before the process runs; exec_record_stopped at any time; exec_record_close. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "os/kernel.h"

#define EXEC_NAME_SIZE 17 /* TASK_COMM_LEN, and a NUL byte */

struct exec_record {
	struct perf_event_mmap_page *page; /* the newest records follow it; NULL: there are none */
	size_t page_size;
};

/* Where this is not possible (before Linux 4.7, or if no memory may be locked), exec_record_stopped returns false. */
void exec_record_open(struct exec_record *r, pid_t process);
/* Stores the name of the executed program, as in /proc/PID/comm. */
bool exec_record_stopped(const struct exec_record *r, char program[EXEC_NAME_SIZE]);
void exec_record_close(struct exec_record *r);
