/* literal: the values of the literals in metrics, such as '#num_cpus', and of strcmp_cpuid_str. Each value is read when
 * needed: a metric has at most two or three of them. */
#pragma once

#include <stdbool.h>

#include "lib/error.h"

/* Case does not matter. system_wide: all CPUs are counted; on_cpus: CPUs are counted, not tasks. Returns 0, -ENOENT (no
 * such literal, with near names in the hint) or -ENODATA (this machine does not report it). */
int literal_value(const char *name, bool system_wide, bool on_cpus, double *value, struct error *e);

/* True if the CPU is one of these. As in perf: on x86 an extended regular expression for VENDOR-FAMILY-MODEL-STEPPING,
 * the last two hexadecimal; on Arm the number in MIDR_EL1, whose variant and revision may be higher. */
bool literal_is_cpuid(const char *id);
