/* Products of 128 bits: known ones, and where the compiler has the type, random ones beside its own. */
#include "lib/wide.h"

#include "lib/random.h"
#include "tap.h"

static void test_known(void)
{
	struct wide w = wide_multiply(UINT64_MAX, UINT64_MAX);

	is_number(w.high, UINT64_MAX - 1, "(2^64 - 1)^2, high");
	is_number(w.low, 1, "… low");
	is_number(wide_shift((struct wide){1, 0}, 1), UINT64_C(1) << 63, "shifted by 1");
	is_number(wide_shift(w, 64), w.high, "shifted by 64");
	is_number(wide_shift(w, 0), w.low, "shifted by 0");
	is_number(wide_shift(w, 127), 1, "shifted by 127");
	ok(wide_has_below(w, 1) && !wide_has_below(w, 0), "bit 0 is set");
	ok(!wide_has_below((struct wide){2, 0}, 65) && wide_has_below((struct wide){2, 0}, 66), "bit 65 is set");
	is_number(wide_multiply_divide(UINT64_MAX, UINT64_MAX, 0, UINT64_MAX), UINT64_MAX, "a * b / b");
	is_number(wide_multiply_divide(UINT64_MAX, 2, 0, 1), UINT64_MAX, "more than 64 bits");
	is_number(wide_multiply_divide(UINT64_C(1) << 60, 100, 49, 50), UINT64_C(1) << 61, "rounded down");
	is_number(wide_multiply_divide(UINT64_MAX, 1, UINT64_MAX, 2), UINT64_MAX, "the sum has 65 bits");
}

#ifdef __SIZEOF_INT128__
/* Of any number of bits: carries are where bits are many, and edges where they are few. */
static uint64_t random_bits(struct random *r)
{
	uint64_t bits = random_below(r, UINT64_MAX) % 64;

	return random_below(r, UINT64_MAX) >> bits;
}

static bool agrees(struct random *r)
{
	uint64_t a = random_bits(r), b = random_bits(r), add = random_bits(r), divisor = random_bits(r) | 1;
	unsigned n = (unsigned)(random_below(r, UINT64_MAX) % 128);
	unsigned __int128 product = (unsigned __int128)a * b, quotient = product / divisor;
	struct wide w = wide_multiply(a, b);

	if (product <= ~(unsigned __int128)0 - add)
		quotient = (product + add) / divisor;
	return w.high == (uint64_t)(product >> 64) && w.low == (uint64_t)product &&
	       wide_shift(w, n) == (uint64_t)(product >> n) &&
	       wide_has_below(w, n) == ((product & (((unsigned __int128)1 << n) - 1)) != 0) &&
	       wide_multiply_divide(a, b, add, divisor) == (quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient);
}

static void test_random(void)
{
	struct random r = {.state = 1};
	int agreed = 0;

	while (agreed < 200000 && agrees(&r))
		agreed++;
	is_number(agreed, 200000, "as the compiler has it");
}
#else
static void test_random(void)
{
	printf("ok %d - as the compiler has it # SKIP machine: its compiler has no such type\n", ++tap_run);
}
#endif

int main(void)
{
	test_known();
	test_random();
	return tap_done();
}
