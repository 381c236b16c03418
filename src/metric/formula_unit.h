/* formula_unit: the unit of a metric that the user defined: the unit of its events, if the expression preserves it. */
#pragma once

#include "metric/formula_set.h"

/* Sets unit, and the scale that converts to it: expressions use seconds for clocks and unscaled counts. The metric is
 * bound. Without a unit both are unchanged. */
void formula_take_unit(const struct formula_set *set, struct formula *formula);
