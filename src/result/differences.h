/* differences: the rows that say how the later commands of a result differ from its first. Pure.
 */
#pragma once

#include "result/result.h"

/* For each later command and each count over all runs that both it and the first command have a value of, append a
 * ROW_DIFFERENCE and, unless the first command's mean is 0, a ROW_CHANGE, both with the verdict as their reason.
 * threshold: a share, 0.01 for 1%. */
void differences_add(struct result *result, double threshold);

/* The row of this kind for a count of a later command; NULL: none. */
const struct row *differences_find(const struct result *result, enum row_kind kind, const struct row *count);
