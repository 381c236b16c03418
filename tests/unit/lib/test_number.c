/* Numbers for people, in styles written out by hand and in locales of the C library if localedef can make them;
 * products of 128 bits, known ones, and, if the compiler has the type, random ones. */
#include "lib/number.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/random.h"
#include "lib/text.h"
#include "lib/util.h"
#include "scratch.h"
#include "tap.h"

/* glibc's newlocale loses the list it makes of LOCPATH, which only this test sets. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:argz_add_sep\n";
}

static void clear_locale(void)
{
	unsetenv("LC_ALL");
	unsetenv("LC_NUMERIC");
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
}

static struct number_style style_with(const char *variable, const char *value, enum number_grouping grouping)
{
	struct number_style style;

	clear_locale();
	if (variable)
		setenv(variable, value, 1);
	number_style_init(&style, grouping);
	return style;
}

static struct number_style style_in(const char *variable, const char *value)
{
	return style_with(variable, value, NUMBER_GROUPED);
}

static void test_plain(void)
{
	struct number_style style = style_in(NULL, NULL);
	char buf[NUMBER_MAX];

	is_string(number_count(buf, &style, 0), "0", "nothing to group");
	is_string(number_count(buf, &style, 999), "999", "three digits");
	is_string(number_count(buf, &style, 1000), "1,000", "four");
	is_string(number_count(buf, &style, UINT64_MAX), "18,446,744,073,709,551,615", "the largest count");
	is_string(number_real(buf, &style, -1234.5, 2), "-1,234.50", "a sign and a fraction");
	is_string(number_real(buf, &style, -123.5, 1), "-123.5", "no separator behind a sign");
	is_string(number_real(buf, &style, 0.0, 3), "0.000", "zero");
	is_string(number_real(buf, &style, 1e20, 0), "100,000,000,000,000,000,000", "more than any count");
	is_string(number_real(buf, &style, -1e300, 2), "-1.0000e+300", "a value that would widen a table");
	ok(!style.utf8, "no UTF-8 unless the locale says so");
	ok(style_in("LANG", "C.UTF-8").utf8, "C.UTF-8 is UTF-8");
	style = style_in("LC_ALL", "xx_YY.UTF-8");
	is_string(number_count(buf, &style, 1234567), "1,234,567", "a locale that is not installed equals C");
	number_style_init(&style, NUMBER_UNGROUPED);
	is_string(number_count(buf, &style, 1234567), "1234567", "no grouping when not wanted");
	number_style_init(&style, NUMBER_BY_LOCALE);
	is_string(number_count(buf, &style, 1234567), "1234567", "no grouping by a locale without it");
	style = style_with("LANG", "C.UTF-8", NUMBER_BY_LOCALE);
	is_string(number_real(buf, &style, 1234567.5, 2), "1234567.50", "no grouping by C.UTF-8");
}

static void test_grouping(void)
{
	struct number_style style = {.point = ".", .separator = "'", .grouping = "\3\2"};
	char buf[NUMBER_MAX];

	is_string(number_count(buf, &style, 123456789), "12'34'56'789", "3;2 as in India: the last repeats");
	strcpy(style.grouping, "\3\177"); /* CHAR_MAX where char is signed */
	style.grouping[1] = CHAR_MAX;
	is_string(number_count(buf, &style, 123456789), "123456'789", "CHAR_MAX ends grouping");
	strcpy(style.grouping, "");
	is_string(number_count(buf, &style, 123456789), "123456789", "no grouping");
	strcpy(style.grouping, "\4");
	is_string(number_count(buf, &style, 12345678), "1234'5678", "groups of four");
}

/* Only the numbers of that locale: the rest takes four times as long. localedef warns of missing categories, and so
 * fails. */
static bool make_locale(const char *dir, const char *name)
{
	auto_free char *source = xasprintf("LC_NUMERIC\ncopy \"%s\"\nEND LC_NUMERIC\n", name);
	auto_free char *made = xasprintf("%s/%s.UTF-8/LC_NUMERIC", dir, name);
	auto_free char *command =
		xasprintf("localedef -c -i %s/source -f UTF-8 %s/%s.UTF-8 >%s/log 2>&1", dir, dir, name, dir);

	scratch_put(dir, "source", source);
	return access(made, R_OK) == 0 || system(command) == 0 || access(made, R_OK) == 0;
}

static void is_in_locale(const char *dir, const char *name, enum number_grouping grouping, const char *count,
			 const char *real, size_t width)
{
	auto_free char *full = xasprintf("%s.UTF-8", name);
	char buf[NUMBER_MAX];
	struct number_style style;

	if (!make_locale(dir, name)) {
		printf("ok %d - %s # SKIP localedef cannot make it\n", ++tap_run, name);
		return;
	}
	style = style_with("LC_NUMERIC", full, grouping);
	is_string(number_count(buf, &style, 1234567890), count, name);
	is_number(text_columns(buf), width, "its width");
	is_string(number_real(buf, &style, 1234.5, 2), real, "with a fraction");
	setlocale(LC_NUMERIC, full);
	is_string(number_exact(buf, 1234.5), "1234.5", "numbers for machines stay as they are");
	is_string(number_fixed(buf, 1234.5, 2), "1234.50", "also with fixed decimals");
	is_string(number_exact(buf, 999999999999999), "999999999999999", "whole numbers have all their digits");
	is_string(number_exact(buf, 1e15), "1e+15", "… up to 15");
	is_string(number_exact(buf, -0.0), "-0", "the sign of zero remains");
	setlocale(LC_NUMERIC, "C");
}

