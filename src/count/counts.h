/* counts: the counts as a matrix: a row for each slot (a task, a CPU, a process), a column for each event. The back
 * ends of counts (counters, accounting) pass it to all modules that add, subtract and report. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/mux_stats.h"
#include "stats/sample.h"

/* One event on one slot. */
struct count {
	bool open;
	bool user_only;      /* it opened only with the kernel excluded */
	bool no_fit;         /* refused as a member of its group, but opens alone */
	bool guest_included; /* it opened only without exclude_guest: its PMU can exclude nothing */
	unsigned precise_ip; /* as opened; with :P the kernel chose */
	bool no_counter;     /* pinned, and the kernel had no counter for it, or gave its counter to others */
	bool elsewhere;      /* its PMU counts only on other CPUs: nothing is missing here */
	bool gone;           /* its CPU went offline; the sample ends there */
	bool came;           /* its CPU came online; the sample begins there */
	bool stopped;        /* its CPU went offline and came back; the sample lacks the work after that */
	bool not_switched;   /* it was opened, but could not be switched on or off */
	bool apart; /* switched on or off separately, so its enabled time is shorter than the enabled time of others */
	int error;  /* errno of the first refusal, or of a failed read; or 0 */
	int cpu;    /* not open on this CPU; with refused, the first such CPU */
	unsigned cpus;    /* for a sum over CPUs (accounting.h): the number of CPUs to count on; 0: not such a sum */
	unsigned refused; /* ... and the number of CPUs where it is not open, for the reason in error */
	struct sample sample;    /* since counting began, or since an earlier matrix */
	bool before_exec;        /* it includes the work of the command's process before its exec */
	bool unattributed;       /* the part that could not be attributed to any slot */
	bool may_include_others; /* ... some of which may belong to tasks that are not counted */
	uint64_t may_miss_up_to; /* the unattributed amount that may belong to the slot */
	bool may_miss_more;      /* ... and an unknown amount was not counted at all */
	bool partly_in_rest;     /* a part of it is in the unattributed slot: a lower bound without that slot */
	bool uncounted;          /* a part of it was not counted at all: a lower bound */
};

struct counts {
	size_t n_slots, n_events;
	struct count *v; /* [slot * n_events + event] */
	bool has_whole;  /* slot 0 is the sum of the others, counted separately */
	size_t n_groups;
	struct mux_stats **mux_stats; /* [slot * n_groups + group], owned; NULL for none, also for single groups */
};

void counts_init(struct counts *counts, size_t n_slots, size_t n_events); /* all zero */
/* For a matrix that is all zero, or was filled before and whose memory is reused: its contents are undefined. */
void counts_renew(struct counts *counts, size_t n_slots, size_t n_events);
struct count *counts_at(const struct counts *counts, size_t slot, size_t event);

/* Returns statistics of how unevenly a group's events occurred; NULL if unknown. */
const struct mux_stats *counts_mux_stats(const struct counts *counts, size_t slot, size_t group);

/* Stores later - earlier, sample by sample; slots that only later contains count from 0. Other fields are copied from
 * later. result is renewed. */
void counts_subtract(struct counts *result, const struct counts *later, const struct counts *earlier);

/* Adds a matrix to sum, sample by sample; the sum, initially all zero, grows with the slots. Other fields are copied
 * from added. */
void counts_accumulate(struct counts *sum, const struct counts *added);

/* Cuts an interval off. interval: the counts since the earlier matrix, renewed. now: the current one; it becomes the
 * earlier one, and a renewable matrix is left in its place. */
void counts_cut(struct counts *earlier, struct counts *now, struct counts *interval);

/* True if any event is open on any slot. */
bool counts_is_any_open(const struct counts *counts);

void counts_free(struct counts *counts);
