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
 * that had ten of them read 0 now and then. Whether tasks' counters go on a CPU and off it with them is such a switch,
 * too (perf_sched_events): where it is not seen, a task counts only what follows its own exec. So that is looked at.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES    5
#define CHILDREN 8
#define SPIN_NS  2000000 /* each child's work */

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

static int hold(int n, char **names)
{
	int failed = 0;

	for (int i = 0; i < n; i++)
		failed |= tracepoint_hold(names[i]);
	for (unsigned config = PERF_COUNT_SW_PAGE_FAULTS; config <= PERF_COUNT_SW_EMULATION_FAULTS; config++)
		failed |= event_hold(PERF_TYPE_SOFTWARE, config, "a software event");
	return failed;
}

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Do children's counters run whenever these do? */
static int children_are_counted(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.inherit = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	long long before = 0, after = 0;
	int good = fd >= 0 && read(fd, &before, sizeof(before)) == sizeof(before);

	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0) {
			usleep(1000);
			while (cpu_time() < SPIN_NS)
				;
			_exit(0);
		}
	for (int i = 0; i < CHILDREN; i++) /* what holds the events is a child, too */
		wait(NULL);
	good = good && read(fd, &after, sizeof(after)) == sizeof(after);
	close(fd);
	return good && after - before > CHILDREN * SPIN_NS / 2;
}

/* The process that holds them, when it does; -1. */
static pid_t holder_start(int n, char **names)
{
	int done[2];
	char failed = 1;
	pid_t child;

	if (pipe(done) < 0 || (child = fork()) < 0)
		return -1;
	if (child == 0) {
		failed = (char)hold(n, names);
		if (write(done[1], &failed, 1) != 1 || failed)
			_exit(1);
		close(done[0]);
		close(done[1]);
		close(STDOUT_FILENO); /* the reader of the process id waits for its end */
		for (;;)
			pause();
	}
	close(done[1]);
	if (read(done[0], &failed, 1) != 1)
		failed = 1;
	close(done[0]);
	return failed ? -1 : child;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < TRIES; i++) {
		pid_t child = holder_start(argc - 1, argv + 1);

		if (child < 0)
			return 1;
		if (children_are_counted()) {
			printf("%d\n", (int)child);
			return 0;
		}
		fprintf(stderr, "hold: switched on, and not seen: once more\n");
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		sleep(2); /* the kernel switches tasks' counters off a second later (perf_sched_delayed) */
	}
	return 1;
}
