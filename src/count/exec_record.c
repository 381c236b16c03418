#include "count/exec_record.h"

#include <stdint.h>
#include <sys/mman.h>

#include "count/counters.h"
#include "lib/util.h"

void exec_record_open(struct exec_record *r, pid_t process)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	auto_close int fd = counters_open_exec_record(process);
	/* Without PROT_WRITE, the kernel replaces the oldest records. The mapping keeps the event. */
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, 2 * page_size, PROT_READ, MAP_SHARED, fd, 0);

	*r = (struct exec_record){.page_size = page_size};
	if (page != MAP_FAILED)
		r->page = page;
}

/* The kernel writes backward: a newer record is before an older one, and data_head is at the newest. No header crosses
 * the end of the page, since all sizes are multiples of 8. */
static const struct perf_event_header *record_at(const struct exec_record *r, uint64_t position)
{
	const char *data = (const char *)r->page + r->page_size;

	return (const struct perf_event_header *)(const void *)(data + (position & (r->page_size - 1)));
}

bool exec_record_stopped(const struct exec_record *r)
{
	const struct perf_event_header *newest;
	uint64_t head;

	if (!r->page)
		return false;
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	newest = record_at(r, head);
	if (newest->type == PERF_RECORD_EXIT) /* of the process, or of its events */
		newest = record_at(r, head + newest->size);
	return newest->type == PERF_RECORD_COMM && (newest->misc & PERF_RECORD_MISC_COMM_EXEC);
}

void exec_record_close(struct exec_record *r)
{
	if (r->page)
		munmap(r->page, 2 * r->page_size);
	*r = (struct exec_record){.page = NULL};
}
