/* memory_trace: the peak of the resident memory of all processes of a command together, from the kernel's records of
 * the size of each address space (the tracepoint kmem:rss_stat, at each change), as root.
 *
 * The records are not filtered: a huge page and the memory that munmap frees change a size by megabytes at once, so
 * that a filter by size misses them.
 *
 * Order of calls: memory_trace_open when the command is held before its exec; memory_trace_watch; memory_trace_finish;
 * memory_trace_close. */
#pragma once

#include <sys/types.h>

#include "lib/error.h"
#include "os/loop.h"

struct memory_trace;

struct memory_peak {
	uint64_t bytes;
	uint64_t error; /* bytes, by which old kernels are behind */
	uint64_t time;  /* CLOCK_MONOTONIC, ns */
	bool lost;      /* it is a lower bound: records of later times were lost */
};

/* Returns 0 or -errno. */
int memory_trace_open(struct memory_trace **out, pid_t pid, struct error *e);
/* Makes the loop read the records while the command runs. */
void memory_trace_watch(struct memory_trace *t, struct loop *loop);
struct memory_peak memory_trace_finish(struct memory_trace *t);
/* t may be NULL. */
void memory_trace_close(struct memory_trace *t);
