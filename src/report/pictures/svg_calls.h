/* svg_calls: the calls of functions by powers of two of what they counted. */
#pragma once

#include "report/pictures/svg.h"
#include "report/report_internal.h"

/* Returns where the picture ends; top if there is nothing to draw. */
double svg_calls_draw(struct svg *svg, const struct report *report, const struct result *result, double top);
