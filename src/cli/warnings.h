/* warnings: what a user should know before a command runs, on standard error. */
#pragma once

#include "cli/options.h"
#include "plan/plan.h"

/* Adds a note to the plan if hardware events are counted and --check has found that some are wrong here. */
void note_findings(struct plan *plan);

void warn_before_run(const struct options *options, const struct plan *plan);