static void test_locales(void)
{
	char dir[] = SCRATCH_TEMPLATE;
	auto_free char *command = NULL;

	scratch_make(dir);
	setenv("LOCPATH", dir, 1);
	is_in_locale(dir, "de_DE", NUMBER_BY_LOCALE, "1.234.567.890", "1.234,50", 13);
	is_in_locale(dir, "en_IN", NUMBER_GROUPED, "1,23,45,67,890", "1,234.50", 14);
	is_in_locale(dir, "fr_FR", NUMBER_BY_LOCALE, "1\u202f234\u202f567\u202f890", "1\u202f234,50", 13);
	/* which does not group */
	is_in_locale(dir, "pt_PT", NUMBER_BY_LOCALE, "1234567890", "1234,50", 10);
	is_in_locale(dir, "pt_PT", NUMBER_GROUPED, "1.234.567.890", "1.234,50", 13);
	unsetenv("LOCPATH");
	command = xasprintf("rm -r %s", dir);
	is_number(system(command), 0, "cleaned up");
}

/* A number as it occurs: a count or nanoseconds, divided; sometimes exactly half of the last decimal. */
static double random_real(struct random *r)
{
	static const double divisors[] = {1, 2, 3, 8, 16, 1000, 1e6, 1e9, 0.7};
	double n = (double)(random_below(r, UINT64_MAX) >> random_below(r, 64));

	return n / divisors[random_below(r, ARRAY_SIZE(divisors))];
}

/* The C library is slow, but right. */
static void test_reals(void)
{
	struct random r = {.state = 3};
	int fixed = 0, exact = 0, tries = 200000;

	for (int i = 0; i < tries; i++) {
		char ours[NUMBER_MAX], theirs[NUMBER_MAX];
		int decimals = (int)random_below(&r, 10), digits = 15;
		double v = random_real(&r);

		snprintf(theirs, sizeof(theirs), "%.*f", decimals, v);
		fixed += strcmp(number_fixed(ours, v, decimals), theirs) == 0;
		do
			snprintf(theirs, sizeof(theirs), "%.*g", digits, v);
		while (digits++ < 17 && strtod(theirs, NULL) != v);
		exact += strcmp(number_exact(ours, v), theirs) == 0;
	}
	is_number(fixed, tries, "numbers with fixed decimals are as the C library writes them");
	is_number(exact, tries, "and those with the fewest digits");
}

static void test_multiply_divide(void)
{
	is_number(number_multiply_divide(UINT64_MAX, UINT64_MAX, 0, UINT64_MAX), UINT64_MAX, "a * b / b");
	is_number(number_multiply_divide(UINT64_MAX, 2, 0, 1), UINT64_MAX, "more than 64 bits");
	is_number(number_multiply_divide(UINT64_C(1) << 60, 100, 49, 50), UINT64_C(1) << 61, "rounded down");
	is_number(number_multiply_divide(UINT64_MAX, 1, UINT64_MAX, 2), UINT64_MAX, "the sum has 65 bits");
}

#ifdef __SIZEOF_INT128__
/* Numbers of any number of bits: carries need many bits, edge cases few. */
static uint64_t random_bits(struct random *r)
{
	uint64_t bits = random_below(r, UINT64_MAX) % 64;

	return random_below(r, UINT64_MAX) >> bits;
}

static bool agrees(struct random *r)
{
	uint64_t a = random_bits(r), b = random_bits(r), add = random_bits(r), divisor = random_bits(r) | 1;
	unsigned __int128 product = (unsigned __int128)a * b, quotient = product / divisor;

	if (product <= ~(unsigned __int128)0 - add)
		quotient = (product + add) / divisor;
	return number_multiply_divide(a, b, add, divisor) == (quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient);
}

static void test_random(void)
{
	struct random r = {.state = 1};
	int agreed = 0;

	while (agreed < 200000 && agrees(&r))
		agreed++;
	is_number(agreed, 200000, "like the compiler's");
}
#else
static void test_random(void)
{
	printf("ok %d - as the compiler has it # SKIP machine: its compiler has no such type\n", ++tap_run);
}
#endif

static void test_prefix(void)
{
	static const struct {
		double rate, left;
		const char *prefix;
	} cases[] = {{0, 0, ""},    {999.9, 999.9, ""}, {999.9999, 0.9999999, "K"}, {1000, 1, "K"}, {2.5e6, 2.5, "M"},
		     {3e9, 3, "G"}, {7e12, 7, "T"},     {7e15, 7000, "T"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double rate = cases[i].rate;

		is_string(number_prefix(&rate), cases[i].prefix, "the unit for a size");
		ok(fabs(rate - cases[i].left) < 1e-9, "and the rest");
	}
}

static void test_rounded(void)
{
	static const struct {
		double v, rounded;
	} cases[] = {{0, 0},     {0.49, 0},  {0.5, 1}, {14.999999999999998, 15}, {15.000000000000002, 15}, {-0.4, 0},
		     {-1.5, -1}, {-1.6, -2}, {-2, -2}, {0x1p60, 0x1p60}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ok(number_rounded(cases[i].v) == cases[i].rounded, "rounded to a whole number");
}

static void test_strip(void)
{
	static const char *const cases[][2] = {{"10.0", "10"}, {"0.50", "0.5"},      {"-1.000", "-1"},
					       {"100", "100"}, {"1,500.0", "1,500"}, {"1.50e-05", "1.50e-05"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		auto_free char *text = xstrdup(cases[i][0]);

		number_strip(text);
		is_string(text, cases[i][1], "without trailing zeros");
	}
}

int main(void)
{
	test_plain();
	test_grouping();
	test_locales();
	test_reals();
	test_multiply_divide();
	test_random();
	test_prefix();
	test_rounded();
	test_strip();
	return tap_done();
}
