/* formula_rows: the rows of metrics by expression. Pure.
 *
 * The error of a metric follows from those of its events, to the first order: with the slopes g of the expression, and
 * half-widths e of the events, it is the root of the sum of (g e)² over the events, and of 2 g g' c over pairs of
 * events that were counted together. What two such events have in common, c, follows from what collect knows of their
 * ratio (row.ratio_errors): with relative half-widths r and r', and that of the ratio q, c = (r² + r'² - q²) / 2 times
 * both values; so that a plain ratio has just the error of the ratio. Where the ratio's error is not known, the two are
 * taken to depend on each other in the worst way. Events of different groups are taken to be independent.
 *
 * On machines with several core PMUs, a metric whose events each of them counts has a row for each, "NAME on PMU", and
 * none for the sum.
 */
#pragma once

#include "result/result.h"

/* Append a ROW_METRIC for each of the session's formulas that has an event among these rows, which are of the same
 * scope, run, command and time. clocks: rows of the whole that belong to all scopes. */
void formula_rows_add(struct result *result, const size_t *rows, size_t n, const size_t *clocks, size_t n_clocks);
