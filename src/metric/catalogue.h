/* catalogue: all metrics by name: definitions in vendors' files, and the user's definitions. Names and groups are
 * compared without regard to case. On machines with several core PMUs a name may be defined for each of them, by Unit.
 *
 * A metric of perf's AggregationMode PerChip, whose events have the term `chip=?`, becomes one for each chip,
 * NAME_chip0 and so on, in a group NAME. In its text, the name of such a metric is the one of its chip.
 *
 * Order of calls: zero-initialize; catalogue_load; catalogue_define; catalogue_find, catalogue_means;
 * catalogue_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/text.h"
#include "metric/metric.h"
#include "pmu/vendor_files.h"

#define CATALOGUE_CHIP "_chip" /* and a number, after the name of a metric of one chip */

struct catalogue {
	struct metric **v;
	size_t n;
	struct strings texts; /* of metrics of one chip; the others are in the files, or the user's */
	size_t n_of_files;    /* the first ones; the others are the user's, and copies for a core PMU */
};

/* Loads all metrics of the files, which must outlive the catalogue. Of two metrics with the same name, the first one is
 * used. Returns 0, or -errno if a file cannot be read. */
int catalogue_load(struct catalogue *c, struct vendor_files *files, struct error *e);

/* Adds a definition of the user before all others of this name. The texts must outlive the catalogue. */
struct metric *catalogue_define(struct catalogue *c, const char *name, const char *text);

/* Adds a copy of a definition that is for any PMU, because it refers to metrics that are defined for each PMU. The copy
 * is for this PMU, and is found before the definition. */
struct metric *catalogue_specialize(struct catalogue *c, const struct metric *metric, const char *pmu);

/* Returns the first definition for this core PMU, or for any PMU; pmu "": prefers one whose PMU exists here. Returns
 * NULL if not found. */
struct metric *catalogue_find(const struct catalogue *c, const char *name, const char *pmu);

/* True if the name refers to this definition: the first definition of the name, if it is for any PMU; otherwise the
 * first one for each PMU of this machine or, if none exists here, for each PMU. */
bool catalogue_means(const struct catalogue *c, const struct metric *metric);

bool metric_is_of_group(const struct metric *metric, const char *group);

/* Offers all names of metrics and groups. */
void catalogue_suggest(const struct catalogue *c, struct suggest *s);

void catalogue_free(struct catalogue *c);
