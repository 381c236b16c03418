/* read_ring: the PERF_RECORD_READs in a ring that several CPUs write at once. The kernel has one writer for each ring
 * in mind, and does not lock it (kernel/events/ring_buffer.c): data_head may stay behind whole records for ever, a
 * record may be lost, and two may be mixed (measured on Linux 6.18). Therefore a record is good if the ids in its body
 * and at its end agree, and records are also read beyond data_head. There, records of the last lap may be found again.
 * Only records that are some time old are read, so that those that overwrite them are younger.
 *
 * Pure, but for the memory that the kernel writes.
 *
 * Order of calls: fill in data and size; read_ring_next until READ_NONE and then read_ring_release, whenever there may
 * be records; read_ring_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "count/counts.h"

/* Up to `end`, no record is later than `until`. */
struct read_release {
	uint64_t end;
	uint64_t until;
};

struct read_ring {
	const uint64_t *data;
	size_t size;                   /* bytes, a power of two */
	uint64_t tail;                 /* everything before it has been read */
	struct read_release *releases; /* of the last lap */
	size_t n_releases;
};

struct read_record {
	pid_t pid, tid;
	uint64_t id; /* the kernel's, of the event */
	struct sample sample;
	uint64_t time;
};

enum read_kind {
	READ_NONE,
	READ_GOOD,
	READ_LOST, /* records did not fit into the ring */
	READ_BAD,  /* a damaged record, or several */
};

/* Words of a record with counters_task_reads: header, ids, value, enabled, running, id; ids, time, id. */
#define READ_WORDS 9

/* head: the ring's data_head. until: later records are left; UINT64_MAX: nothing is written any more. */
enum read_kind read_ring_next(struct read_ring *ring, uint64_t head, uint64_t until, struct read_record *record);

/* The kernel may reuse the space before the tail. until: as in the calls of read_ring_next. */
void read_ring_release(struct read_ring *ring, uint64_t until);

void read_ring_free(struct read_ring *ring);
