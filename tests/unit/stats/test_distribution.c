/* distribution: exact sums and limits, medians, octaves. */
#include <math.h>

#include "stats/distribution.h"
#include "tap.h"

static double median_of(const uint64_t *values, size_t n)
{
	struct distribution d = {.n = 0};
	double median;

	for (size_t i = 0; i < n; i++)
		distribution_add(&d, values[i]);
	median = distribution_median(&d);
	distribution_free(&d);
	return median;
}

int main(void)
{
	uint64_t octaves[OCTAVES];
	static const uint64_t odd[] = {7, 0, 63}, even[] = {1, 2, 3, 10}, same[] = {123456789, 123456789, 123456789};
	struct distribution d = {.n = 0};
	bool near = true;

	ok(median_of(odd, 3) == 7, "of an odd number of values, the median is the middle one");
	ok(median_of(even, 4) == 2.5, "of an even number, the mean of the middle two");
	ok(median_of(same, 3) == 123456789, "of equal large values, the value");
	for (uint64_t i = 1; i <= 100001; i++)
		distribution_add(&d, i * 1000);
	ok(d.n == 100001 && d.min == 1000 && d.max == 100001000 && d.sum == 1000ull * 100001 * 50001,
	   "number, limits and sum are exact");
	ok(fabs(distribution_median(&d) - 50001000) < 0.016 * 50001000, "a large median is within 1.6 %");
	ok(distribution_is_rough(&d), "and says so");
	distribution_free(&d);
	for (int i = 0; i < 3; i++)
		distribution_add(&d, 5 + (uint64_t)(i == 2) * 1000);
	ok(!distribution_is_rough(&d), "a small one is exact, whatever the largest value is");
	distribution_add(&d, 97);
	ok(distribution_median(&d) < 64 && distribution_is_rough(&d), "but not the mean of a small and a large one");
	distribution_free(&d);
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value = (uint64_t)1 << bit;

		near &= fabs(median_of(&value, 1) - (double)value) == 0;
		distribution_add(&d, value);
		distribution_add(&d, value + (value - 1));
	}
	distribution_add(&d, 0);
	ok(near, "each power of 2 is itself");
	distribution_octaves(&d, octaves);
	for (unsigned octave = 1; octave < OCTAVES; octave++)
		near &= octaves[octave] == 2;
	ok(near && octaves[0] == 1, "the values of each octave are counted, and zeros");
	ok(d.max == UINT64_MAX, "the largest value is kept");
	distribution_free(&d);
	return tap_done();
}
