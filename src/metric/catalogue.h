/* catalogue: the metrics that can be named: those of vendors' files, and the user's own. They are found by their names
 * and groups; case does not matter.
 *
 * Order of calls: zero-initialize; catalogue_load; catalogue_define; catalogue_find, catalogue_group; catalogue_free.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "event/vendor_files.h"
#include "lib/error.h"
#include "lib/text.h"
#include "metric/formula.h"

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

/* NULL: there is none. */
struct formula *catalogue_find(const struct catalogue *c, const char *name);

bool formula_is_of_group(const struct formula *formula, const char *group);

/* Offer all names of metrics and groups. */
void catalogue_suggest(const struct catalogue *c, struct suggest *s);

void catalogue_free(struct catalogue *c);
