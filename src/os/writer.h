/* writer: writes to a descriptor whose reader may be slow, stop reading or go away, without blocking unless asked to:
 * text that does not fit into the pipe is kept and written later. Before writing more, the caller checks whether text
 * is kept (writer_is_behind); if so, it writes less, or waits (writer_drain).
 *
 * Order of calls: writer_open; writer_put as often as wanted; writer_drain at the end; writer_close. After the first
 * error, nothing more is written: a report with a gap is worse than a truncated one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "os/signals.h"

struct writer {
	int fd; /* owned; -1 if closed */
	const struct signals *signals;
	bool is_file; /* writes never block */
	bool is_socket;
	bool may_wait; /* writes may block: poll shows only in advance whether there is room */
	int error;     /* errno of the first failure, or 0; EINTR: a signal arrived while the reader did not read */
	char *queue;   /* text not yet written */
	size_t n, room;
};

/* Takes ownership of fd. Does not change its O_NONBLOCK, which others may share. signals: these end any waiting; may be
 * NULL. */
void writer_open(struct writer *w, int fd, const struct signals *signals);

/* Writes as much as possible without blocking, up to the end of the last line, and keeps the rest. */
void writer_put(struct writer *w, const char *text, size_t n);

/* True if a write has failed, or the reader has gone and the next write would fail. */
bool writer_has_failed(struct writer *w);

/* Writes as much as the reader takes. True if something is left. */
bool writer_is_behind(struct writer *w);

/* Waits until everything is written, a signal arrives, or the reader takes nothing for timeout_ms (-1: no limit). */
void writer_drain(struct writer *w, int timeout_ms);

/* Returns 0 or errno: network file systems may report a full disk here. */
int writer_close(struct writer *w);
