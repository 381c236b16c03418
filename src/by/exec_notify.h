/* exec_notify: readable as soon as a task on any CPU has executed a program, for what must be looked at before that has
 * ended: by the tracepoint at the end of execve(2), when the new command line can be read (a COMM record is written
 * before). Where tracefs does not tell its number it is readable when a library is mapped, as by programs that have
 * any.
 *
 * Why not have a ring of context switches (switch_trace.h) wake its reader with each record: the reader gets the CPU by
 * one switch and gives it back by another, so that it would wake itself for ever, and share a busy CPU with the command
 * it counts at 20 us a turn.
 *
 * Order of calls: zero-initialize; exec_notify_open; exec_notify_watch; exec_notify_close, also if opening failed.
 */
#pragma once

#include <stddef.h>

#include "lib/error.h"
#include "lib/loop.h"

struct exec_notify_ring {
	int fd;
	void *base; /* of a ring that is never read: it makes the descriptor readable */
};

struct exec_notify {
	struct exec_notify_ring *rings; /* one for each CPU that is online */
	size_t n;
};

/* 0 or -errno: what counting whole CPUs takes, or locked memory, is not permitted. */
int exec_notify_open(struct exec_notify *notify, struct error *e);

void exec_notify_watch(const struct exec_notify *notify, struct loop *loop, loop_call *rings, void *arg);

void exec_notify_close(struct exec_notify *notify);
