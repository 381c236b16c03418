/* task_rings: a ring of records for each CPU, read in order of time over all CPUs. The records have the fields of
 * counters_task_reads.
 *
 * Order of calls: zero-initialize; task_rings_open; task_rings_map; then, whenever there may be records,
 * task_rings_update, task_rings_take and task_rings_update again, which gives their space back; task_rings_close. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "by/task_record.h"
#include "os/loop.h"
#include "os/ring.h"

struct task_rings {
	struct task_ring {
		int fd;
		struct ring ring;
	} * v;
	size_t n;
	uint64_t until; /* the time before the last update: no earlier record is missing in any ring */
};

/* Returns a descriptor of events on this CPU, or -errno. */
typedef int task_ring_open(const void *arg, int cpu);
typedef void task_ring_take(void *arg, const union task_record *record);

/* Opens a descriptor for each CPU that is online. Returns 0 or -errno; -ENODEV: on none. */
int task_rings_open(struct task_rings *rings, task_ring_open *open, const void *arg);
/* Maps rings of this many bytes, at least of a page. Returns 0 or -errno, and then none is mapped. */
int task_rings_map(struct task_rings *rings, size_t bytes);
void task_rings_watch(const struct task_rings *rings, struct loop *loop, loop_call *ready, void *arg);

/* Sees the records written so far. Returns true if a ring was so full that records may have been lost. */
bool task_rings_update(struct task_rings *rings);
/* Passes on the records up to the last update. */
void task_rings_take(struct task_rings *rings, task_ring_take *take, void *arg);
bool task_rings_are_damaged(const struct task_rings *rings);

void task_rings_close(struct task_rings *rings);
