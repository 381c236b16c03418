/* catalogue: the metrics that can be named: those of vendors' files, and the user's own. They are found by their names
 * and groups; case does not matter. For machines with several core PMUs a name may be defined for each, by Unit.
 *
 * Order of calls: zero-initialize; catalogue_load; catalogue_define; catalogue_find, catalogue_means; catalogue_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/text.h"
#include "metric/formula.h"
#include "pmu/vendor_files.h"

struct catalogue {
	struct formula **v;
	size_t n;
	size_t *by_name; /* the first n_sorted of v, in the order of their names */
	size_t n_sorted;
};

/* All metrics of the files, which must outlive the catalogue. Of two with the same name, the first counts. 0, or -errno
 * if a file cannot be read. */
int catalogue_load(struct catalogue *c, struct vendor_files *files, struct error *e);

/* One of the user's own, before all others of this name. The texts must outlive the catalogue. */
struct formula *catalogue_define(struct catalogue *c, const char *name, const char *text);

/* A copy of a definition for any PMU, before it for this one: it names others that are defined for each. */
struct formula *catalogue_specialize(struct catalogue *c, const struct formula *formula, const char *pmu);

/* The first definition that is for this core PMU, or for any; pmu "": whose PMU is here, if there is one. NULL: there
 * is none. */
struct formula *catalogue_find(const struct catalogue *c, const char *name, const char *pmu);

/* Does its name mean it? If the first definition of the name is for any PMU, only that one; else the first for each PMU
 * that is here or, if none is, for each. */
bool catalogue_means(const struct catalogue *c, const struct formula *formula);

bool formula_is_of_group(const struct formula *formula, const char *group);

/* Offer all names of metrics and groups. */
void catalogue_suggest(const struct catalogue *c, struct suggest *s);

void catalogue_free(struct catalogue *c);
