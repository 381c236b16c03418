#include "ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util.h"

int ring_open(struct ring *ring, int fd, size_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (1 + pages) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -errno;
	*ring = (struct ring){.page = base, .size = pages * page_size};
	ring->copy = xmalloc(UINT16_MAX + 1); /* the size of a record is 16 bits wide */
	return 0;
}

/* Copy n bytes at position at, which may wrap around the end. */
static void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t n)
{
	const char *data = (const char *)ring->page + (size_t)sysconf(_SC_PAGESIZE);
	size_t begin = (size_t)(at & (ring->size - 1));
	size_t first = n < ring->size - begin ? n : ring->size - begin;

	memcpy(to, data + begin, first);
	memcpy((char *)to + first, data, n - first);
}

const struct perf_event_header *ring_next(struct ring *ring)
{
	/* pairs with the kernel's barrier after writing the data (perf_event_mmap_page.data_head) */
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;

	if (ring->damaged || ring->tail == head)
		return NULL;
	ring_copy(ring, ring->tail, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > head - ring->tail) {
		ring->damaged = true;
		return NULL;
	}
	ring_copy(ring, ring->tail, ring->copy, header.size);
	ring->tail += header.size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	return (const struct perf_event_header *)(const void *)ring->copy;
}

bool ring_is_damaged(const struct ring *ring)
{
	return ring->damaged;
}

void ring_close(struct ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	free(ring->copy);
	*ring = (struct ring){0};
}
