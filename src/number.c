#include "number.h"

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
