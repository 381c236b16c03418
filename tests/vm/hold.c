/* hold SYSTEM/NAME…: keep these tracepoints and software events in use until a signal ends it. Returns when they are,
 * and prints the process id of what keeps them.
 *
 * For guests whose CPUs run in parallel. The kernel switches a tracepoint on by rewriting an instruction where it
 * stands (static_key_enable in tracepoint_add_func; for system calls it stands in syscall_trace_enter). A CPU of QEMU's
 * that comes there in that moment translates what stood there before, and from then on no CPU sees what is in memory,
 * for `ic ivau` is a nop in QEMU: the event reads 0 for all tasks until the instruction is rewritten. QEMU 8.1 (its
 * commit deba78709ae8) made that rarer; 10.0 still does it. Where CPUs take turns (-icount, thread=single) it does not
 * happen, nor with an instruction cache that does as it is told. What is in use anyway is not rewritten.
 * Software events are switched on in the same way, each where it happens (perf_swevent_enabled): the switches on a CPU
 * that had ten of them read 0 now and then.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The descriptor stays open, and the event in use, even when the task that is counted has ended. */
static int event_hold(unsigned type, unsigned long long config, const char *name)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0)
		return 0;
	fprintf(stderr, "hold: %s: %s\n", name, strerror(errno));
	return 1;
}

static int tracepoint_hold(const char *name)
{
	unsigned long long id;
	char path[256];
	FILE *file;
	int got;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	file = fopen(path, "re");
	if (!file) {
		perror(path);
		return 1;
	}
	got = fscanf(file, "%llu", &id);
	fclose(file);
	return got == 1 ? event_hold(PERF_TYPE_TRACEPOINT, id, name) : 1;
}

int main(int argc, char **argv)
{
	pid_t child;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= tracepoint_hold(argv[i]);
	for (unsigned config = PERF_COUNT_SW_PAGE_FAULTS; config <= PERF_COUNT_SW_EMULATION_FAULTS; config++)
		failed |= event_hold(PERF_TYPE_SOFTWARE, config, "a software event");
	if (failed)
		return 1;
	child = fork();
	if (child == 0) {
		close(STDOUT_FILENO); /* whoever reads the process id waits for its end */
		pause();
	}
	printf("%d\n", (int)child);
	return child < 0;
}
