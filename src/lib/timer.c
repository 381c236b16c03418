#include "lib/timer.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

int timer_open(uint64_t first, uint64_t period, struct error *e)
{
	const struct itimerspec when = {.it_value = to_timespec(first), .it_interval = to_timespec(period)};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		return error_set(e, errno, "timerfd: %s", strerror(errno));
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) < 0) {
		error_set(e, errno, "timerfd: %s", strerror(errno));
		close(fd);
		return -e->code;
	}
	return fd;
}

uint64_t timer_read(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == (ssize_t)sizeof(times) ? times : 0;
}
