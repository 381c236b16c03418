/* pace: when counting starts, is looked at, and stops: --delay, --interval-print, --interval-count, --timeout.
 *
 * All times are absolute, counted from the run's begin, so nothing drifts. An interval that is looked at late is as
 * long as it really was; times that were missed meanwhile are part of it, and no interval of nothing follows. The last
 * one ends with counting, however long the command takes to heed the signal.
 *
 * Order of calls: pace_start from run->started; pace_add_notes; pace_free.
 */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"
#include "run/run.h"

#define PACE_START_DISABLED UINT64_MAX

/* ns; 0: not wanted. */
struct pace_options {
	uint64_t delay; /* PACE_START_DISABLED: something else switches counting on */
	uint64_t interval;
	uint64_t interval_count;
	uint64_t timeout;
};

/* At the end of each interval; end_ns: since counting began first, wall-clock time. The counters have been read. */
typedef void pace_tick(void *arg, uint64_t end_ns);

struct pace {
	const struct pace_options *options;
	struct run *run;
	pace_tick *tick;
	void *tick_arg;
	uint64_t base; /* CLOCK_MONOTONIC, ns: where the intervals begin */
	uint64_t ticks;
	uint64_t missed;  /* times that passed before the one before them was looked at */
	uint64_t merged;  /* intervals that are longer for it */
	uint64_t longest; /* of these, in times */
	int delay_timer, interval_timer, timeout_timer;
};

void pace_init(struct pace *pace, const struct pace_options *options, struct run *run, pace_tick *tick, void *arg);

/* Set the timers, now that run->measurement.begin is known: 0 or -errno. arg: the pace (run's `started`). */
int pace_start(void *arg, struct error *e);

/* The end of what is being measured, in ns since the intervals began: for the last, partial interval. */
uint64_t pace_now(const struct pace *pace);

/* What the intervals do not show of themselves: that some are several in one. */
void pace_add_notes(const struct pace *pace, struct strings *notes);

void pace_free(struct pace *pace);
