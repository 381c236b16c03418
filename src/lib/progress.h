/* progress: one line on the terminal that says how far a campaign of runs has come. Nothing elsewhere.
 *
 * It stands at the right margin and leaves the cursor where it was, and only what is behind the cursor is cleared: what
 * a command writes there meanwhile is neither pushed aside nor lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled;
	bool at_most;   /* it may be over before the total: how much time is left is not known */
	uint64_t began; /* CLOCK_MONOTONIC, ns */
};

/* Only if standard error is a terminal that can do it. */
void progress_init(struct progress *p);

/* The run that begins: the done-th of total (0: endless) have been made. what: "run" or "warmup". */
void progress_show(const struct progress *p, const char *what, unsigned long done, unsigned long total);
void progress_clear(const struct progress *p);
