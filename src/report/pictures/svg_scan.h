/* svg_scan: a comparison that varies one number, as a curve for each event: means with their intervals over the number.
 */
#pragma once

#include "report/pictures/svg.h"
#include "report/report_internal.h"

/* Has each command a number of one parameter, but for commands that have none? */
bool svg_scan_is_possible(const struct result *result);

/* Draw it from top on; returns where it ends. */
double svg_scan_draw(struct svg *svg, const struct report *report, const struct result *result, double top);
