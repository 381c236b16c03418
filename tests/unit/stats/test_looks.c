#include "stats/looks.h"

#include "tap.h"

static void test_rounds(void)
{
	static const unsigned expected[] = {4,  5,  6,   8,   10,  13,  17,  22,  30,  40,  45,
					    55, 75, 100, 130, 170, 220, 300, 400, 550, 750, 900};
	struct looks looks;
	double sum = 0;
	bool alike = true;

	looks_init(&looks, 45, 900);
	for (unsigned n = 1; n <= 900; n++) {
		if (!looks_is_due(&looks, n))
			continue;
		alike &= looks.n < sizeof(expected) / sizeof(*expected) && n == expected[looks.n];
		looks_take(&looks, n, n == 900);
		sum += looks.share;
	}
	ok(alike && looks.n == sizeof(expected) / sizeof(*expected), "the rounds of the looks");
	ok(sum > 1 - 1e-12 && sum < 1 + 1e-12, "the shares add up to 1");
}

static void test_shares(void)
{
	struct looks looks;

	looks_init(&looks, 10, 20);
	looks_take(&looks, 4, false);
	ok(looks.share == 4 / 20.0, "in proportion to the rounds");
	looks_take(&looks, 7, false);
	ok(looks.share == 3 / 20.0, "since the last look");
	looks_take(&looks, 9, true);
	ok(looks.share == 13 / 20.0, "the last look has the rest");
	is_number(looks.n, 3, "the number of looks");
}

int main(void)
{
	test_rounds();
	test_shares();
	return tap_done();
}
