/* cpuwide [breakpoint]: tests whether each CPU can be watched as --by needs it. On each CPU it opens a group with a
 * leader that samples each context switch together with the group's values, and as a member a tracepoint (if tracefs
 * can be read, otherwise page faults), or a breakpoint. Status 0: yes; 1: no, with the reason on standard output. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t cell;

static int perf_event_open(const struct perf_event_attr *attr, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr leader(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
		.sample_id_all = 1,
	};
}

static struct perf_event_attr member(int breakpoint)
{
	FILE *f = breakpoint ? NULL : fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "re");
	struct perf_event_attr attr = {.size = sizeof(attr), .read_format = leader().read_format};
	unsigned id;

	if (breakpoint) {
		attr.type = PERF_TYPE_BREAKPOINT;
		attr.bp_type = HW_BREAKPOINT_W;
		attr.bp_addr = (uintptr_t)&cell;
		attr.bp_len = HW_BREAKPOINT_LEN_8;
	} else if (f && fscanf(f, "%u", &id) == 1) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = id;
	} else {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	}
	if (f)
		fclose(f);
	return attr;
}

static int watch(int cpu, int breakpoint)
{
	struct perf_event_attr first = leader(), second = member(breakpoint);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = perf_event_open(&first, cpu, -1), error = 0;
	void *ring;

	if (fd < 0)
		return errno;
	if (perf_event_open(&second, cpu, fd) < 0)
		error = errno;
	ring = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		return errno;
	munmap(ring, 2 * page);
	return error;
}

int main(int argc, char **argv)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int breakpoint = argc > 1 && strcmp(argv[1], "breakpoint") == 0;

	for (int cpu = 0; cpu < n; cpu++) {
		int error = watch(cpu, breakpoint);

		if (error && error != ENODEV) { /* offline */
			printf("CPU %d cannot be watched: %s\n", cpu, strerror(error));
			return 1;
		}
	}
	return 0;
}
