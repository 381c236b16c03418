#include "number.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* printf follows LC_NUMERIC, should the program or a library ever set it: whatever the point is made of, put '.'. */
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

char *number_exact(char buf[NUMBER_MAX], double v)
{
	/* 15 digits survive the way through a double, and %g cuts trailing zeros; only subnormals have fewer */
	int digits = fpclassify(v) == FP_SUBNORMAL ? 1 : 15;

	do
		snprintf(buf, NUMBER_MAX, "%.*g", digits, v);
	while (digits++ < 17 && strtod(buf, NULL) != v);
	return point_to_dot(buf);
}

char *number_fixed(char buf[NUMBER_MAX], double v, int decimals)
{
	snprintf(buf, NUMBER_MAX, "%.*f", decimals, v);
	return point_to_dot(buf);
}

/* The first of the variables that is set and not empty, as setlocale(3) looks for them; "C" if none is. */
static const char *locale_name(const char *category)
{
	const char *const variables[] = {"LC_ALL", category, "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
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

static void copy_short(char to[8], const char *from)
{
	if (strlen(from) < 8)
		strcpy(to, from);
}

void number_style_init(struct number_style *style, bool grouped)
{
	const char *name = locale_name("LC_NUMERIC"), *charset = locale_name("LC_CTYPE");
	locale_t locale = locale_is_c(name) ? (locale_t)0 : newlocale(LC_NUMERIC_MASK, name, (locale_t)0);

	*style = (struct number_style){.point = ".", .separator = ",", .grouping = "\3"};
	style->utf8 = strcasestr(charset, "UTF-8") || strcasestr(charset, "utf8");
	if (locale) {
		style->separator[0] = style->grouping[0] = '\0';
		copy_short(style->point, nl_langinfo_l(RADIXCHAR, locale));
		copy_short(style->separator, nl_langinfo_l(THOUSEP, locale));
		copy_short(style->grouping, nl_langinfo_l(GROUPING, locale));
		freelocale(locale);
	}
	if (!grouped)
		style->separator[0] = '\0';
}

/* Where the groups of n digits begin, as localeconv(3) has it: each byte of grouping is the size of a group from the
 * right, the last one repeats, CHAR_MAX ends grouping. Is there a separator before the digit that `left` digits
 * (itself among them) stand from the right end? */
static bool separator_after(const char *grouping, size_t left)
{
	const char *g = grouping;
	size_t end = 0;

	while (*g > 0 && *g != CHAR_MAX && end < left) {
		end += (size_t)*g;
		if (g[1])
			g++;
	}
	return end == left;
}

/* digits, with a sign and a fraction ("-1234.5"), in the user's style. */
static char *stylize(char buf[NUMBER_MAX], const struct number_style *style, const char *digits)
{
	size_t sign = strspn(digits, "-"), whole = strspn(digits + sign, "0123456789");
	const char *fraction = digits + sign + whole;
	char *p = mempcpy(buf, digits, sign);

	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && *style->separator && separator_after(style->grouping, whole - i))
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
	char digits[24] = "", *p = digits + sizeof(digits) - 1;

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	return stylize(buf, style, p);
}

char *number_real(char buf[NUMBER_MAX], const struct number_style *style, double v, int decimals)
{
	char digits[NUMBER_MAX];

	return stylize(buf, style, number_fixed(digits, v, decimals));
}

size_t number_width(const struct number_style *style, const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += !style->utf8 || ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

const char *number_prefix(double *rate)
{
	static const char *const prefixes[] = {"", "K", "M", "G", "T"};
	size_t i = 0;

	/* 999.9996 would be printed as 1000.000 */
	while (i + 1 < sizeof(prefixes) / sizeof(*prefixes) && fabs(*rate) >= 999.9995) {
		*rate /= 1000;
		i++;
	}
	return prefixes[i];
}
