#include "count/exec_record.h"

#include <stdint.h>
#include <stdio.h>
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

/* A record may cross the end of the page. */
static void copy(const struct exec_record *r, uint64_t from, void *to, size_t n)
{
	const char *data = (const char *)r->page + r->page_size;

	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = data[(from + i) & (r->page_size - 1)];
}

/* The kernel writes backward: a newer record is before an older one, and data_head is at the newest. */
bool exec_record_stopped(const struct exec_record *r, char program[EXEC_NAME_SIZE])
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[EXEC_NAME_SIZE - 1];
	} newest;
	uint64_t head;

	if (!r->page)
		return false;
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	copy(r, head, &newest, sizeof(newest));
	if (newest.header.type == PERF_RECORD_EXIT) /* of the process, or of its events */
		copy(r, head + newest.header.size, &newest, sizeof(newest));
	snprintf(program, EXEC_NAME_SIZE, "%.*s", (int)sizeof(newest.name), newest.name);
	return newest.header.type == PERF_RECORD_COMM && (newest.header.misc & PERF_RECORD_MISC_COMM_EXEC);
}

void exec_record_close(struct exec_record *r)
{
	if (r->page)
		munmap(r->page, 2 * r->page_size);
	*r = (struct exec_record){.page = NULL};
}
