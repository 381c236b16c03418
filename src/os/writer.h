/* writer: writes to a descriptor whose reader may be slow, stop reading or go away, without ever waiting for it unless
 * told to: what does not fit into a pipe is kept and written later. Whoever has more to write asks before whether
 * something is kept already (writer_is_behind), and then writes less, or waits (writer_drain).
 *
 * Order of calls: writer_open; writer_put as often as wanted; writer_drain at the end; writer_close. After the first
 * error nothing more is written: a report with a hole is worse than half a one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "os/signals.h"

struct writer {
	int fd; /* owned; -1: none */
	const struct signals *signals;
	bool is_file; /* a write to it never has to wait */
	bool is_socket;
	bool may_wait; /* a write to it may have to wait: it can only be asked before whether there is room */
	int error;     /* errno of the first failure; EINTR: a signal came while the reader did not read; 0: none */
	char *queue;   /* what has not been written yet */
	size_t n, room;
};

/* Takes fd over. Its O_NONBLOCK is not touched, since others may share it. signals: those that end any waiting; NULL:
 * none. */
void writer_open(struct writer *w, int fd, const struct signals *signals);

/* Write what can be written at once, up to the end of the last line, and keep the rest. */
void writer_put(struct writer *w, const char *text, size_t n);

/* Has a write failed, or has the reader gone, which the next write would find out? */
bool writer_has_failed(struct writer *w);

/* Write as much as the reader takes. True if something is left. */
bool writer_is_behind(struct writer *w);

/* Wait until everything is written, a signal comes, or nothing is read for so long. timeout_ms -1: however long. */
void writer_drain(struct writer *w, int timeout_ms);

/* 0 or errno: network file systems tell of a full disk when the file is closed. */
int writer_close(struct writer *w);
