#include "run.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

/* The signal that asks the third time is not forwarded: the command has shown that it will not end. */
#define PATIENCE 3

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

static void take_signal(struct run *run, const struct signal_event *event)
{
	struct child *child = run->child;

	if (event->number == SIGCHLD) {
		if (child->pid)
			child_reap(child);
		return;
	}
	run->measurement.signal = event->number;
	if (++run->asked >= PATIENCE)
		child_signal(child, SIGKILL);
	else if (child->pid && !knows_already(child, event))
		child_signal(child, event->number);
}

static bool is_over(const struct run *run)
{
	if (run->child->pid)
		return run->child->ended;
	return run->measurement.signal || run->watching == 0;
}

static void stop_if_over(struct run *run)
{
	if (is_over(run))
		loop_stop(run->loop);
}

static void on_signal(void *arg, int fd)
{
	struct run *run = arg;
	struct signal_event event;

	(void)fd;
	while (signals_next(run->signals, &event))
		take_signal(run, &event);
	stop_if_over(run);
}

static void on_target_end(void *arg, int fd)
{
	struct run *run = arg;

	loop_remove(run->loop, fd); /* it stays readable for good */
	run->watching--;
	stop_if_over(run);
}

static int release(struct run *run, struct error *e)
{
	run->measurement.start_time = realtime();
	run->measurement.begin = clock_now();
	if (run->enable)
		counters_enable(run->counters);
	return run->child->pid ? child_release(run->child, e) : 0;
}

int run_measure(struct run *run, struct error *e)
{
	int error;

	run->measurement = (struct measurement){0};
	run->watching = run->n_watch;
	loop_add(run->loop, run->signals->fd, on_signal, run);
	for (size_t i = 0; i < run->n_watch; i++)
		loop_add(run->loop, run->watch[i], on_target_end, run);
	if ((error = release(run, e)) < 0)
		return error;
	stop_if_over(run);
	error = loop_run(run->loop, e);
	run->measurement.elapsed_ns = clock_now() - run->measurement.begin;
	if (error < 0)
		return error;
	counters_read(run->counters);
	if (run->child->pid)
		run->measurement.exec_error = child_exec_error(run->child);
	return 0;
}
