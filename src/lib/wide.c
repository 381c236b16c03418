#include "lib/wide.h"

#define LOW32 UINT32_MAX

struct wide wide_multiply(uint64_t a, uint64_t b)
{
	uint64_t al = a & LOW32, ah = a >> 32, bl = b & LOW32, bh = b >> 32;
	uint64_t middle = ah * bl + (al * bl >> 32); /* (2^32 - 1)^2 + 2^32 - 1 < 2^64 */
	uint64_t other = al * bh + (middle & LOW32);

	return (struct wide){ah * bh + (middle >> 32) + (other >> 32), a * b};
}

uint64_t wide_shift(struct wide w, unsigned n)
{
	if (n >= 64)
		return w.high >> (n - 64);
	return n ? w.high << (64 - n) | w.low >> n : w.low;
}

bool wide_has_below(struct wide w, unsigned n)
{
	uint64_t mask = (UINT64_C(1) << n % 64) - 1;

	return n >= 64 ? w.low || (w.high & mask) : w.low & mask;
}

uint64_t wide_multiply_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor)
{
	struct wide w = wide_multiply(a, b);
	uint64_t quotient = 0, rest;

	w.low += add;
	w.high += w.low < add;
	if (w.high == 0)
		return w.low / divisor;
	if (w.high >= divisor)
		return UINT64_MAX;
	rest = w.high;
	for (int bit = 63; bit >= 0; bit--) { /* by hand, digit by digit */
		bool carry = rest >> 63;

		rest = rest << 1 | (w.low >> bit & 1);
		quotient <<= 1;
		if (carry || rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	return quotient;
}
