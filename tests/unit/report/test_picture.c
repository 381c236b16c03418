/* Figures drawn in a line of text, and what they are drawn from. */
#include "report/picture.h"

#include <math.h>
#include <stdlib.h>

#include "lib/util.h"
#include "report/series.h"
#include "tap.h"

static void is_drawn(char *drawn, const char *expected, const char *what)
{
	is_string(drawn, expected, what);
	free(drawn);
}

static void test_bars(void)
{
	is_drawn(picture_bar(1, 5, true), "█████", "a whole bar");
	is_drawn(picture_bar(0.5, 5, true), "██▌", "half a bar");
	is_drawn(picture_bar(0.025, 5, true), "▏", "an eighth of a column");
	is_drawn(picture_bar(1e-9, 5, true), "▏", "a small value is visible");
	is_drawn(picture_bar(0, 5, true), "", "0 is not");
	is_drawn(picture_bar(7, 5, true), "█████", "no more than the columns");
	is_drawn(picture_bar(NAN, 5, true), "", "no share");
	is_drawn(picture_bar(0.5, 4, false), "##", "in ASCII");
	is_drawn(picture_bar(1e-9, 4, false), "#", "in ASCII, a small value is visible");
}

static void test_lines(void)
{
	const double rising[] = {0, 1, 2, 3, 4, 5, 6, 7}, gap[] = {5, NAN, 10}, even[] = {3, 3, 3};
	const double high[] = {99, 100};

	is_drawn(picture_line(rising, 8, 8, true), "▁▂▃▄▅▆▇█", "from 0 to the largest");
	is_drawn(picture_line(rising, 8, 4, true), "▂▄▆█", "neighbours share a column");
	is_drawn(picture_line(rising, 8, 8, false), "_.:-=+*#", "in ASCII");
	is_drawn(picture_line(gap, 3, 8, true), "▅ █", "a missing value is a blank");
	is_drawn(picture_line(even, 3, 8, true), "███", "equal values are high");
	is_drawn(picture_line(high, 2, 8, true), "██", "a change of 1% is flat");
	is_drawn(picture_line(NULL, 0, 8, true), "", "no values");
}

static void test_histograms(void)
{
	const double whole[] = {4, 5, 5, 5, 5, 7}, same[] = {1, 1}, real[] = {0.1, 0.2, 0.2, 0.9, 1.1};

	is_drawn(picture_histogram(whole, 6, 20, true), "▃█ ▃", "a column for each of a few whole numbers");
	is_drawn(picture_histogram(real, 5, 20, true), "█   ▆", "equal parts of the range");
	is_drawn(picture_histogram(same, 2, 20, true), "", "no range, no picture");
	is_drawn(picture_histogram(NULL, 0, 20, true), "", "no values");
}

static void test_intervals(void)
{
	is_drawn(picture_interval(0.05, 0.03, 0.07, 0.1, 21, true), "          │  ├─●─┤", "above 0");
	is_drawn(picture_interval(-0.05, -0.07, -0.03, 0.1, 21, true), "   ├─●─┤  │", "below");
	is_drawn(picture_interval(0.02, -0.03, 0.07, 0.1, 21, true), "       ├──┼─●────┤", "across 0");
	is_drawn(picture_interval(0.001, 0, 0.002, 0.1, 21, true), "          ●", "narrower than a column");
	is_drawn(picture_interval(0.05, -0.15, 0.25, 0.1, 21, true), "◂─────────┼────●────▸", "wider than the picture");
	is_drawn(picture_interval(5, 4.8, 5.2, 0.1, 21, true), "          │         ▸", "beyond the picture");
	is_drawn(picture_interval(-1e300, NAN, NAN, 0.1, 21, true), "◂         │", "far beyond");
	is_drawn(picture_interval(0.05, NAN, NAN, 0.1, 21, true), "          │    ●", "no interval");
	is_drawn(picture_interval(NAN, NAN, NAN, 0.1, 21, true), "          │", "the reference");
	is_drawn(picture_interval(0.05, 0.03, 0.07, 0.1, 21, false), "          |  [-o-]", "in ASCII");
	ok(picture_limit(0.0731) == 0.08 && picture_limit(1) == 1 && picture_limit(1.01) == 1.5, "round limits");
	ok(isfinite(picture_limit(1e300)), "and an unlimited range");
}

/* Intervals of a second, with these counts of one event on two CPUs. */
static void add_intervals(struct series_set *set, unsigned first, unsigned n)
{
	static const char *const cpus[] = {"0", "1"};

	for (unsigned i = first; i < first + n; i++) {
		struct result result;

		result = (struct result){0};
		for (unsigned cpu = 0; cpu < 2; cpu++) {
			struct row *row = result_add(&result, ROW_COUNT, "cs");

			row->scope = AGGR_CPU;
			row->scope_id = cpus[cpu];
			row->counted_event = true;
			row->time = i + 1;
			row->status = i % 4 == 3 ? STATUS_LOST : STATUS_EXACT;
			row->value = (struct value){.type = VALUE_COUNT, .count = 100 * cpu + 7};
		}
		series_add_interval(set, &result);
		result_free(&result);
	}
}

static void test_series(void)
{
	struct series_set set = {0};

	add_intervals(&set, 0, 3);
	is_number(set.n, 2, "a series for each row");
	is_number(set.v[1].n, 3, "a value for each interval");
	ok(set.v[0].values[2] == 7 && set.v[1].values[2] == 107, "which is a rate");
	add_intervals(&set, 3, 2);
	ok(isnan(set.v[0].values[3]) && set.v[0].values[4] == 7, "a missing value leaves a gap");
	add_intervals(&set, 5, 100000);
	is_number(set.intervals, 100005, "any number of intervals");
	ok(set.n_ends <= 1024 && set.n_ends > 256, "takes bounded room");
	ok(set.ends[set.n_ends - 1] == 100005, "to the end");
	series_free(&set);
	is_number(set.n, 0, "and is freed");
}

int main(void)
{
	test_bars();
	test_lines();
	test_histograms();
	test_intervals();
	test_series();
	return tap_done();
}
