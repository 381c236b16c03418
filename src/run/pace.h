/* pace: when counting starts, is read, and stops: --delay, --interval-print, --interval-count, --timeout.
 *
 * All times are absolute, measured from the run's start, so that nothing drifts. An interval that is read late is
 * reported with its real length: missed ticks are part of it, and no empty interval follows. The last interval ends
 * when counting ends, even if the command ends later.
 *
 * Order of calls: fill in options, run and tick; pace_start from run->started; pace_add_notes; pace_free. */
#pragma once

#include <stdint.h>

#include "lib/error.h"
#include "lib/util.h"
#include "report/reports.h"
#include "run/run.h"

#define PACE_START_DISABLED UINT64_MAX

/* ns; 0 if not requested. */
struct pace_options {
	uint64_t delay; /* PACE_START_DISABLED: --control switches counting on */
	uint64_t interval;
	uint64_t interval_count;
	uint64_t timeout;
	struct reports *reports; /* while they are behind, an interval is extended */
};

/* Called at the end of each interval, after the read. */
typedef void pace_tick(void *arg, struct edge end);

struct pace {
	const struct pace_options *options;
	struct run *run;
	pace_tick *tick;
	void *tick_arg;
	uint64_t base; /* CLOCK_MONOTONIC, ns: begin of the first interval */
	uint64_t ticks;
	uint64_t held;    /* ticks for which the next interval has waited for the reports */
	uint64_t missed;  /* ticks that came before the previous one was handled */
	uint64_t merged;  /* number of intervals that are longer for this reason */
	uint64_t longest; /* the longest of these, in ticks */
	int timers[3];    /* for the delay, the intervals and the time-out, as far as set */
	size_t n_timers;
};

/* Sets the timers after run->measurement.begin is known. Returns 0 or -errno. arg: the pace (run's `started`). */
int pace_start(void *arg, struct error *e);

/* Adds a note if some intervals consist of several. */
void pace_add_notes(const struct pace *pace, struct strings *notes);

void pace_free(struct pace *pace);
