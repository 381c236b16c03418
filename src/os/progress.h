/* progress: a bar on the terminal, with the number of runs, the time left and an estimate.
 *
 * It is at the right margin and leaves the cursor where it was, and only what is right of the cursor is cleared: what
 * the command writes there meanwhile is neither moved nor lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled;
	bool at_most;   /* it may end before the total, so the time left is unknown */
	uint64_t began; /* CLOCK_MONOTONIC, ns */
};

/* Enabled only if standard error is a terminal that can move the cursor. */
void progress_init(struct progress *p);

#define PROGRESS_ESTIMATE 64 /* bytes */

/* A run begins, after done of total (0: endless or not yet known). what: "run", "warmup" or "setup". estimate: the
 * result of the runs so far; may be empty. */
void progress_show(const struct progress *p, const char *what, unsigned long done, unsigned long total,
		   const char *estimate);
void progress_clear(const struct progress *p);
