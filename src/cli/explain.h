/* explain: --explain: each metric of -M down to its events, each event down to the bits that perf_event_open gets, the
 * groups as planned, and whether the kernel takes and schedules them. The events are opened on pfmstat itself; no
 * command is run. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "count/plan.h"
#include "lib/color.h"
#include "metric/formula_set.h"

/* True if everything can be counted. color: of an error, which goes to standard error. */
bool explain_print(FILE *out, const struct plan *plan, const struct formula_set *formulas, enum color_when color);
