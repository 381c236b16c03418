/* mux_sampler: reads the groups that take turns on a PMU while counting goes on, to find how unevenly their counts come
 * in and so how far off the estimates may be (variance.h).
 *
 * A reading about twice in a rotation cycle (the groups on the PMU times its perf_event_mux_interval_ms), after a time
 * drawn anew from 0.75 to 1.25 times half of it: at fixed distances the interrupts that the reading makes would always
 * fall into the same group's turn. Once in a cycle would do for noise; but what differs from one cycle to the next may
 * have changed slowly or at once, and it makes a difference for the error. The first few dozen follow each other after
 * about a turn, and so do those at the beginning of each interval: short runs have few cycles. Each reading ends a
 * slice; what has not been on the PMU for a quarter of a turn meanwhile goes on. Readings that turn out to be expensive
 * (a slow machine, many CPUs, many threads) are made less often, after the first few: they take less than 1% of a
 * command's time.
 *
 * A group that has its PMU for itself, as far as the plan goes, may yet have to take turns with those of others. So it
 * is read once after 10 ms, then after 20, 40 and so on, and whenever counters are read for an interval: with the first
 * sign, that it ran for less than it was enabled, the readings above begin. If context switches are counted, which a
 * reading may add to, only those for intervals can show it.
 *
 * Order of calls: mux_sampler_new, which is NULL when no group could ever take turns: then nothing is armed and nothing
 * is read, and the functions here do nothing; mux_sampler_start; mux_sampler_take as often as wanted, after the
 * counters were read and taken; mux_sampler_free.
 */
#pragma once

#include "count/counters.h"
#include "count/counts.h"
#include "lib/error.h"
#include "os/loop.h"
#include "plan/plan.h"

struct mux_sampler;

struct mux_sampler *mux_sampler_new(const struct plan *plan);

/* Read these counters from time to time while the loop runs. 0 or -errno. */
int mux_sampler_start(struct mux_sampler *sampler, struct counters *counters, struct loop *loop, struct error *e);

/* Each reading may take the CPU from what is counted. If context switches are, a note says how many. */
void mux_sampler_add_notes(const struct mux_sampler *sampler, struct strings *notes);

/* What the slices up to the counters' last read say, into the matrix that was taken from them. */
void mux_sampler_take(struct mux_sampler *sampler, struct counts *counts);

/* Appends a line for the first PMU on which groups are multiplexed at longer intervals than 1 ms: what would make their
 * errors smaller. */
void mux_sampler_add_hint(const struct plan *plan, struct strings *notes);

void mux_sampler_free(struct mux_sampler *sampler);
