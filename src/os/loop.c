#include "os/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>

#include "lib/util.h"

void loop_add(struct loop *loop, int fd, loop_call *ready, void *arg)
{
	size_t n = loop->n;

	for (size_t i = 0; i < loop->n; i++)
		if (loop->fds[i].fd < 0) { /* removed */
			loop->fds[i] = (struct pollfd){.fd = fd, .events = POLLIN};
			loop->handlers[i] = (struct loop_handler){ready, arg};
			return;
		}
	*ARRAY_PUSH(loop->fds, n) = (struct pollfd){.fd = fd, .events = POLLIN};
	*ARRAY_PUSH(loop->handlers, loop->n) = (struct loop_handler){ready, arg};
}

void loop_remove(struct loop *loop, int fd)
{
	for (size_t i = 0; i < loop->n; i++)
		if (loop->fds[i].fd == fd)
			loop->fds[i].fd = -1; /* poll ignores it */
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}

/* A descriptor in error would be ready for ever: a performance event since Linux 6.19, when its PMU goes away. So would
 * one with nothing but an end: a performance event of tasks that have all ended. */
static void call_handler(struct loop *loop, size_t i)
{
	int fd = loop->fds[i].fd;
	bool failed = loop->fds[i].revents & (POLLERR | POLLNVAL) || loop->fds[i].revents == POLLHUP;

	loop->handlers[i].ready(loop->handlers[i].arg, fd);
	if (failed && loop->fds[i].fd == fd)
		loop->fds[i].fd = -1;
}

int loop_run(struct loop *loop, struct error *e)
{
	while (!loop->stopped) {
		if (poll(loop->fds, loop->n, -1) < 0) {
			if (errno == EINTR) /* revents is stale */
				continue;
			return error_set(e, errno, "poll: %s", strerror(errno));
		}
		for (size_t i = 0; i < loop->n; i++)
			if (loop->fds[i].fd >= 0 && loop->fds[i].revents)
				call_handler(loop, i);
	}
	return 0;
}

void loop_free(struct loop *loop)
{
	free(loop->fds);
	free(loop->handlers);
	*loop = (struct loop){0};
}

int timer_open(uint64_t first, uint64_t period, struct error *e)
{
	const uint64_t second = 1000000000;
	const struct itimerspec when = {
		.it_value = {.tv_sec = (time_t)(first / second), .tv_nsec = (long)(first % second)},
		.it_interval = {.tv_sec = (time_t)(period / second), .tv_nsec = (long)(period % second)},
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0 && timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) == 0)
		return fd;
	error_set(e, errno, "timerfd: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -e->code;
}

uint64_t timer_read(int fd)
{
	uint64_t times;

	return read(fd, &times, sizeof(times)) == (ssize_t)sizeof(times) ? times : 0;
}
