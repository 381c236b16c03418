/* sample: what one read of a counter gives, sums and differences of reads, and the estimate of the whole. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One read of a counter: a value in the event's unit, and the ns for which the event was enabled and on a counter
 * (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_*). */
struct sample {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* Returns the sum, or UINT64_MAX on overflow, which then means "at least this". */
uint64_t count_add(uint64_t a, uint64_t b);
struct sample sample_add(struct sample a, struct sample b);
/* Returns later - earlier; 0 for a value that went backwards. */
struct sample sample_sub(struct sample later, struct sample earlier);

/* Returns the estimate for the whole enabled time: value * enabled / running, rounded to nearest, computed in 128 bits,
 * UINT64_MAX on overflow. running == 0 gives 0: check sample_is_starved first. */
uint64_t sample_scale(struct sample s);

bool sample_is_starved(struct sample s); /* enabled, but never on a counter */
bool sample_is_scaled(struct sample s);  /* on a counter for part of the time */
