/* loop: one poll over descriptors, each with what to do when it is readable. Nothing polls by time and nothing sleeps.
 *
 * Order of calls: zero-initialize; loop_add; loop_run, which calls back until loop_stop; loop_free. A call may add
 * and remove sources, its own included. The descriptors stay the caller's.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* fd: the descriptor that is readable */
typedef void loop_call(void *arg, int fd);

struct loop_source {
	loop_call *ready;
	void *arg;
};

struct loop {
	struct pollfd *fds; /* fd -1: removed */
	struct loop_source *sources;
	size_t n;
	bool stopped;
};

void loop_add(struct loop *loop, int fd, loop_call *ready, void *arg);
void loop_remove(struct loop *loop, int fd);
void loop_stop(struct loop *loop);

/* Until loop_stop; 0 or -errno. */
int loop_run(struct loop *loop, struct error *e);
void loop_free(struct loop *loop);
