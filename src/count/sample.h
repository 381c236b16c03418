/* sample: what one read of a counter says, and the arithmetic on it. Pure.
 *
 * value is in the event's own unit; enabled and running are in ns: how long the event was enabled, and how long it was
 * on a counter (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_*).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* UINT64_MAX if it does not fit, which then stands for itself and all that is more. */
uint64_t count_add(uint64_t a, uint64_t b);
struct sample sample_add(struct sample a, struct sample b);
/* Of n > 0, rounded to nearest, whatever their sum is. */
struct sample samples_mean(const struct sample *samples, size_t n);
/* later - earlier; a figure that went backwards gives 0. */
struct sample sample_sub(struct sample later, struct sample earlier);

/* The estimate for the whole enabled time: value * enabled / running, rounded to nearest, computed in 128 bits,
 * UINT64_MAX if it does not fit. running == 0 gives 0: ask sample_is_starved first. */
uint64_t sample_scale(struct sample s);

bool sample_is_starved(struct sample s); /* enabled, never on a counter */
bool sample_is_scaled(struct sample s);  /* on a counter for a part of the time */
