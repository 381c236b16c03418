/* scan: the parameters of --scan, and the commands that they make from those on the command line.
 *
 * Order of calls: zero-initialize; scan_add for each --scan; scan_expand, after the commands and hooks are known;
 * scan_free, when these are no longer used. */
#pragma once

#include <stddef.h>

#include "lib/arena.h"
#include "lib/error.h"
#include "lib/util.h"
#include "rows/result.h"
#include "run/repeat.h"

struct options;

/* The maximal number of compared commands. */
#define SCAN_MOST 1000

struct scan {
	struct scan_parameter {
		char *name;
		struct strings values;
		enum axis axis;
	} * v;
	size_t n;

	/* results */
	struct arena text; /* all words and labels */
	struct parameters parameters;
	const char **names, **values; /* names and values of parameters */
	enum axis *axes;
	size_t *origins;
	struct hooks *hooks; /* for each command */
	size_t n_hooks, n_values, n_origins;
};

/* Adds "threads=1..8", "size=1..64*2", "percent=0..100+25" or "mode=fast,safe". Returns 0 or -errno. */
int scan_add(struct scan *scan, const char *text, struct error *e);

/* Replaces each command of the options, with its label and hooks, by one command for each combination of the values
 * whose {NAME} the command or a hook contains. The last parameter varies first. Returns 0 or -errno. */
int scan_expand(struct scan *scan, struct options *o, struct error *e);

void scan_free(struct scan *scan);
