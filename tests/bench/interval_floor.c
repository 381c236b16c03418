/* interval_floor: the least that looking at all CPUs every 10 ms can cost, as a floor under pfmstat's `-I 10 -a`: wait
 * for a timer, read one group of eight events on each CPU, write a line; nothing is computed. What remains is waking up
 * and, for each CPU but the own, either an interrupt that has to wake it up, too, and is waited for, or, with `moving`,
 * the way there: no task is charged for that wait, but on a busy CPU the reader stands in the queue with all others.
 *
 *   interval_floor INTERVALS [moving]
 *
 * Prints how far the first and the last read of an interval are apart, in us: the median, and the 99th of 100.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 10000000
#define N_EVENTS  8
#define LINE      500 /* bytes, about what the eight rows take */
#define MAX_CPUS  1024

static const uint64_t events[N_EVENTS] = {
	PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,   PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,  PERF_COUNT_SW_PAGE_FAULTS_MAJ,  PERF_COUNT_SW_CPU_CLOCK,
	PERF_COUNT_SW_TASK_CLOCK,       PERF_COUNT_SW_ALIGNMENT_FAULTS,
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The leader of a group of all events, or -1 when the CPU is offline. */
static int group_open(int cpu)
{
	int leader = -1;

	for (int i = 0; i < N_EVENTS; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = PERF_TYPE_SOFTWARE,
			.config = events[i],
			.read_format =
				PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 && i > 0)
			fail("perf_event_open");
		if (i == 0)
			leader = fd;
		if (leader < 0)
			break;
	}
	return leader;
}

static int timer_start(void)
{
	const struct itimerspec when = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, 0, &when, NULL) < 0)
		fail("timerfd");
	return fd;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void move_to(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		fail("sched_setaffinity");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct cpus {
	int leaders[MAX_CPUS], numbers[MAX_CPUS], n;
};

/* Read all; a moving reader begins where it ended the last time, so that it makes n - 1 moves. */
static uint64_t read_all(const struct cpus *cpus, bool moving, bool backwards)
{
	uint64_t figures[3 + N_EVENTS], begin = now();

	for (int k = 0; k < cpus->n; k++) {
		int i = backwards ? cpus->n - 1 - k : k;

		if (moving && k > 0)
			move_to((size_t)cpus->numbers[i]);
		if (read(cpus->leaders[i], figures, sizeof(figures)) != sizeof(figures))
			fail("read");
	}
	return now() - begin;
}

int main(int argc, char **argv)
{
	long intervals = argc >= 2 ? strtol(argv[1], NULL, 10) : 0;
	bool moving = argc == 3 && strcmp(argv[2], "moving") == 0;
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC), timer;
	uint64_t times, *apart = calloc(intervals > 0 ? (size_t)intervals : 1, sizeof(*apart));
	struct cpus cpus = {.n = 0};
	char line[LINE];
	long seen = 0;

	memset(line, '0', sizeof(line));
	for (int cpu = 0; cpu < MAX_CPUS && cpu < (int)sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if ((cpus.leaders[cpus.n] = group_open(cpu)) >= 0)
			cpus.numbers[cpus.n++] = cpu;
	if (intervals <= 0 || cpus.n == 0 || out < 0 || !apart)
		fail("interval_floor");
	if (moving)
		move_to((size_t)cpus.numbers[0]);
	timer = timer_start();
	for (long i = 0; i < intervals; i += (long)times) {
		if (read(timer, &times, sizeof(times)) != sizeof(times))
			fail("timerfd");
		apart[seen] = read_all(&cpus, moving, seen % 2);
		seen++;
		if (write(out, line, sizeof(line)) != sizeof(line))
			fail("write");
	}
	qsort(apart, (size_t)seen, sizeof(*apart), compare);
	printf("%.1f %.1f\n", (double)apart[seen / 2] / 1e3, (double)apart[seen * 99 / 100] / 1e3);
	free(apart);
	return 0;
}
