/* literal: what the machine says of the literals of metrics, '#num_cpus' and the like, and of strcmp_cpuid_str. Each
 * looks for itself: a metric names two or three of them at the most.
 */
#pragma once

#include <stdbool.h>

#include "lib/error.h"

/* Case does not matter. system_wide: all CPUs are counted; on_cpus: those or some of them, rather than tasks. 0;
 * -ENOENT: there is no such literal, with near names in the hint; -ENODATA: this machine does not say. */
int literal_value(const char *name, bool system_wide, bool on_cpus, double *value, struct error *e);

/* Is the CPU one of those? As perf has them: on x86 an extended regular expression for VENDOR-FAMILY-MODEL-STEPPING,
 * the last two hexadecimal; on Arm the number in MIDR_EL1, of which variant and revision may be higher. */
bool literal_is_cpuid(const char *id);
