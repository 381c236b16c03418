/* svg_scan: a comparison that varies a number, as a chart for each event: means with their intervals, over the number.
 * Each value of a second parameter has a curve. */
#pragma once

#include "report/pictures/svg.h"
#include "report/report_internal.h"

/* True if there are one or two parameters, and each command with parameters has a number of the first one. */
bool svg_scan_is_possible(const struct result *result);

/* Draws it from top on; returns its lower end. */
double svg_scan_draw(struct svg *svg, const struct report *report, const struct result *result, double top);
