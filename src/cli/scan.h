/* scan: the parameters of --scan, and the commands that they make of those on the command line.
 *
 * Order of calls: zero-initialize; scan_add for each --scan; scan_expand, once the commands and hooks are known;
 * scan_free, when nobody needs those any more.
 */
#pragma once

#include <stddef.h>

#include "lib/arena.h"
#include "lib/error.h"
#include "lib/util.h"
#include "rows/result.h"
#include "run/repeat.h"

struct options;

/* Commands that are compared, at the most. */
#define SCAN_MOST 1000

struct scan {
	struct scan_parameter {
		char *name;
		struct strings values;
	} * v;
	size_t n;

	/* what it came to */
	struct arena text; /* all words and labels */
	struct parameters parameters;
	const char **names, **values; /* those of parameters */
	size_t *origins;
	struct hooks *hooks; /* of each command */
	size_t n_hooks, n_values, n_origins;
};

/* "threads=1..8", "size=1..64*2", "percent=0..100+25", "mode=fast,safe": 0 or -errno. */
int scan_add(struct scan *scan, const char *text, struct error *e);

/* Replace the commands, labels and hooks of the options by one for each combination of the values that a command, or
 * a hook, has a place for: {NAME}. The last parameter varies first. 0 or -errno. */
int scan_expand(struct scan *scan, struct options *o, struct error *e);

void scan_free(struct scan *scan);
