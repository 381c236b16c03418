/* timer: a descriptor that becomes readable at an absolute time of CLOCK_MONOTONIC, and then every period. */
#pragma once

#include <stdint.h>

#include "lib/error.h"

/* first: ns, as clock_now has it; period: ns, 0: once. The descriptor, or -errno. */
int timer_open(uint64_t first, uint64_t period, struct error *e);

/* How many times have come since it was last asked; makes it unreadable until the next. */
uint64_t timer_read(int fd);
