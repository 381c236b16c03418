/* svg_calls: the numbers of calls of functions, by powers of two of their counts. */
#pragma once

#include "report/pictures/svg.h"
#include "report/report_internal.h"

/* Returns where the picture ends; top if there is nothing to draw. */
double svg_calls_draw(struct svg *svg, const struct report *report, const struct result *result, double top);
