/* Rankings of commands by made-up runs with a fixed seed: their order, the differences from the first, and how often a
 * standings of equal commands claims that the first is the fastest. */
#include "compare/standings.h"

#include "normal.h"
#include "records_bed.h"

#define RUNS      12
#define COMMANDS  4
#define CAMPAIGNS 500

/* Makes RUNS runs of each command, with these means. */
static void make_result(struct result *result, const double *means, double noise, unsigned n, struct random *random)
{
	double values[RUNS];

	*result = (struct result){.session = {.n_commands = n, .runs = RUNS}};
	for (unsigned command = 1; command <= n; command++) {
		for (size_t i = 0; i < RUNS; i++)
			values[i] = means[command - 1] + noise * draw_normal(random);
		records_add_values(result, command, "x", "", values, RUNS);
	}
	differences_add(result, 0.01);
}

static void rank(struct standings *standings, const struct result *result)
{
	const struct row *rows[COMMANDS];

	for (size_t i = 0; i < result->n; i++)
		rows[i] = &result->rows[i];
	standings_make(standings, rows, result->n);
}

static void test_order(void)
{
	const double means[] = {200, 100, 130, 100.5};
	struct random random = {.state = 1};
	struct standings standings;
	struct result result;

	make_result(&result, means, 1, 4, &random);
	rank(&standings, &result);
	is_number(standings.n, 4, "four commands");
	is_number(standings.v[3].row->command, 1, "the first command has the largest value");
	is_number(standings.v[2].row->command, 3, "then the third");
	is_number(standings.v[3].verdict, VERDICT_MORE, "it is more than the least");
	ok(standings.v[3].low < 1 && 1 < standings.v[3].high, "by about 100%");
	ok(fabs(standings.v[3].difference - 100) < 2, "and 100");
	is_number(standings.v[2].verdict, VERDICT_MORE, "two later commands are also compared");
	ok(standings.v[2].low < 0.3 && 0.3 < standings.v[2].high, "by about 30%");
	ok(standings.v[1].verdict == VERDICT_UNDECIDED && standings.v[1].runs_needed > RUNS,
	   "half a per cent is not decided");
	ok(!standings_is_certain(&standings), "so the first is not certain");
	standings_free(&standings);
	result_free(&result);
}

/* A difference from the first command is the same in both directions. */
static void test_reverse(void)
{
	const double means[] = {200, 100};
	struct random random = {.state = 2};
	const struct difference *d;
	struct standings standings;
	struct result result;

	make_result(&result, means, 10, 2, &random);
	rank(&standings, &result);
	d = result.rows[1].difference;
	is_number(d->verdict, VERDICT_LESS, "the second command has less than the first");
	is_number(standings.v[1].row->command, 1, "so the first is the last");
	is_number(standings.v[1].verdict, VERDICT_MORE, "and has more");
	ok(fabs((1 + standings.v[1].low) * (1 + d->high) - 1) < 1e-9 &&
		   fabs((1 + standings.v[1].high) * (1 + d->low) - 1) < 1e-9,
	   "with the inverse ends");
	ok(standings_is_certain(&standings), "which is certain");
	standings_free(&standings);
	result_free(&result);
}

/* A claim: one of the commands is certainly slower than the first, although all are equal. */
static void test_false_claims(void)
{
	const double means[] = {100, 100, 100, 100};
	unsigned later = 0, decided = 0;
	struct random random = {.state = 3};

	for (unsigned i = 0; i < CAMPAIGNS; i++) {
		struct standings standings;
		struct result result;
		bool claims = false, of_later = false;

		make_result(&result, means, 3, COMMANDS, &random);
		rank(&standings, &result);
		for (size_t k = 1; k < standings.n; k++) {
			bool is_later = standings.v[0].row->command > 1 && standings.v[k].row->command > 1;

			claims |= standings.v[k].verdict == VERDICT_MORE;
			of_later |= is_later && standings.v[k].verdict == VERDICT_MORE;
		}
		decided += claims;
		later += of_later;
		standings_free(&standings);
		result_free(&result);
	}
	printf("# %u campaigns: %u claims, %u of them between two later commands\n", CAMPAIGNS, decided, later);
	ok(later <= CAMPAIGNS / 20, "at most 5% of equal commands are told apart because the least was chosen");
}

/* Four equal runs of each could be chance if three pairs are tested; but not if each differs from the first command. */
static void test_between(void)
{
	static const double values[3][4] = {{100, 100, 100, 101}, {50, 50, 50, 50}, {200, 200, 200, 201}};
	struct result result = {.session = {.n_commands = 3, .runs = 4}};
	struct standings standings;

	for (unsigned command = 1; command <= 3; command++)
		records_add_values(&result, command, "x", "", values[command - 1], 4);
	differences_add(&result, 0.01);
	rank(&standings, &result);
	is_number(standings.v[2].row->command, 3, "the third command has the most");
	is_number(standings.v[2].verdict, VERDICT_MORE, "certainly: the first is certainly between");
	ok(standings.v[2].low > 2.9 && standings.v[2].low < 3 && standings.v[2].high > 3 && standings.v[2].high < 3.1,
	   "four times");
	standings_free(&standings);
	result_free(&result);
}

static void test_nothing(void)
{
	const double means[] = {0, 5};
	struct random random = {.state = 4};
	struct standings standings;
	struct result result;

	make_result(&result, means, 0, 2, &random);
	rank(&standings, &result);
	ok(isnan(standings.v[1].relative) && standings.v[1].difference == 5, "of a least value of 0 there is no share");
	is_number(standings.v[1].verdict, VERDICT_MORE, "but a difference");
	standings_free(&standings);
	result.n = 1;
	rank(&standings, &result);
	is_number(standings.n, 0, "one command has no standings");
	result_free(&result);
}

int main(void)
{
	test_order();
	test_reverse();
	test_false_claims();
	test_between();
	test_nothing();
	return tap_done();
}
