#include "os/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "lib/util.h"
#include "os/rights.h"

int ring_open(struct ring *ring, int fd, size_t pages)
{
	auto_rights bool raised = rights_raise(); /* CAP_IPC_LOCK */
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (1 + pages) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return ring_map_error();
	*ring = (struct ring){.page = base, .page_size = page_size, .size = pages * page_size};
	ring->copy = xmalloc(UINT16_MAX + 1); /* the size of a record has 16 bits */
	return 0;
}

int ring_map_error(void)
{
	return errno == EPERM ? -ENOBUFS : -errno;
}

/* The first limit applies to all rings of a user; memory beyond it counts against the second. */
int ring_explain(int error, const char *what, struct error *e)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	char kb[32] = "unknown";
	auto_free char *own = NULL;

	if (error != -ENOBUFS)
		return error_set(e, -error, "%s: %s", what, strerror(-error));
	if (file_read("/proc/sys/kernel/perf_event_mlock_kb", kb, sizeof(kb)) > 0)
		kb[strcspn(kb, "\n")] = '\0';
	getrlimit(RLIMIT_MEMLOCK, &limit);
	own = limit.rlim_cur == RLIM_INFINITY ? xstrdup("unlimited")
					      : xasprintf("%llu kB", (unsigned long long)limit.rlim_cur / 1024);
	error_set(e, ENOBUFS,
		  "%s: no more memory may be locked for the kernel's records (kernel.perf_event_mlock_kb is %s for a "
		  "user's programs on each CPU, ulimit -l is %s)",
		  what, kb, own);
	return error_hint(e, "raise one of the two: sysctl kernel.perf_event_mlock_kb=N as root, or ulimit -l N");
}

const uint64_t *ring_words(const struct ring *ring)
{
	return (const uint64_t *)(const void *)((const char *)ring->page + ring->page_size);
}

static const char *ring_data(const struct ring *ring)
{
	return (const char *)ring->page + ring->page_size;
}

/* Returns the record at the tail, copied if it wraps around the end. Its header never wraps: all sizes are multiples of
 * 8. */
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
	uint64_t given_back = ring->page->data_tail;

	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
	/* pairs with the kernel's barrier after writing the data (perf_event_mmap_page.data_head) */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	ring->was_full = ring->head - given_back > ring->size - ring->size / 16;
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

void ring_close(struct ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, ring->size + ring->page_size);
	free(ring->copy);
	*ring = (struct ring){0};
}
