/* formula_unit: the unit of a metric of the user's own: that of its events, where what it does with them leaves it.
 */
#pragma once

#include "metric/formula_set.h"

/* Set unit, and the scale that makes it one: the expression has seconds of clocks and unscaled counts. The metric is
 * bound. Without a unit both stay as they are. */
void formula_take_unit(const struct formula_set *set, struct formula *formula);
