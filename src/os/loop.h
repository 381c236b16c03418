/* loop: one poll over descriptors, each with a function that is called when it is readable; and timers to poll.
 *
 * Order of calls: zero-initialize; loop_add; loop_run, which calls back until loop_stop; loop_free. A callback may add
 * and remove descriptors, including its own. The caller keeps the descriptors. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* fd: the readable descriptor */
typedef void loop_call(void *arg, int fd);

struct loop_handler {
	loop_call *ready;
	void *arg;
};

struct loop {
	struct pollfd *fds; /* fd -1: removed */
	struct loop_handler *handlers;
	size_t n;
	bool stopped;
};

void loop_add(struct loop *loop, int fd, loop_call *ready, void *arg);
void loop_remove(struct loop *loop, int fd);
void loop_stop(struct loop *loop);

/* Runs until loop_stop. Returns 0 or -errno. */
int loop_run(struct loop *loop, struct error *e);
void loop_free(struct loop *loop);

/* Returns a descriptor that becomes readable at the time first (ns, as from clock_now), and then every period (ns; 0:
 * only once); or -errno. */
int timer_open(uint64_t first, uint64_t period, struct error *e);

/* Returns the number of expirations since the last call, and makes the descriptor unreadable until the next one. */
uint64_t timer_read(int fd);
