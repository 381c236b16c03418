/* number: numbers as text. Machine-readable numbers never depend on the locale. Numbers for people have the decimal
 * point and the digit grouping of the user's locale, but the program's LC_NUMERIC stays C.
 *
 * The functions write into the given buffer and return it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX 2048 /* room for any double with nine decimals, grouped */

/* Machine-readable: the fewest digits that read back as the same double. v must be finite. */
char *number_exact(char buf[NUMBER_MAX], double v);
/* Machine-readable, with this number of decimals; negative: exponential notation with that number of decimals
 * ("4.83e-05" with -2). v must be finite. */
char *number_fixed(char buf[NUMBER_MAX], double v, int decimals);

char *number_u64(char buf[NUMBER_MAX], uint64_t n);

/* The user's notation of numbers. */
struct number_style {
	char point[8];
	char separator[8]; /* between groups of digits; "" if there are no groups */
	char grouping[8];  /* as in localeconv(3) */
	bool utf8;         /* the user's character set */
};

enum number_grouping {
	NUMBER_UNGROUPED,
	NUMBER_BY_LOCALE, /* no grouping in C and POSIX, as with printf's %' */
	NUMBER_GROUPED,   /* groups of three if the locale does not group */
};

/* Reads LC_ALL, LC_NUMERIC, LANG (and LC_CTYPE). A locale that is not installed counts as C. */
void number_style_init(struct number_style *style, enum number_grouping grouping);

char *number_count(char buf[NUMBER_MAX], const struct number_style *style, uint64_t n);
/* In exponential notation above all counts. */
char *number_real(char buf[NUMBER_MAX], const struct number_style *style, double v, int decimals);

/* Without the zeros at its end after a '.': "0.50" becomes "0.5", "10.0" becomes "10". */
void number_strip(char *text);

/* The following functions avoid libm, which rint and fmax may call. NaN and infinity count as whole. */
static inline bool number_is_whole(double v)
{
	const double all_whole = 9007199254740992.0; /* 2^53: all larger doubles are whole */

	return !(v > -all_whole && v < all_whole) || v == (double)(int64_t)v;
}

/* Rounds to a whole number, halves upwards. */
static inline double number_rounded(double v)
{
	double down = number_is_whole(v) ? v : (double)(int64_t)v - (v < 0);

	return v - down < 0.5 ? down : down + 1;
}

/* Return the larger one and the smaller one, or a if b is not a number. */
static inline double number_larger(double a, double b)
{
	return b > a ? b : a;
}

static inline double number_smaller(double a, double b)
{
	return b < a ? b : a;
}

/* Returns the logarithm to base 2 of a finite number above 0, to within a millionth. */
double number_log2(double number);

/* Scales a rate: divides *rate and returns the prefix "", "K", "M", "G" or "T". */
const char *number_prefix(double *rate);

/* Returns (a * b + add) / divisor, rounded down; UINT64_MAX on overflow. divisor > 0. */
uint64_t number_multiply_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor);
