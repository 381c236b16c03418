/* git: the runs of --git and --bisect: makes the revisions, judges commits by --fail-if without a report. */
#pragma once

#include "cli/options.h"
#include "compare/condition.h"
#include "run/repeat.h"
#include "run/revisions.h"

/* Does nothing without --git. runs: as they will be made; gets the directories. Sets the labels of the options. r: the
 * caller closes it. Returns 0 or -errno; -EINTR after a signal, which is then in runs. */
int git_prepare(struct revisions *r, const struct options *o, struct repeat *runs, struct conditions *conditions,
		struct strings *notes, struct error *e);
