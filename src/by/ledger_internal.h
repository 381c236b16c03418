/* ledger_internal: shared by ledger.c, which takes the records, and ledger_rows.c, which makes the proof and the counts
 * of them. */
#pragma once

#include "by/ledger.h"

#define NONE SIZE_MAX

#define NO_ENTRY UINT32_MAX

/* A task: what a thread id means from a time on. */
struct entry {
	uint32_t unit;
	uint32_t former; /* the task that had the id before; NO_ENTRY: no known one */
	uint64_t since;  /* the time from which the id means this task */
	uint64_t end;    /* 0 while it lives */
	bool executed;   /* it has executed a program, and mapped nothing since */
};

/* A process or a thread with a row. */
struct unit {
	size_t process;
	pid_t tid;
	bool gained;         /* the kernel stopped counting one of its tasks at an exec */
	bool headless;       /* the start of one of its tasks was not reported */
	bool living, silent; /* it has a task without all reads that is alive, or has ended */
};

/* The part of an event's total that no read contains. */
struct rest {
	struct sample sample;
	size_t owner;     /* the unit whose part this is; NONE: no known one, or several */
	bool is_nothing;  /* the sums agree, so that tasks without a read counted nothing */
	bool is_unproven; /* the sums disagree, and no task without a read explains it */
};

struct ledger {
	size_t n_events;
	enum aggr_mode by;
	struct tree tree; /* the unit of its tasks is the index of an entry */
	struct entry *entries;
	size_t n_entries;
	uint64_t *is_read; /* for each entry, a bit for each event: [entry * words + event / 64] */
	size_t n_is_read, words;
	struct unit *units;
	char (*names)[NAME_MAX_LEN]; /* with AGGR_THREAD, of the units */
	size_t n_units, n_names;
	struct sample *samples; /* [unit * n_events + event] */
	size_t n_samples;
	uint64_t lost;
	bool lost_any;
	struct count *totals;          /* for each event; NULL before ledger_finish */
	struct rest *rests;            /* for each event */
	size_t living, silent, gained; /* the number of such tasks */
};

/* True if the task's read of the event has been added. */
static inline bool ledger_is_read(const struct ledger *l, size_t entry, size_t event)
{
	return l->is_read[entry * l->words + event / 64] >> event % 64 & 1;
}
