/* metric_unit: the unit of a metric that the user defined: the unit of its events, if the expression preserves it. */
#pragma once

#include "metric/metric_set.h"

/* Sets unit, and the scale that converts to it: expressions use seconds for clocks. The metric is bound. Without a unit
 * both are unchanged. */
void metric_derive_unit(const struct metric_set *set, struct metric *metric);
