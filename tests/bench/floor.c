/* floor: the least that a counting launcher can do, as a lower bound for pfmstat's cost: fork, hold the child at a
 * pipe, open the events on it with enable_on_exec, release it, wait, read, print.
 *
 *   floor [-d] COMMAND [ARG]...     -d: the eight default events instead of only task-clock
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS 8

struct kind {
	uint32_t type;
	uint64_t config;
	const char *name;
};

static const struct kind kinds[MAX_EVENTS] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses"},
};

static int event_open(const struct kind *kind, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = kind->type,
		.config = kind->config,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_guest = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EACCES) {
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static pid_t child_held(char **argv, int *release)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0) {
		perror("floor");
		exit(125);
	}
	if (pid == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(125);
		close(ends[0]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[0]);
	*release = ends[1];
	return pid;
}

static void report(const int *fds, int n, double elapsed, const struct rusage *usage)
{
	for (int i = 0; i < n; i++) {
		uint64_t value[3];

		if (fds[i] < 0 || read(fds[i], value, sizeof(value)) != sizeof(value))
			fprintf(stderr, "%18s      %s\n", "<not supported>", kinds[i].name);
		else
			fprintf(stderr, "%18llu      %s\n", (unsigned long long)value[0], kinds[i].name);
	}
	fprintf(stderr, "%18.9f seconds time elapsed\n%18.9f seconds user\n%18.9f seconds sys\n", elapsed,
		(double)usage->ru_utime.tv_sec + (double)usage->ru_utime.tv_usec / 1e6,
		(double)usage->ru_stime.tv_sec + (double)usage->ru_stime.tv_usec / 1e6);
}

int main(int argc, char **argv)
{
	int first = argc > 1 && strcmp(argv[1], "-d") == 0 ? 2 : 1;
	int n = first == 2 ? MAX_EVENTS : 1, fds[MAX_EVENTS], release, status;
	struct rusage usage;
	double begin;
	pid_t pid;

	if (argc <= first)
		return 125;
	pid = child_held(argv + first, &release);
	for (int i = 0; i < n; i++)
		fds[i] = event_open(&kinds[i], pid);
	begin = seconds_now();
	if (write(release, "", 1) != 1 || wait4(pid, &status, 0, &usage) != pid)
		return 125;
	report(fds, n, seconds_now() - begin, &usage);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
