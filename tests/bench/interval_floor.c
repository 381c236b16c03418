/* interval_floor: the least that looking at all CPUs every 10 ms can cost, as a floor under pfmstat's `-I 10 -a`: wait
 * for a timer, read one group of eight events on each CPU, write a line; nothing is computed. What remains is waking up
 * and, for each CPU but the own, an interrupt that has to wake it up, too, and is waited for.
 *
 *   interval_floor INTERVALS
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
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

int main(int argc, char **argv)
{
	long intervals = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int leaders[MAX_CPUS], n = 0, out = open("/dev/null", O_WRONLY | O_CLOEXEC), timer;
	uint64_t times, figures[3 + N_EVENTS];
	char line[LINE];

	memset(line, '0', sizeof(line));
	for (int cpu = 0; cpu < MAX_CPUS && cpu < (int)sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if ((leaders[n] = group_open(cpu)) >= 0)
			n++;
	if (intervals <= 0 || n == 0 || out < 0)
		fail("interval_floor");
	timer = timer_start();
	for (long i = 0; i < intervals; i += (long)times) {
		if (read(timer, &times, sizeof(times)) != sizeof(times))
			fail("timerfd");
		for (int k = 0; k < n; k++)
			if (read(leaders[k], figures, sizeof(figures)) != sizeof(figures))
				fail("read");
		if (write(out, line, sizeof(line)) != sizeof(line))
			fail("write");
	}
	return 0;
}
