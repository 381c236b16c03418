/* saved: reports of earlier runs, read from JSON Lines (--json) as the commands of one comparison. */
#pragma once

#include "lib/error.h"
#include "rows/result.h"

/* The machine and the target of a report; "" if unknown. The result owns the strings. command: the words, or "merged
 * reports". */
struct saved_origin {
	const char *command, *host, *kernel, *arch, *cpu, *version, *target, *cpus;
	size_t merged;       /* number of merged reports, or 0 */
	const char *failure; /* as in a session; NULL: its runs did not fail */
};

struct saved {
	struct result result; /* the rows over all runs of each report; command 1 is the first report */
	char **names;         /* of the files and their commands, for people */
	size_t n;             /* number of reports */
	struct saved_origin *origins;
	size_t n_origins;
	struct strings runs; /* "HOST START ELAPSED" of each run, including runs in merged reports, if known */
	bool ratios;
	struct event *
		*events; /* events of the rows, as described in the reports; NULL for times that pfmstat measures */
	size_t n_events;
	struct metric **metrics; /* metrics by expression, as described in the reports; owned by the result */
	size_t n_metrics;
};

/* paths: NULL-terminated, each file with one report of one command; or a single file with a comparison, unless ratios
 * are wanted. ratios: include rows of the usual ratios. Returns 0, or -errno: -EINVAL if a file is not such a report.
 * The caller frees saved in any case. */
int saved_read(struct saved *saved, char *const *paths, bool ratios, struct error *e);
/* Chooses medians or means of the runs, whatever the report of a comparison has; before saved_pool. */
void saved_set_medians(struct saved *saved, bool medians);
/* Makes all reports but the last one a single report, the baseline, with which the last one is compared. A row is the
 * mean over the reports, each of which counts once, with its mean or median; n is their number. Two reports or more. */
void saved_pool(struct saved *saved);
void saved_free(struct saved *saved);
