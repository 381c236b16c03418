#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/util.h"

/* The time from SIGTERM to SIGKILL, for a command that must end with the measurement. */
#define GRACE_NS 2000000000u
/* The time from SIGINT or SIGQUIT to SIGTERM, for a command that ignores them like a shell's background jobs. */
#define PATIENCE_NS 1000000000u
/* Between two readings of the time of attached processes, which nobody can read after their end. */
#define SAMPLE_NS   250000000u
#define SAMPLE_COST 200 /* and this times what a reading takes: at most 0.5% of a CPU */

static double realtime(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stop_timer(struct run *run)
{
	if (run->timer < 0)
		return;
	loop_remove(run->loop, run->timer);
	close(run->timer);
	run->timer = -1;
}

static void start_timer(struct run *run, uint64_t ns, loop_call *over)
{
	struct error ignored; /* without a timer the command gets only the first signal */

	stop_timer(run);
	run->timer = timer_open(clock_now() + ns, 0, &ignored);
	if (run->timer >= 0)
		loop_add(run->loop, run->timer, over, run);
}

static void on_patience_over(void *arg, int fd)
{
	struct run *run = arg;

	timer_read(fd);
	child_signal(run->child, SIGTERM);
}

static void take_signal(struct run *run, const struct signal_event *event)
{
	struct child *child = run->child;

	if (event->number == SIGCHLD) {
		if (child->pid)
			child_reap(child);
		return;
	}
	if (child->pid && (event->number == SIGUSR1 || event->number == SIGUSR2)) {
		child_signal(child, event->number); /* it is meant for the command */
		return;
	}
	run->measurement.signal = event->number;
	if (child->pid)
		tree_time_read(run->tree_time);
	if (child_pass_signal(child, event, false) && (event->number == SIGINT || event->number == SIGQUIT) &&
	    run->timer < 0 && child_ignores(child, event->number))
		start_timer(run, PATIENCE_NS, on_patience_over);
}

static bool run_is_over(const struct run *run)
{
	if (run->measurement.signal && run->ends_at_once)
		return true;
	if (run->child->pid)
		return run->child->ended;
	return run->stopped || run->measurement.signal || (run->watching == 0 && !run->endless);
}

static void stop_if_over(struct run *run)
{
	if (run_is_over(run))
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

	loop_remove(run->loop, fd); /* it stays readable */
	run->watching--;
	stop_if_over(run);
}

void run_note_enabled(struct run *run)
{
	if (!run->on)
		run->on_since = clock_now();
	run->on = true;
}

struct edge edge_since(uint64_t begin)
{
	uint64_t error = (clock_now() - begin) / 2;

	return (struct edge){begin + error, error};
}

static void pass_edge(struct run *run, void (*call)(struct backend *))
{
	uint64_t begin = clock_now();

	if (call)
		call(run->backend);
	run->edge = edge_since(begin);
}

void run_enable(struct run *run)
{
	if (run->all_on || run->stopped)
		return;
	pass_edge(run, run->backend->ops->enable);
	if (!run->on)
		run->on_since = run->edge.at;
	run->on = run->all_on = true;
}

static void clock_off(struct run *run, uint64_t time)
{
	run->measurement.elapsed_ns = run_counted_until(run, time);
	run->on = false;
}

void run_disable(struct run *run)
{
	if (!run->on)
		return;
	pass_edge(run, run->backend->ops->disable);
	clock_off(run, run->edge.at);
	run->all_on = false;
}

/* The counters are read in the same order each time, so that each has the same place in two reads of equal length. Only
 * the time beyond that of the shortest read so far moves these places. */
void run_read(struct run *run)
{
	uint64_t error;

	pass_edge(run, run->backend->ops->read);
	error = run->edge.error;
	run->edge.error -= error < run->shortest ? error : run->shortest;
	if (!run->shortest || error < run->shortest)
		run->shortest = error;
}

uint64_t run_counted_until(const struct run *run, uint64_t time)
{
	return run->measurement.elapsed_ns + (run->on ? time - run->on_since : 0);
}

uint64_t run_counted_ns(const struct run *run)
{
	return run_counted_until(run, clock_now());
}

static void on_grace_over(void *arg, int fd)
{
	struct run *run = arg;

	timer_read(fd);
	run->measurement.killed_by = SIGKILL;
	child_signal(run->child, SIGKILL);
}

void run_stop(struct run *run)
{
	if (run->stopped)
		return;
	run_disable(run);
	run->stopped = run->measurement.stopped = true;
	run->stopped_at = clock_now();
	if (run->child->pid && !run->child->ended) {
		tree_time_read(run->tree_time);
		run->measurement.killed_by = SIGTERM;
		child_signal(run->child, SIGTERM);
		child_signal(run->child, SIGCONT);
		start_timer(run, GRACE_NS, on_grace_over);
	}
	stop_if_over(run);
}

static int release(struct run *run, struct error *e)
{
	int error = 0;

	run->measurement.start_time = realtime();
	run->measurement.begin = clock_now();
	run->all_on = run->enable_on_exec;
	if (run->enable_on_exec)
		run_note_enabled(run);
	else if (!run->start_disabled)
		run_enable(run);
	if (run->started)
		error = run->started(run->started_arg, e);
	if (error == 0 && run->child->pid)
		error = child_release(run->child, e);
	return error;
}

static void on_sample(void *arg, int fd)
{
	struct run *run = arg;
	uint64_t begin = clock_now();

	timer_read(fd);
	if (begin < run->next_sample)
		return;
	tree_time_read(run->tree_time);
	run->next_sample = clock_now() + SAMPLE_COST * (clock_now() - begin);
}

static int loop_to_end(struct run *run, struct error *e)
{
	int error = release(run, e);

	if (error < 0)
		return error;
	stop_if_over(run);
	error = loop_run(run->loop, e);
	/* whole CPUs count until they are stopped, and work until then belongs to this time */
	if (run->endless && run->on)
		run->backend->ops->disable(run->backend);
	clock_off(run, clock_now());
	if (run->tree_time->has_begun)
		tree_time_read(run->tree_time);
	run->measurement.wall_ns = (run->stopped ? run->stopped_at : clock_now()) - run->measurement.begin;
	run->backend->ops->read(run->backend);
	return error;
}

int run_measure(struct run *run, struct error *e)
{
	auto_close int sampler = -1;
	int error;

	run->measurement = (struct measurement){.exec_error = 0};
	run->watching = run->n_watch;
	run->timer = -1;
	if (run->tree_time->has_begun && run->tree_time->n)
		sampler = timer_open(clock_now() + SAMPLE_NS, SAMPLE_NS, e); /* without it, only the end is read */
	if (sampler >= 0)
		loop_add(run->loop, sampler, on_sample, run);
	loop_add(run->loop, run->signals->fd, on_signal, run);
	for (size_t i = 0; i < run->n_watch; i++)
		loop_add(run->loop, run->watch[i], on_target_end, run);
	error = loop_to_end(run, e);
	if (sampler >= 0)
		loop_remove(run->loop, sampler);
	stop_timer(run);
	if (error == 0 && run->child->wait_error)
		error = error_set(e, run->child->wait_error, "cannot wait for the command: %s",
				  strerror(run->child->wait_error));
	run->measurement.exec_error = run->child->exec_error;
	return error;
}
