/* counts: what was counted, as a matrix: a row for each slot (a task, a CPU, a process), a column for each event. What
 * the sources of counts (counters, and others) hand to everything that adds up, subtracts and reports. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sample.h"

/* One event on one slot. */
struct count {
	bool open;
	bool user_only;       /* the kernel had to be excluded to open it at all */
	bool no_fit;          /* refused as a member of its group, though it opens alone */
	bool guest_included;  /* exclude_guest had to be dropped: its PMU can exclude nothing */
	unsigned precise_ip;  /* as opened, where :P left the choice to the kernel */
	bool no_counter;      /* pinned, and the kernel found no counter for it */
	int error;            /* errno of the first refusal, or of a failed read; 0: none */
	struct sample sample; /* since counting began, or since an earlier matrix */
};

struct counts {
	size_t n_slots, n_events;
	struct count *v; /* [slot * n_events + event] */
};

void counts_init(struct counts *counts, size_t n_slots, size_t n_events); /* all zero */
struct count *counts_at(const struct counts *counts, size_t slot, size_t event);

/* later - earlier, sample by sample; slots that came later count from 0. All else is as in later. */
void counts_subtract(struct counts *result, const struct counts *later, const struct counts *earlier);

/* Is any event open on any slot? */
bool counts_is_any_open(const struct counts *counts);

void counts_free(struct counts *counts);
