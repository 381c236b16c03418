/* rotation: how long the kernel leaves a group on its PMU while others wait for it (perf_event_mux_interval_ms). */
#pragma once

#include <stdint.h>

#include "count/plan.h"

/* ns. Reads sysfs. */
uint64_t rotation_turn(const struct plan *plan, size_t group);

/* Appends a line for the first PMU on which groups are multiplexed at longer intervals than 1 ms: what would make their
 * errors smaller. */
void rotation_add_note(const struct plan *plan, struct strings *notes);
