/* regions: parts of the program that it marks with `region begin` and `region end` (control.h), and the counts of each.
 *
 * A region is open from its first `begin` to the last `end`: while it has at least one entry, in any thread or process.
 * Its counts are the counts of the whole target while it is open, from reads when it opens and when it closes; the same
 * holds for nested regions. Work while the program waits for the answer to `begin` or `end` may be counted on either
 * side.
 *
 * Each entry belongs to the process that began it, which alone can end it; open entries end with the run. All lengths
 * are bounded: REGION_NAME_MAX, REGIONS_MAX, REGION_ENTRIES_MAX.
 *
 * Order of calls: zero-initialize; set run; regions_begin and regions_end during the run; regions_finish after
 * the last read; regions_collect and regions_add_notes; regions_free. */
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
	uint64_t unended;     /* number of these that the end of the run ended */
	size_t open;          /* entries that have not ended */
	uint64_t since;       /* run_counted_ns when it opened */
	uint64_t counted_ns;  /* the time that it was open while counting was on */
	struct counts before; /* counts when it opened */
	struct counts sum;    /* of all times that it was open */
};

struct region_entry {
	size_t region;
	pid_t owner; /* the process; 0 if unknown, as for a command in a fifo */
};

struct regions {
	struct run *run;
	struct region *v;
	size_t n;
	struct region_entry *open; /* in the order in which they began */
	size_t n_open;
	struct counts now, added; /* memory for a read and a difference */
};

/* Returns 0; -EINVAL for an empty or too long name; -ENOSPC for too many regions. */
int regions_begin(struct regions *regions, const char *name, pid_t owner, struct error *e);

/* Ends the last entry of that name and owner; name "": the last one of the owner. Returns 0 or -ENOENT. */
int regions_end(struct regions *regions, const char *name, pid_t owner, struct error *e);

/* Ends open entries after the last read of the run. */
void regions_finish(struct regions *regions);

/* Marks what the whole lacks of programs that were not counted: any region may lack it. */
void regions_mark_uncounted(struct regions *regions, const struct counts *whole);

/* Adds for each region, in the order in which they first began, a row for each event, then `duration_time` and
 * `entries`. */
void regions_collect(const struct regions *regions, struct result *result, const struct plan *plan,
		     const struct collect_context *context);
void regions_add_notes(const struct regions *regions, struct strings *notes);

void regions_free(struct regions *regions);
