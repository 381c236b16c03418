/* wide: products of 128 bits, for compilers that have no such type (those for 32-bit machines). Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t high, low;
};

struct wide wide_multiply(uint64_t a, uint64_t b);

/* The low 64 bits of w / 2^n, rounded down; n < 128. */
uint64_t wide_shift(struct wide w, unsigned n);
/* Is any of the lowest n bits set? n < 128. */
bool wide_has_below(struct wide w, unsigned n);

/* (a * b + add) / divisor, rounded down; UINT64_MAX if it is more. divisor > 0. */
uint64_t wide_multiply_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor);
