/* number: numbers as text. For machines: never dependent on the locale. For people: with the decimal point and the
 * digit grouping of the user's locale, though LC_NUMERIC of the program stays C.
 *
 * The functions write into the buffer that they are given and return it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX 2048 /* holds any double with nine decimals, grouped */

/* For machines: the fewest digits that read back as the same double. v is finite. */
char *number_exact(char buf[NUMBER_MAX], double v);
/* For machines: with this many decimals; negative: so many, and an exponent ("4.83e-05" with -2). v is finite. */
char *number_fixed(char buf[NUMBER_MAX], double v, int decimals);

char *number_u64(char buf[NUMBER_MAX], uint64_t n);

/* How the user writes numbers. */
struct number_style {
	char point[8];
	char separator[8]; /* between groups of digits; "": none */
	char grouping[8];  /* as in localeconv(3) */
	bool utf8;         /* the user's character set */
};

enum number_grouping {
	NUMBER_UNGROUPED,
	NUMBER_BY_LOCALE, /* which in C and POSIX means not at all, as in printf's %' */
	NUMBER_GROUPED,   /* in threes where the locale does not group */
};

/* From LC_ALL, LC_NUMERIC, LANG (and LC_CTYPE). A locale that is not installed is taken for C. */
void number_style_init(struct number_style *style, enum number_grouping grouping);

char *number_count(char buf[NUMBER_MAX], const struct number_style *style, uint64_t n);
char *number_real(char buf[NUMBER_MAX], const struct number_style *style, double v, int decimals);

/* Without the zeros at its end after a '.': "0.50" becomes "0.5", "10.0" becomes "10". */
void number_strip(char *text);

/* Without libm, which rint and fmax may call. What is not a number has no fraction, either. */
static inline bool number_is_whole(double v)
{
	const double all_whole = 9007199254740992.0; /* 2^53: from here on */

	return !(v > -all_whole && v < all_whole) || v == (double)(int64_t)v;
}

/* To a whole number, halves upwards. */
static inline double number_rounded(double v)
{
	double down = number_is_whole(v) ? v : (double)(int64_t)v - (v < 0);

	return v - down < 0.5 ? down : down + 1;
}

/* a, if b is not a number. */
static inline double number_larger(double a, double b)
{
	return b > a ? b : a;
}

/* A rate in the unit that suits its size: divides *rate and returns "", "K", "M", "G" or "T". */
const char *number_prefix(double *rate);

/* (a * b + add) / divisor, rounded down; UINT64_MAX if it is more. divisor > 0. */
uint64_t number_multiply_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor);
