#include "run/pace.h"

#include <inttypes.h>
#include <unistd.h>

/* last: counting ends with this interval. It stops before the read, so that nothing is left for another interval. */
static void end_interval(struct pace *pace, bool last)
{
	struct edge edge;

	if (last && pace->run->on) {
		run_disable(pace->run);
		edge = pace->run->edge;
		run_read(pace->run);
	} else {
		run_read(pace->run);
		edge = pace->run->edge;
	}
	pace->tick(pace->tick_arg, edge);
	if (last)
		run_stop(pace->run);
}

static void on_interval(void *arg, int fd)
{
	struct pace *pace = arg;
	const struct pace_options *o = pace->options;
	uint64_t times = timer_read(fd);

	bool last;

	if (times == 0 || pace->run->stopped) /* the command has not ended yet */
		return;
	times += pace->held;
	last = pace->ticks + 1 == o->interval_count ||
	       (o->timeout && (pace->ticks + pace->missed + times) * o->interval >= o->timeout);
	pace->held = !last && reports_are_behind(o->reports) ? times : 0;
	if (pace->held)
		return;
	pace->ticks++;
	pace->missed += times - 1;
	pace->merged += times > 1;
	if (times > pace->longest)
		pace->longest = times;
	end_interval(pace, last);
}

static void on_timeout(void *arg, int fd)
{
	struct pace *pace = arg;

	timer_read(fd);
	if (pace->run->stopped)
		return;
	if (pace->options->interval)
		end_interval(pace, true);
	else
		run_stop(pace->run);
}

static int add_timer(struct pace *pace, uint64_t after, uint64_t period, loop_call *call, struct error *e)
{
	int timer = timer_open(pace->base + after, period, e);

	if (timer < 0)
		return timer;
	pace->timers[pace->n_timers++] = timer;
	loop_add(pace->run->loop, timer, call, pace);
	return 0;
}

/* Intervals and the time-out are measured from when counting begins. */
static int begin_counting(struct pace *pace, struct error *e)
{
	const struct pace_options *o = pace->options;
	int error = 0;

	if (o->interval)
		error = add_timer(pace, o->interval, o->interval, on_interval, e);
	if (error == 0 && o->timeout)
		error = add_timer(pace, o->timeout, 0, on_timeout, e);
	return error;
}

static void on_delay_over(void *arg, int fd)
{
	struct pace *pace = arg;
	struct error e;

	timer_read(fd);
	loop_remove(pace->run->loop, fd);
	run_enable(pace->run);
	pace->base = clock_now();
	if (begin_counting(pace, &e) < 0)
		run_stop(pace->run);
}

int pace_start(void *arg, struct error *e)
{
	struct pace *pace = arg;
	uint64_t delay = pace->options->delay;

	pace->base = pace->run->measurement.begin;
	if (delay && delay != PACE_START_DISABLED)
		return add_timer(pace, delay, 0, on_delay_over, e);
	return begin_counting(pace, e);
}

void pace_add_notes(const struct pace *pace, struct strings *notes)
{
	if (pace->merged == 0)
		return;
	strings_add(notes,
		    "%" PRIu64 " of %" PRIu64 " intervals %s read after the next had begun: %" PRIu64
		    " end%s missed, so some intervals are longer, up to about %" PRIu64 " ms",
		    pace->merged, pace->ticks, pace->merged == 1 ? "was" : "were", pace->missed,
		    pace->missed == 1 ? " was" : "s were", pace->longest * pace->options->interval / 1000000u);
}

void pace_free(struct pace *pace)
{
	while (pace->n_timers)
		close(pace->timers[--pace->n_timers]);
}
