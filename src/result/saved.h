/* saved: reports of earlier runs, read from JSON Lines (--json) as the commands of one comparison. json-c, which parses
 * them, is loaded when first needed.
 */
#pragma once

#include "lib/error.h"
#include "result/result.h"

struct saved {
	struct result result; /* the rows over all runs of each report; command 1 is the first report's */
	char **names;         /* of the files and their commands, for people */
	size_t n;             /* reports */
};

/* paths: NULL-terminated, one report of one command in each. 0, or -errno: -EINVAL it is no such report. saved must be
 * freed in any case. */
int saved_read(struct saved *saved, char *const *paths, struct error *e);
void saved_free(struct saved *saved);
