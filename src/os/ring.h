/* ring: a perf descriptor's mapped ring buffer, read record by record (perf_event_open(2), "MMAP layout").
 *
 * Order of calls: ring_open; ring_next until NULL, whenever there may be records; ring_close. A record is valid until
 * the next call. A damaged ring (a record of impossible size) gives no more records.
 *
 * To read several rings in order of time: ring_update each, then ring_peek and ring_skip. A record is valid until it is
 * skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "os/kernel.h"

struct ring {
	struct perf_event_mmap_page *page; /* NULL: not open */
	size_t page_size;
	size_t size; /* of the data, bytes; a power of two */
	uint64_t tail;
	bool damaged;
	uint64_t head; /* as of the last update */
	bool was_full; /* so little room was left until the last update that records may have been lost */
	char *copy;    /* a record that wraps around the end */
};

/* pages: of data, a power of two. 0 or -errno: -ENOBUFS no more memory may be locked. The descriptor stays the
 * caller's. */
int ring_open(struct ring *ring, int fd, size_t pages);

/* Why the mmap of a perf descriptor has failed: -errno, but for EPERM, by which the kernel means that no more memory
 * may be locked (kernel/events/core.c: perf_mmap), -ENOBUFS. */
int ring_map_error(void);

/* Set the error: what cannot be done, why, and for -ENOBUFS the limits and how to raise them. Returns error. */
int ring_explain(int error, const char *what, struct error *e);
const struct perf_event_header *ring_next(struct ring *ring);

/* Give the space of what was read back to the kernel, and see what it has written meanwhile. */
void ring_update(struct ring *ring);
/* The next record that had been written at the last update; NULL: none. */
const struct perf_event_header *ring_peek(struct ring *ring);
/* Go on to the record after this one, which ring_peek returned. */
void ring_skip(struct ring *ring, const struct perf_event_header *record);

void ring_close(struct ring *ring);
