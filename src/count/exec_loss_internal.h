/* exec_loss_internal: what exec_loss.c reads from and remembers, for its test. */
#pragma once

#include "count/exec_loss.h"
#include "lib/ring.h"

#define COMM_SIZE 16

struct task_record {
	uint64_t time;
	uint32_t type; /* PERF_RECORD_COMM of an exec, PERF_RECORD_MMAP, PERF_RECORD_EXIT */
	uint32_t tid;
	char comm[COMM_SIZE];
};

struct exec_loss {
	pid_t *only; /* these processes; NULL: those that they start, too */
	size_t n_only;
	int fds[EXEC_LOSS_CPUS];
	struct ring rings[EXEC_LOSS_CPUS]; /* of the first thread's events, on each CPU */
	size_t n;
	int *others; /* the other threads' events, which write into the same rings */
	size_t n_others;
	struct task_record *records; /* not looked at yet */
	size_t n_records;
	struct task_record *executed; /* by tasks that have mapped nothing since */
	size_t n_executed;
	size_t n_ended; /* tasks */
	bool incomplete;
	char found[COMM_SIZE]; /* "": none */
	struct loop *loop;
};
