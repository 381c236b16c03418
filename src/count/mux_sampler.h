/* mux_sampler: reads the multiplexed groups during the run, to find out how unevenly their events occur, which
 * determines the errors of the estimates (variance.h).
 *
 * There are about two readings in each rotation cycle (the number of groups on the PMU times its rotation interval), at
 * random distances from 0.75 to 1.25 times half a cycle: with fixed distances, the interrupts of the readings would
 * always fall into the same group's interval. One reading per cycle would suffice for noise, but would not show whether
 * a change from one cycle to the next was slow or sudden, which matters for the error. The first few dozen readings,
 * and the first of each interval of -I, follow each other after about a rotation interval, since short runs have few
 * cycles. Each reading ends a slice; a group that was on the PMU for less than a quarter of an interval continues its
 * slice. Expensive readings (a slow machine, many CPUs, many threads) become less frequent after the first few: they
 * take less than 1% of a command's time.
 *
 * A group that is alone on its PMU in the plan may still be multiplexed with groups of other processes. It is therefore
 * read after 10 ms, then after 20, 40 and so on, and whenever counters are read for an interval. At the first sign, a
 * running time below the enabled time, the readings above begin. If context switches are counted, which a reading may
 * increase, only the readings for intervals can show multiplexing.
 *
 * Order of calls: mux_sampler_new, which returns NULL if no group could ever be multiplexed; no timer is then set,
 * nothing is read, and the functions here do nothing; mux_sampler_start; mux_sampler_fetch as often as wanted, after
 * the counters were read and taken; mux_sampler_free. */
#pragma once

#include "count/counters.h"
#include "count/counts.h"
#include "lib/error.h"
#include "os/loop.h"
#include "plan/plan.h"

struct mux_sampler;

struct mux_sampler *mux_sampler_new(const struct plan *plan);

/* Reads these counters periodically while the loop runs. Returns 0 or -errno. */
int mux_sampler_start(struct mux_sampler *sampler, struct counters *counters, struct loop *loop, struct error *e);

/* Adds a note with the number of context switches that readings may have caused, if switches are counted. */
void mux_sampler_add_notes(const struct mux_sampler *sampler, struct strings *notes);

/* Adds the slices up to the counters' last read to the matrix that was taken from them. */
void mux_sampler_fetch(struct mux_sampler *sampler, struct counts *counts);

/* Appends a line for the first PMU that rotates groups at longer intervals than 1 ms: shorter intervals would make
 * errors smaller. */
void mux_sampler_add_hint(const struct plan *plan, struct strings *notes);

void mux_sampler_free(struct mux_sampler *sampler);
