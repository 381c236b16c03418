#include "by/exec_notify.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "count/counters.h"
#include "event/tracefs.h"
#include "host/topology.h"
#include "lib/ring.h"
#include "lib/util.h"

/* The kernel's page about the ring, and one of records. */
static size_t ring_size(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

/* Mapped for reading only, the ring is never full: the kernel writes over what is there. */
static int open_on_cpu(struct exec_notify *notify, int cpu, uint64_t tracepoint)
{
	int fd = counters_open_exec_notify(cpu, tracepoint), error;
	void *base;

	if (fd == -ENODEV || fd == -EINVAL) /* an offline CPU: nothing is executed there */
		return 0;
	if (fd < 0)
		return fd;
	base = mmap(NULL, ring_size(), PROT_READ, MAP_SHARED, fd, 0);
	error = base == MAP_FAILED ? ring_map_error() : 0;
	*ARRAY_PUSH(notify->rings, notify->n) = (struct exec_notify_ring){fd, base};
	return error;
}

/* 0: not known. */
static uint64_t exec_tracepoint(void)
{
	auto_tracefs struct tracefs tracefs = {0};
	struct event event;
	struct error ignored;
	uint64_t config;

	if (tracefs_resolve(&tracefs, "sched:sched_process_exec", &event, &ignored) <= 0)
		return 0;
	config = event.attr.config;
	event_free(&event);
	return config;
}

int exec_notify_open(struct exec_notify *notify, struct error *e)
{
	int n = topology_end(TOPOLOGY_ROOT), error = 0;
	uint64_t tracepoint = exec_tracepoint();

	for (int cpu = 0; cpu < n && error == 0; cpu++)
		error = open_on_cpu(notify, cpu, tracepoint);
	return error < 0 ? ring_explain(error, "cannot follow which programs are executed", e) : 0;
}

void exec_notify_watch(const struct exec_notify *notify, struct loop *loop, loop_call *rings, void *arg)
{
	for (size_t i = 0; i < notify->n; i++)
		loop_add(loop, notify->rings[i].fd, rings, arg);
}

void exec_notify_close(struct exec_notify *notify)
{
	for (size_t i = 0; i < notify->n; i++) {
		munmap(notify->rings[i].base, ring_size());
		close(notify->rings[i].fd);
	}
	free(notify->rings);
	*notify = (struct exec_notify){.n = 0};
}
