#include "lib/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/util.h"

int ring_open(struct ring *ring, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (1 + pages) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*ring = (struct ring){.page = base, .page_size = page_size, .size = pages * page_size};
	ring->copy = xmalloc(UINT16_MAX + 1); /* the size of a record is 16 bits wide */
	return 0;
}

static const char *ring_data(const struct ring *ring)
{
	return (const char *)ring->page + ring->page_size;
}

/* The record at the tail, copied if it wraps around the end. Its header never does: all sizes are multiples of 8. */
static const struct perf_event_header *ring_record(const struct ring *ring, size_t size)
{
	size_t begin = (size_t)(ring->tail & (ring->size - 1));
	size_t first = ring->size - begin;

	if (size <= first)
		return (const struct perf_event_header *)(const void *)(ring_data(ring) + begin);
	memcpy(ring->copy, ring_data(ring) + begin, first);
	memcpy(ring->copy + first, ring_data(ring), size - first);
	return (const struct perf_event_header *)(const void *)ring->copy;
}

void ring_update(struct ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	/* pairs with the kernel's barrier after writing the data (perf_event_mmap_page.data_head) */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

const struct perf_event_header *ring_peek(struct ring *ring)
{
	const struct perf_event_header *header;
	uint64_t left = ring->head - ring->tail;

	if (ring->damaged || left == 0)
		return NULL;
	header = ring_record(ring, sizeof(*header));
	if (left < sizeof(*header) || header->size < sizeof(*header) || header->size % 8 || header->size > left) {
		ring->damaged = true;
		return NULL;
	}
	return ring_record(ring, header->size);
}

void ring_skip(struct ring *ring, const struct perf_event_header *record)
{
	ring->tail += record->size;
}

const struct perf_event_header *ring_next(struct ring *ring)
{
	const struct perf_event_header *record;

	ring_update(ring);
	record = ring_peek(ring);
	if (record)
		ring_skip(ring, record);
	return record;
}

bool ring_is_damaged(const struct ring *ring)
{
	return ring->damaged;
}

bool ring_was_full(const struct ring *ring)
{
	return ring->size - (ring->head - ring->tail) < ring->size / 16;
}

void ring_close(struct ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, ring->size + ring->page_size);
	free(ring->copy);
	*ring = (struct ring){0};
}
