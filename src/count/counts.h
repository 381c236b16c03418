/* counts: what was counted, as a matrix: a row for each slot (a task, a CPU, a process), a column for each event. It
 * is what the sources of counts (counters, accounting) hand to everything that adds up, subtracts and reports. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/mux_stats.h"

/* What one read of a counter says: a value in the event's own unit, and for how many ns the event was enabled, and on a
 * counter (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_*). */
struct sample {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* UINT64_MAX if it does not fit, which then stands for itself and all that is more. */
uint64_t count_add(uint64_t a, uint64_t b);
struct sample sample_add(struct sample a, struct sample b);
/* Of n > 0, rounded to nearest, whatever their sum is. */
struct sample samples_mean(const struct sample *samples, size_t n);
/* later - earlier; a figure that went backwards gives 0. */
struct sample sample_sub(struct sample later, struct sample earlier);

/* The estimate for the whole enabled time: value * enabled / running, rounded to nearest, computed in 128 bits,
 * UINT64_MAX if it does not fit. running == 0 gives 0: ask sample_is_starved first. */
uint64_t sample_scale(struct sample s);

bool sample_is_starved(struct sample s); /* enabled, never on a counter */
bool sample_is_scaled(struct sample s);  /* on a counter for a part of the time */

/* One event on one slot. */
struct count {
	bool open;
	bool user_only;       /* the kernel had to be excluded to open it at all */
	bool no_fit;          /* refused as a member of its group, but opens on its own */
	bool guest_included;  /* exclude_guest had to be dropped: its PMU can exclude nothing */
	unsigned precise_ip;  /* as opened, where :P left the choice to the kernel */
	bool no_counter;      /* pinned, and the kernel found no counter for it, or gave its counter to others */
	bool elsewhere;       /* its PMU counts only on other CPUs: nothing is missing here */
	bool ended;           /* its CPU went away; the sample is what was counted until then */
	bool came;            /* its CPU came online; the sample is what was counted from then on */
	bool not_switched;    /* it was opened, but could not be switched on or off */
	bool apart;           /* switched on or off by itself, so that it is not enabled as long as others are */
	int error;            /* errno of the first refusal, or of a failed read; 0: none */
	int cpu;              /* not open on this CPU; with refused, the first such CPU */
	unsigned cpus;        /* of a sum over CPUs (accounting.h): how many it should be counted on; 0: no such sum */
	unsigned refused;     /* ... and on how many of these it is not open, for which error is the reason */
	struct sample sample; /* since counting began, or since an earlier matrix */
	bool before_exec;     /* it includes what the command's process did before its exec */
	bool part_starved;    /* of a sum of parts: one was enabled and never ran, so the sum is no estimate */
	bool unattributed;    /* it is what could not be attributed to any slot */
	bool may_include_others; /* ... and some of it may be of tasks that are not counted */
	uint64_t may_miss_up_to; /* so much of what is unattributed may belong to the slot */
	bool may_miss_more;      /* ... and an unknown amount that was not counted at all */
	bool by_parts;           /* scaled by parts (intervals), whose estimates add up to this: */
	uint64_t estimate;
};

struct counts {
	size_t n_slots, n_events;
	struct count *v; /* [slot * n_events + event] */
	size_t n_groups;
	struct mux_stats **mux_stats; /* [slot * n_groups + group], owned; NULL: none, or none of this group */
};

void counts_init(struct counts *counts, size_t n_slots, size_t n_events); /* all zero */
/* Of a matrix that is all zero, or was filled before and whose memory is used again: its contents are undefined. */
void counts_renew(struct counts *counts, size_t n_slots, size_t n_events);
struct count *counts_at(const struct counts *counts, size_t slot, size_t event);

/* How unevenly a group's events came in; NULL: not known. */
const struct mux_stats *counts_mux_stats(const struct counts *counts, size_t slot, size_t group);

/* later - earlier, sample by sample; slots that came later count from 0. All else is as in later. result is renewed. */
void counts_subtract(struct counts *result, const struct counts *later, const struct counts *earlier);

/* sum + part, sample by sample; the sum, at first all zero, grows with the slots. All else is as in part. */
void counts_accumulate(struct counts *sum, const struct counts *part);

/* A run that is cut into intervals. Zero-initialize; counts_free both. */
struct counts_cuts {
	struct counts earlier; /* at the last cut */
	struct counts sum;     /* of the estimates of all intervals */
};

/* part: what has been counted since the last cut, renewed. now: the matrix as it is now; it is taken over, and one that
 * can be renewed is left in its place. */
void counts_cut(struct counts_cuts *cuts, struct counts *now, struct counts *part);
/* Make the whole the sum of the intervals' estimates, where none of them was starved. Without a cut it stays as it is.
 */
void counts_take_sum(struct counts *whole, const struct counts_cuts *cuts);

/* Is any event open on any slot? */
bool counts_is_any_open(const struct counts *counts);

void counts_free(struct counts *counts);
