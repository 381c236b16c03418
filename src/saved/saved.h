/* saved: reports of earlier runs, read from JSON Lines (--json) as the commands of one comparison. */
#pragma once

#include "lib/error.h"
#include "rows/result.h"

/* Where a report was made, and of what; "": it does not say. The strings are the result's. command: the words, or
 * "merged reports". */
struct saved_origin {
	const char *command, *host, *kernel, *cpu, *version, *target, *cpus;
};

struct saved {
	struct result result; /* the rows over all runs of each report; command 1 is the first report's */
	char **names;         /* of the files and their commands, for people */
	size_t n;             /* reports */
	struct saved_origin *origins;
	size_t n_origins;
	struct strings
		runs; /* "HOST START ELAPSED" of each report, of a merged one of each that is in it, where known */
	bool ratios;
	struct event **events; /* what rows point to, as far as the reports tell; NULL: pfmstat's own */
	size_t n_events;
	struct formula **formulas; /* metrics by expression, as far as the reports tell; the result's */
	size_t n_formulas;
};

/* paths: NULL-terminated, one report of one command in each. ratios: with rows of the usual ratios. 0, or -errno:
 * -EINVAL it is no such report. saved must be freed in any case. */
int saved_read(struct saved *saved, char *const *paths, bool ratios, struct error *e);
void saved_free(struct saved *saved);
