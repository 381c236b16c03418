/* measure_check: is what has been opened worth starting with? By the rows as they would be if nothing happened at all.
 */
#pragma once

#include "lib/error.h"
#include "run/measure.h"

/* With nothing at all to count a command still runs, and its times are reported; without one there is no point:
 * -ENODEV.
 */
int measured_check_any(const struct measured *m, const struct measure_options *options, struct error *e);

/* Of --strict: -ENODEV, an event cannot be counted, or not in all its modes. */
int measured_check_all(const struct measured *m, const struct measure_options *options, struct error *e);
