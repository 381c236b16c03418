/* The loop, with a poll(2) that returns prepared answers. */
#include "os/loop.h"

#include <errno.h>

#include "lib/util.h"
#include "tap.h"

static unsigned polls, calls;
static short answer = POLLIN;

/* The first finds something, the second is interrupted, the third finds it again. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)n;
	(void)timeout;
	if (polls == 15) {
		errno = EBADF; /* ends the loop */
		return -1;
	}
	if (++polls == 2) {
		errno = EINTR;
		return -1;
	}
	fds[0].revents = answer;
	return 1;
}

static void count_calls(void *arg, int fd)
{
	(void)fd;
	calls++;
	if (polls == 3)
		loop_stop(arg);
}

static void test_failed(short how)
{
	struct loop loop = {0};
	struct error e;

	polls = 10;
	calls = 0;
	answer = how;
	loop_add(&loop, 0, count_calls, &loop);
	is_number(loop_run(&loop, &e), -EBADF, "an event that failed or ended does not keep the loop busy");
	is_number(calls, 1, "its handler is called once");
	loop_free(&loop);
}

int main(void)
{
	struct loop loop = {0};
	struct error e;

	loop_add(&loop, 0, count_calls, &loop);
	is_number(loop_run(&loop, &e), 0, "a wait that is interrupted goes on");
	is_number(polls, 3, "... three in all");
	is_number(calls, 2, "the interruption does not repeat earlier handlers");
	loop_free(&loop);

	test_failed(POLLERR); /* its PMU is gone */
	test_failed(POLLHUP); /* all tasks have ended */
	return tap_done();
}
