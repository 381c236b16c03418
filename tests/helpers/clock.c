/* clock: an LD_PRELOAD shim by which a test controls the time. In a process called pfmstat, CLOCK_MONOTONIC,
 * timerfds and the time-outs of poll(2) stand still, until milliseconds are written to the fifo PFMCLOCK: a number in
 * each line, and each line is a step, at whose end the timers that are due by then expire.
 *
 * The program takes a step whenever it waits, and before it learns of anything else. So the steps that a command writes
 * have passed when its end or its later output is seen, and the order of events is the same on any slow machine.
 *
 * Time stands still only for this program: neither the command, nor the times that the kernel notes with an event. A
 * poll of no descriptors, which is a short pause, takes real time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND     1000000000u
#define MAX_TIMERS 16
#define MAX_POLLED 1024

struct timer {
	bool used;
	int fd;        /* an eventfd, which is read as a timerfd is */
	uint64_t next; /* 0: not armed */
	uint64_t period;
};

static int fifo = -1; /* time is real */
static uint64_t now = 1000ull * SECOND;
static uint64_t step; /* the milliseconds of a line that has not been read to its end */
static struct timer timers[MAX_TIMERS];

static __attribute__((constructor)) void prepare(void)
{
	const char *path = getenv("PFMCLOCK");
	int fd;

	if (!path || strcmp(program_invocation_short_name, "pfmstat") != 0)
		return;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	fifo = fcntl(fd, F_DUPFD_CLOEXEC, 900); /* the program's descriptors keep their usual numbers */
	if (fifo < 0)
		abort();
	close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (fifo < 0 || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
	return 0;
}

static struct timer *timer_at(int fd)
{
	for (size_t i = 0; i < MAX_TIMERS; i++)
		if (timers[i].used && timers[i].fd == fd)
			return &timers[i];
	return NULL;
}

int timerfd_create(clockid_t clock, int flags)
{
	int fd;

	if (fifo < 0)
		return (int)syscall(SYS_timerfd_create, clock, flags);
	fd = eventfd(0, flags); /* TFD_CLOEXEC and TFD_NONBLOCK are EFD_CLOEXEC and EFD_NONBLOCK */
	for (size_t i = 0; fd >= 0; i++) {
		if (i == MAX_TIMERS)
			abort();
		if (!timers[i].used) {
			timers[i] = (struct timer){.used = true, .fd = fd};
			break;
		}
	}
	return fd;
}

/* Returns whether it has expired, and the number of times. */
static void expire(struct timer *timer)
{
	uint64_t times;

	if (!timer->used || !timer->next || timer->next > now)
		return;
	times = timer->period ? (now - timer->next) / timer->period + 1 : 1;
	timer->next = timer->period ? timer->next + times * timer->period : 0;
	if (write(timer->fd, &times, sizeof(times)) != (ssize_t)sizeof(times))
		abort();
}

static uint64_t nanoseconds(struct timespec t)
{
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct timer *timer = timer_at(fd);

	if (!timer)
		return (int)syscall(SYS_timerfd_settime, fd, flags, new, old);
	timer->next = nanoseconds(new->it_value);
	timer->period = nanoseconds(new->it_interval);
	if (timer->next && !(flags & TFD_TIMER_ABSTIME))
		timer->next += now;
	expire(timer);
	return 0;
}

int close(int fd)
{
	struct timer *timer = timer_at(fd);

	if (timer)
		timer->used = false;
	return (int)syscall(SYS_close, fd);
}

/* Reads the next line of the fifo; returns false if there is none. */
static bool take_step(void)
{
	char byte;

	while (read(fifo, &byte, 1) == 1) {
		if (byte >= '0' && byte <= '9') {
			step = step * 10 + (uint64_t)(byte - '0');
			continue;
		}
		now += step * 1000000;
		step = 0;
		for (size_t i = 0; i < MAX_TIMERS; i++)
			expire(&timers[i]);
		return true;
	}
	return false;
}

static int really_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct timespec limit = {timeout_ms / 1000, timeout_ms % 1000 * 1000000l};

	return (int)syscall(SYS_ppoll, fds, n, timeout_ms < 0 ? NULL : &limit, NULL, _NSIG / 8);
}

/* Returns the number of these timers that have expired. Others are not reported yet: more steps may come before. */
static int poll_timers(struct pollfd *fds, nfds_t n)
{
	int expired = 0;

	if (really_poll(fds, n, 0) < 0)
		return -1;
	for (nfds_t i = 0; i < n; i++) {
		if (!timer_at(fds[i].fd))
			fds[i].revents = 0;
		expired += fds[i].revents != 0;
	}
	return expired;
}

static int poll_until(struct pollfd *fds, nfds_t n, uint64_t end)
{
	struct pollfd all[MAX_POLLED + 1];
	int ready;

	for (;;) {
		while (take_step()) {
			ready = poll_timers(fds, n);
			if (ready != 0 || now >= end)
				return ready;
		}
		ready = really_poll(fds, n, 0);
		if (ready != 0)
			return ready;
		memcpy(all, fds, n * sizeof(*fds));
		all[n] = (struct pollfd){.fd = fifo, .events = POLLIN};
		if (really_poll(all, n + 1, -1) < 0)
			return -1;
	}
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	if (fifo < 0 || n == 0 || timeout_ms == 0)
		return really_poll(fds, n, timeout_ms);
	if (n > MAX_POLLED)
		abort();
	return poll_until(fds, n, timeout_ms < 0 ? UINT64_MAX : now + (uint64_t)timeout_ms * 1000000);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room)
{
	if (room / sizeof(*fds) < n)
		abort();
	return poll(fds, n, timeout_ms);
}
