/* machine QUESTION: whether this kernel lets the user count an event, for the tests' guards: tested with
 * perf_event_open itself, so that a failure of pfmstat never skips a test. The exit status is the answer: 0 yes, 3 no;
 * anything else: the question could not be tested, and the test is wrong. */
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { YES = 0, NO = 3, WRONG = 2 };

#define MOST_BREAKPOINTS 64

static int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

/* Errors which mean that the machine cannot count it, or the user may not. */
static int answer(int fd)
{
	static const int no[] = {EACCES, EPERM, ENOENT, ENODEV, EINVAL, EOPNOTSUPP, ENOSYS, ENOSPC};

	if (fd >= 0)
		return YES;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (errno == no[i])
			return NO;
	perror("machine: perf_event_open");
	return WRONG;
}

/* Page faults of this process in user space: the least permission. */
static int count_user(const char *arg)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = 1, .exclude_hv = 1};

	(void)arg;
	return answer(event_open(&attr, 0, -1, 0));
}

/* Page faults of this process, also in the kernel. */
static int count_kernel(const char *arg)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

	(void)arg;
	return answer(event_open(&attr, 0, -1, 0));
}

/* Context switches of any task on the CPU where this runs. */
static int count_cpu(const char *arg)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
	unsigned cpu = 0;

	(void)arg;
	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return answer(event_open(&attr, -1, (int)cpu, 0));
}

/* Context switches of a cgroup, on the CPU where this runs. */
static int count_cgroup(const char *directory)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES};
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned cpu = 0;

	if (fd < 0) {
		perror(directory);
		return WRONG;
	}
	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return answer(event_open(&attr, fd, (int)cpu, PERF_FLAG_PID_CGROUP));
}

static int read_number(const char *path, unsigned *number)
{
	FILE *f = fopen(path, "re");
	int n;

	if (!f)
		return -1;
	n = fscanf(f, "%u", number);
	fclose(f);
	return n == 1 ? 0 : -1;
}

extern char __executable_start[];

/* Calls of a function in this program. */
static int count_uprobe(const char *arg)
{
	struct perf_event_attr attr = {.uprobe_path = (uint64_t)(uintptr_t) "/proc/self/exe"};

	(void)arg;
	attr.probe_offset = (uint64_t)((uintptr_t)count_uprobe - (uintptr_t)__executable_start);
	if (read_number("/sys/bus/event_source/devices/uprobe/type", &attr.type))
		return NO;
	return answer(event_open(&attr, 0, -1, 0));
}

/* Prints how many breakpoints fit on a task at once; none where they never fire. */
static int count_breakpoints(const char *arg)
{
	static uint64_t cells[MOST_BREAKPOINTS];
	uint64_t hits = 1;
	int n = 0, first = -1;

	(void)arg;
	for (; n < MOST_BREAKPOINTS; n++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
					       .bp_type = HW_BREAKPOINT_W,
					       .bp_addr = (uint64_t)(uintptr_t)&cells[n],
					       .bp_len = HW_BREAKPOINT_LEN_8,
					       .exclude_kernel = 1};

		int fd = event_open(&attr, 0, -1, 0);

		if (fd < 0)
			break;
		first = first < 0 ? fd : first;
	}
	if (n < MOST_BREAKPOINTS && answer(-1) == WRONG)
		return WRONG;
	*(volatile uint64_t *)&cells[0] = 1;
	if (n && read(first, &hits, sizeof(hits)) != sizeof(hits)) {
		perror("machine: read");
		return WRONG;
	}
	if (!hits)
		n = 0;
	printf("%d\n", n);
	return n ? YES : NO;
}

static const struct question {
	const char *name;
	int (*ask)(const char *arg);
	int n_args;
} questions[] = {
	{"count-user", count_user, 0},     {"count-kernel", count_kernel, 0},
	{"count-cpu", count_cpu, 0},       {"count-cgroup", count_cgroup, 1},
	{"count-uprobe", count_uprobe, 0}, {"count-breakpoints", count_breakpoints, 0},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if (argc == 2 + questions[i].n_args && strcmp(argv[1], questions[i].name) == 0)
			return questions[i].ask(argv[2]);
	fputs("usage: machine count-user | count-kernel | count-cpu | count-cgroup DIRECTORY | count-uprobe | "
	      "count-breakpoints\n",
	      stderr);
	return WRONG;
}
