/* progress: a bar on the terminal, with the number of runs, the time left and an estimate.
 *
 * The bar is at the right margin and leaves the cursor where it was. Only the text right of the cursor is cleared, so
 * output of the command is neither moved nor lost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled;
	bool at_most;   /* the runs may end before the total, so the time left is unknown */
	uint64_t began; /* CLOCK_MONOTONIC, ns */
};

/* Enabled only if standard error is a terminal that can move the cursor. */
void progress_init(struct progress *p);

#define PROGRESS_ESTIMATE 64 /* bytes */

/* A run begins, after done of total runs (0: endless or not yet known). what: "run", "warmup" or "setup". estimate: the
 * result so far; may be empty. */
void progress_show(const struct progress *p, const char *what, unsigned long done, unsigned long total,
		   const char *estimate);
void progress_clear(const struct progress *p);
