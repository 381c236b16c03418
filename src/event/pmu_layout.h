/* pmu_layout: what PMUs that are not on this machine would have in sysfs, as far as it is documented: so that an event
 * of a vendor's file can be shown with its bits on any machine. Never used for what is counted.
 *
 * A PMU is known by its name without `uncore_` and without the number of an instance: `uncore_iio_3` is iio.
 */
#pragma once

#include <stdbool.h>

#include "event/pmu.h"

/* Of a PMU of the CPU's cores, or one that a driver of Linux's always has? All others are known by vendors' files. */
bool pmu_layout_is_known(const char *pmu);

/* Of the CPU's cores? */
bool pmu_layout_is_core(const char *pmu);

/* 0, or -ENOENT: there is no such term. */
int pmu_layout_format(const char *pmu, const char *term, struct pmu_format *format);

/* The terms of an event that the kernel names; NULL: it names none so. */
const char *pmu_layout_event(const char *pmu, const char *event);
