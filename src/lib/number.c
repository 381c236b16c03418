#include "lib/number.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "lib/compat.h"
#include "lib/text.h"
#include "lib/util.h"

#define FIXED_MOST 1e21 /* the largest count has 20 digits */

/* Replaces the locale's decimal point by '.', in case the program or a library ever sets LC_NUMERIC, which printf
 * follows. */
static char *point_to_dot(char *buf)
{
	size_t digits = strspn(buf, "+-0123456789");
	size_t point = strcspn(buf + digits, "0123456789e");

	if (point) {
		buf[digits] = '.';
		memmove(buf + digits + 1, buf + digits + point, strlen(buf + digits + point) + 1);
	}
	return buf;
}

char *number_u64(char buf[NUMBER_MAX], uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	*(char *)mempcpy(buf, digits + at, sizeof(digits) - at) = '\0';
	return buf;
}

/* Writes n / 10^decimals. printf, for numbers that are not whole, takes about 20 times as long. */
static void put_decimal(char buf[NUMBER_MAX], uint64_t n, int decimals, uint64_t power)
{
	char *end = buf + strlen(number_u64(buf, n / power));

	if (decimals)
		*end++ = '.';
	end[decimals] = '\0';
	for (int i = decimals; i > 0; n /= 10)
		end[--i] = (char)('0' + n % 10);
}

/* Writes a number below 1e12 / 10^decimals. Returns false, and writes nothing, if the product, which is rounded to
 * 2^-13, could be on the other side of a half than v * 10^decimals. */
static bool put_fixed(char buf[NUMBER_MAX], double v, int decimals)
{
	static const uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
	double product = decimals >= 0 && (size_t)decimals < ARRAY_SIZE(powers) ? v * (double)powers[decimals] : NAN;

	if (signbit(v) || !(product < 1e12) || fabs(product - floor(product) - 0.5) < 0x1p-10)
		return false;
	put_decimal(buf, (uint64_t)(product + 0.5), decimals, powers[decimals]);
	return true;
}

/* Writes a time in seconds that is a number of nanoseconds divided by 1e9. No two numbers of at most 15 digits are the
 * same double, so that this one is the shortest. */
static bool put_nanoseconds(char buf[NUMBER_MAX], double v)
{
	double product = v * 1e9;

	if (!(v >= 0.001 && product < 1e15) || (double)(uint64_t)(product + 0.5) / 1e9 != v)
		return false;
	put_decimal(buf, (uint64_t)(product + 0.5), 9, 1000000000);
	number_strip(buf);
	return true;
}

char *number_exact(char buf[NUMBER_MAX], double v)
{
	/* 15 digits survive a double, and %g cuts trailing zeros; only subnormals have fewer */
	int digits = fpclassify(v) == FP_SUBNORMAL ? 1 : 15;

	if (!signbit(v) && v < 1e15 && v == floor(v)) /* the same, but much cheaper */
		return number_u64(buf, (uint64_t)v);
	if (put_nanoseconds(buf, v))
		return buf;
	do
		snprintf(buf, NUMBER_MAX, "%.*g", digits, v);
	while (digits++ < 17 && strtod(buf, NULL) != v);
	return point_to_dot(buf);
}

char *number_fixed(char buf[NUMBER_MAX], double v, int decimals)
{
	if (put_fixed(buf, v, decimals))
		return buf;
	snprintf(buf, NUMBER_MAX, decimals < 0 ? "%.*e" : "%.*f", abs(decimals), v);
	return point_to_dot(buf);
}

/* Returns the locale of the category by the rules of setlocale(3). */
static const char *locale_name(const char *category)
{
	const char *const variables[] = {"LC_ALL", category, "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return value;
	}
	return "C";
}

static bool locale_is_c(const char *name)
{
	return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strncmp(name, "C.", 2) == 0;
}

/* For a name without a character set, as en_IN, asks the locale. */
static bool charset_is_utf8(const char *name)
{
	locale_t locale;
	bool utf8;

	if (strcasestr(name, "UTF-8") || strcasestr(name, "utf8"))
		return true;
	locale = locale_is_c(name) || strchr(name, '.') ? (locale_t)0 : newlocale(LC_CTYPE_MASK, name, (locale_t)0);
	utf8 = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	if (locale)
		freelocale(locale);
	return utf8;
}

static void copy_short(char to[8], const char *from)
{
	if (strlen(from) < 8)
		strcpy(to, from);
}

