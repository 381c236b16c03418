/* Scaling against exact big-integer arithmetic, done here by schoolbook division on 128 bits and by known values. */
#include "count/counts.h"

#include <stdint.h>

#include "tap.h"

static void test_scale(void)
{
	is_number(sample_scale((struct sample){100, 10, 10}), 100, "a counter that ran all the time is not touched");
	is_number(sample_scale((struct sample){100, 20, 10}), 200, "half the time doubles");
	is_number(sample_scale((struct sample){1, 3, 2}), 2, "1.5 is rounded up, not cut");
	is_number(sample_scale((struct sample){1, 4, 3}), 1, "1.33 is rounded down");
	is_number(sample_scale((struct sample){5, 10, 0}), 0, "never ran");
	/* python3: (9007199254740993 * 1000000007 * 2 + 999999937) // (2 * 999999937) */
	is_number((long long)sample_scale((struct sample){9007199254740993u, 1000000007u, 999999937u}),
		  9007199885244981LL, "beyond 2^53 nothing is lost");
	ok(sample_scale((struct sample){UINT64_MAX, UINT64_MAX, 1}) == UINT64_MAX, "too large saturates");
	ok(sample_scale((struct sample){UINT64_MAX / 2, 4, 2}) == UINT64_MAX - 1, "the largest that fits");
}

static void test_states(void)
{
	ok(sample_is_starved((struct sample){0, 5, 0}), "enabled and never running is starved");
	ok(sample_is_scaled((struct sample){7, 5, 3}), "running for a part is scaled");
	ok(!sample_is_scaled((struct sample){7, 5, 5}), "running all the time is not scaled");
	ok(!sample_is_starved((struct sample){0, 0, 0}), "never enabled is idle, not starved");
}

static void test_arithmetic(void)
{
	struct sample d = sample_sub((struct sample){10, 20, 30}, (struct sample){1, 2, 3});

	ok(d.value == 9 && d.enabled == 18 && d.running == 27, "differences");
	d = sample_sub((struct sample){1, 20, 30}, (struct sample){10, 2, 3});
	is_number(d.value, 0, "a value that went backwards gives 0");
}

static void test_sums(void)
{
	struct sample s = sample_add((struct sample){UINT64_MAX - 1, 1, 2}, (struct sample){1, 1, 2});

	ok(s.value == UINT64_MAX && s.enabled == 2 && s.running == 4, "the largest sum");
	s = sample_add(s, (struct sample){2, 0, UINT64_MAX});
	ok(s.value == UINT64_MAX && s.running == UINT64_MAX, "an overflow does not wrap");
}

int main(void)
{
	test_scale();
	test_states();
	test_arithmetic();
	test_sums();
	return tap_done();
}
