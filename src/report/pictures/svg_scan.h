/* svg_scan: a comparison that varies one number, as a curve for each event: means with their intervals, over the
 * number. */
#pragma once

#include "report/pictures/svg.h"
#include "report/report_internal.h"

/* True if each command has a number of one parameter, except commands without parameters. */
bool svg_scan_is_possible(const struct result *result);

/* Draws it from top on; returns its lower end. */
double svg_scan_draw(struct svg *svg, const struct report *report, const struct result *result, double top);