void number_style_init(struct number_style *style, enum number_grouping grouping)
{
	const char *name = locale_name("LC_NUMERIC"), *charset = locale_name("LC_CTYPE");
	locale_t locale = locale_is_c(name) ? (locale_t)0 : newlocale(LC_NUMERIC_MASK, name, (locale_t)0);

	*style = (struct number_style){.point = "."};
	style->utf8 = charset_is_utf8(charset);
	if (locale) {
		copy_short(style->point, nl_langinfo_l(RADIXCHAR, locale));
		copy_short(style->separator, nl_langinfo_l(THOUSEP, locale));
		copy_short(style->grouping, nl_langinfo_l(GROUPING, locale));
		freelocale(locale);
	}
	if (grouping == NUMBER_UNGROUPED)
		style->separator[0] = '\0';
	if (grouping != NUMBER_GROUPED || (*style->separator && *style->grouping > 0 && *style->grouping != CHAR_MAX))
		return;
	strcpy(style->separator, strcmp(style->point, ",") == 0 ? "." : ",");
	strcpy(style->grouping, "\3");
}

/* True if a group of digits ends before the last n digits. As in localeconv(3): each byte of grouping is the size of a
 * group, from the right, the last one repeats, CHAR_MAX ends grouping. */
static bool group_ends_at(const char *grouping, size_t n)
{
	size_t end = 0;

	while (*grouping > 0 && *grouping != CHAR_MAX && end < n) {
		end += (unsigned char)*grouping;
		if (grouping[1])
			grouping++;
	}
	return end == n;
}

/* Formats digits, which may have a sign and a fraction ("-1234.5"), in the user's style. */
static char *stylize(char buf[NUMBER_MAX], const struct number_style *style, const char *digits)
{
	size_t sign = strspn(digits, "-"), whole = strspn(digits + sign, "0123456789");
	const char *fraction = digits + sign + whole;
	char *p = mempcpy(buf, digits, sign);

	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && *style->separator && group_ends_at(style->grouping, whole - i))
			p = stpcpy(p, style->separator);
		*p++ = digits[sign + i];
	}
	if (*fraction == '.') {
		p = stpcpy(p, style->point);
		fraction++;
	}
	strcpy(p, fraction);
	return buf;
}

char *number_count(char buf[NUMBER_MAX], const struct number_style *style, uint64_t n)
{
	char digits[NUMBER_MAX];

	return stylize(buf, style, number_u64(digits, n));
}

char *number_real(char buf[NUMBER_MAX], const struct number_style *style, double v, int decimals)
{
	char digits[NUMBER_MAX];

	return stylize(buf, style, number_fixed(digits, v, fabs(v) < FIXED_MOST ? decimals : -4));
}

void number_strip(char *text)
{
	size_t n = strlen(text);

	if (!strchr(text, '.') || strchr(text, 'e'))
		return;
	while (text[n - 1] == '0')
		n--;
	text[text[n - 1] == '.' ? n - 1 : n] = '\0';
}

const char *number_prefix(double *rate)
{
	static const char *const prefixes[] = {"", "K", "M", "G", "T"};
	size_t i = 0;

	/* 999.9996 would be printed as 1000.000 */
	while (i + 1 < ARRAY_SIZE(prefixes) && fabs(*rate) >= 999.9995) {
		*rate /= 1000;
		i++;
	}
	return prefixes[i];
}

/* ---- 128 bits, for compilers that have no such type (those for 32-bit machines) ---- */

#define LOW32 UINT32_MAX

struct wide {
	uint64_t high, low;
};

/* Returns the 128-bit product. */
static struct wide wide_multiply(uint64_t a, uint64_t b)
{
	uint64_t al = a & LOW32, ah = a >> 32, bl = b & LOW32, bh = b >> 32;
	uint64_t middle = ah * bl + (al * bl >> 32); /* (2^32 - 1)^2 + 2^32 - 1 < 2^64 */
	uint64_t other = al * bh + (middle & LOW32);

	return (struct wide){ah * bh + (middle >> 32) + (other >> 32), a * b};
}

static uint64_t wide_divide(struct wide w, uint64_t add, uint64_t divisor)
{
	uint64_t quotient = 0, rest;

	w.low += add;
	w.high += w.low < add;
	if (w.high == 0)
		return w.low / divisor;
	if (w.high >= divisor)
		return UINT64_MAX;
	rest = w.high;
	for (int bit = 63; bit >= 0; bit--) { /* long division by bits */
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

uint64_t number_multiply_divide(uint64_t a, uint64_t b, uint64_t add, uint64_t divisor)
{
	return wide_divide(wide_multiply(a, b), add, divisor);
}

double number_log2(double number)
{
	double result = 0;

	while (number >= 2) {
		number /= 2;
		result++;
	}
	while (number < 1) {
		number *= 2;
		result--;
	}
	for (int bit = 1; bit <= 20; bit++) { /* bit by bit */
		number *= number;
		if (number >= 2) {
			number /= 2;
			result += 1.0 / (1 << bit);
		}
	}
	return result;
}
