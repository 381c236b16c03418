/* warnings: what a user should know before a command runs, on standard error. */
#pragma once

#include "cli/options.h"
#include "plan/plan.h"

void warn_before_run(const struct options *options, const struct plan *plan);
