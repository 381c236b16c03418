#include "run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "util.h"

/* The signal that asks the third time is not forwarded: the command has shown that it will not end. */
#define PATIENCE 3

struct loop {
	struct run *run;
	struct measurement *m;
	struct pollfd *fds; /* [0]: signals; then the watched */
	size_t watching;    /* how many of these have not ended */
	unsigned asked;     /* how often a signal told us to end */
};

static double realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ^C at the terminal reaches the whole foreground group: the command was told by the kernel, unless it has left. */
static bool knows_already(const struct child *child, const struct signal_event *event)
{
	return event->sender == 0 && getpgid(child->pid) == getpgrp();
}

static void take_signal(struct loop *loop, const struct signal_event *event)
{
	struct child *child = loop->run->child;

	if (event->number == SIGCHLD) {
		if (child->pid)
			child_reap(child);
		return;
	}
	loop->m->signal = event->number;
	if (++loop->asked >= PATIENCE)
		child_signal(child, SIGKILL);
	else if (child->pid && !knows_already(child, event))
		child_signal(child, event->number);
}

static bool is_over(const struct loop *loop)
{
	if (loop->run->child->pid)
		return loop->run->child->ended;
	return loop->m->signal || loop->watching == 0;
}

static int wait_for_end(struct loop *loop, struct error *e)
{
	struct run *run = loop->run;

	while (!is_over(loop)) {
		struct signal_event event;

		if (poll(loop->fds, 1 + run->n_watch, -1) < 0 && errno != EINTR)
			return error_set(e, errno, "poll: %s", strerror(errno));
		while (signals_next(run->signals, &event))
			take_signal(loop, &event);
		for (size_t i = 1; i <= run->n_watch; i++) {
			if (loop->fds[i].fd < 0 || !loop->fds[i].revents)
				continue;
			loop->fds[i].fd = -1; /* poll passes over it */
			loop->watching--;
		}
	}
	return 0;
}

static int loop_run(struct loop *loop, struct error *e)
{
	struct run *run = loop->run;
	struct measurement *m = loop->m;
	uint64_t begin;
	int error;

	loop->fds[0] = (struct pollfd){.fd = run->signals->fd, .events = POLLIN};
	for (size_t i = 0; i < run->n_watch; i++)
		loop->fds[1 + i] = (struct pollfd){.fd = run->watch[i], .events = POLLIN};
	m->start_time = realtime();
	begin = clock_now();
	if (run->enable)
		counters_enable(run->counters);
	if (run->child->pid && (error = child_release(run->child, e)) < 0)
		return error;
	error = wait_for_end(loop, e);
	m->elapsed_ns = clock_now() - begin;
	if (error == 0)
		counters_read(run->counters);
	return error;
}

int run_measure(struct run *run, struct measurement *m, struct error *e)
{
	struct loop loop = {.run = run, .m = m, .watching = run->n_watch};
	int error;

	*m = (struct measurement){0};
	loop.fds = xcalloc(1 + run->n_watch, sizeof(*loop.fds));
	error = loop_run(&loop, e);
	free(loop.fds);
	if (error == 0 && run->child->pid)
		m->exec_error = child_exec_error(run->child);
	return error;
}
