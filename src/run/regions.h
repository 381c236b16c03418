/* regions: parts of the program that it names itself, by `region begin` and `region end` (control.h), and what was
 * counted in each.
 *
 * A region is open from its first `begin` to the last `end`: while at least one entry is, in whichever thread or
 * process. Its counts are those of everything that is measured meanwhile, as the counters are read when it opens and
 * when it closes; so are those of regions within it. What is counted while the program waits for the answer to `begin`
 * or `end` may fall on either side.
 *
 * Each entry belongs to the process that began it, which alone can end it; what it leaves open ends with the run. All
 * lengths are bounded: REGION_NAME_MAX, REGIONS_MAX, REGION_ENTRIES_MAX.
 *
 * Order of calls: zero-initialize; regions_start; regions_begin and regions_end while the run goes on; regions_finish
 * after the last read; regions_collect and regions_add_notes; regions_free.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "lib/util.h"
#include "rows/collect.h"
#include "run/run.h"

#define REGION_NAME_MAX    255 /* bytes */
#define REGIONS_MAX        1000
#define REGION_ENTRIES_MAX 65536 /* open at the same time */

struct region {
	char *name;
	uint64_t entries;
	uint64_t unended;     /* of these: ended by the end of the run */
	size_t open;          /* entries that have not ended */
	uint64_t since;       /* run_counted_ns when it opened */
	uint64_t counted_ns;  /* for so long it was open while counting was on */
	struct counts before; /* when it opened */
	struct counts sum;    /* of all times that it was open */
};

struct region_entry {
	size_t region;
	pid_t owner; /* the process; 0: not known, as that of a command in a fifo */
};

struct regions {
	struct run *run;
	struct region *v;
	size_t n;
	struct region_entry *open; /* in the order in which they began */
	size_t n_open;
	struct counts now, part; /* room for a read and a difference */
	uint64_t refused;        /* commands */
	char *refusal;           /* why the first of them was; owned */
};

void regions_start(struct regions *regions, struct run *run);

/* 0, or -EINVAL: the name is empty or too long; -ENOSPC: there are too many. */
int regions_begin(struct regions *regions, const char *name, pid_t owner, struct error *e);

/* The last entry of that name and owner; name "": the last one of the owner. 0, or -ENOENT. */
int regions_end(struct regions *regions, const char *name, pid_t owner, struct error *e);

/* A command was not carried out. */
void regions_note_refusal(struct regions *regions, const char *why);

/* What is still open ends with the run, whose last read has been made. */
void regions_finish(struct regions *regions);

/* For each region, in the order in which they first began: a row for each event, then `duration_time` and `entries`. */
void regions_collect(const struct regions *regions, struct result *result, const struct plan *plan,
		     const struct collect_context *context);
/* command: its number, for the notes to name it; 0: it is the only one. */
void regions_add_notes(const struct regions *regions, unsigned command, struct strings *notes);

void regions_free(struct regions *regions);
