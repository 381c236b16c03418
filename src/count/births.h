/* births: which threads were started by which, seen by the kernel, while counters are being opened on a process whose
 * threads come and go.
 *
 * Why: a thread found in a second look at /proc may have inherited the counters of the thread that started it, or may
 * have been started before those were opened. Opening it in the first case counts it twice, leaving it out in the
 * second loses it. /proc does not say which; the kernel's FORK records do: they have the thread, its parent and the
 * time.
 *
 * Order of calls: births_new; births_track each thread before its counters are opened; births_read; births_find,
 * births_cut; births_free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

struct births;

struct birth {
	pid_t tid, parent; /* parent: the thread that started it */
	uint64_t time;     /* CLOCK_MONOTONIC, ns */
	bool cut;          /* ignore its parent: births_cut */
};

struct births *births_new(void);

/* Follow a thread and all that it and its descendants start from now on, except one that it is starting just now: the
 * kernel copies what is inherited first and writes the record last (kernel/fork.c: copy_process). No effect on a
 * thread that is followed already. 0 or -errno: -ESRCH it has ended. */
int births_track(struct births *b, pid_t tid);

void births_read(struct births *b);

/* The last birth of this tid; NULL: not seen. Good until births_read. */
const struct birth *births_find(const struct births *b, pid_t tid);

/* How many threads this one was seen to start between two times, exclusive. */
size_t births_count(const struct births *b, pid_t parent, uint64_t from, uint64_t to);

/* Ignore the ancestors of this thread: a search from a descendant ends here. */
void births_cut(struct births *b, pid_t tid);

/* Were records lost, so that births_find may miss some? */
bool births_is_incomplete(const struct births *b);

void births_free(struct births *b);
