/* ring: the mapped ring buffer of a perf descriptor, read record by record (perf_event_open(2), "MMAP layout").
 *
 * Order of calls: ring_open; ring_next until NULL, whenever there may be records; ring_close. A record is valid until
 * the next call. A damaged ring (a record of impossible size) gives no more records.
 *
 * To read several rings in order of time: ring_update each, then ring_peek and ring_skip. A record is valid until it is
 * skipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "os/kernel.h"

struct ring {
	struct perf_event_mmap_page *page; /* NULL if closed */
	size_t page_size;
	size_t size; /* of the data in bytes; a power of two */
	uint64_t tail;
	bool damaged;
	uint64_t head; /* at the last update */
	bool was_full; /* the room left at the last update was so small that records may have been lost */
	char *copy;    /* of a record that wraps around the end */
};

/* pages: number of data pages, a power of two. Returns 0 or -errno: -ENOBUFS if no more memory may be locked. The
 * caller keeps the descriptor. */
int ring_open(struct ring *ring, int fd, size_t pages);

/* Returns the data, for a reader that takes no notice of data_head. */
const uint64_t *ring_words(const struct ring *ring);

/* Returns why the mmap of a perf descriptor failed: -errno, or -ENOBUFS for EPERM, with which the kernel reports that
 * no more memory may be locked (kernel/events/core.c: perf_mmap). */
int ring_map_error(void);

/* Sets the error: the failed action, the cause, and for -ENOBUFS the limits with a remedy. Returns error. */
int ring_explain(int error, const char *what, struct error *e);
const struct perf_event_header *ring_next(struct ring *ring);

/* Returns the space of the records already read to the kernel, and sees the records written since the last update. */
void ring_update(struct ring *ring);
/* Returns the next record as of the last update, or NULL. */
const struct perf_event_header *ring_peek(struct ring *ring);
/* Moves past this record, which ring_peek returned. */
void ring_skip(struct ring *ring, const struct perf_event_header *record);

void ring_close(struct ring *ring);
