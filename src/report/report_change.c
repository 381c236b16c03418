/* Changes, and intervals, for people: "+22% (+2% … +47%)"; from twice or to half of the reference as a factor, "12.0×
 * (11.2 … 13.1)". An interval is always "low … high", in the unit of its number. */
#include "compare/culprits.h"
#include "compare/differences.h"
#include "report/report_internal.h"

bool report_is_factor(struct change c)
{
	return !c.percent && (c.value >= 1 || (c.value <= -0.5 && c.value > -1));
}

/* Returns half of the interval, or its lower half if it has no upper end. */
static double half_of(struct change c)
{
	return isfinite(c.high) ? (c.high - c.low) / 2 : c.value - c.low;
}

/* Returns decimals such that half of the interval has one digit (as a percentage two), and a factor at least two. */
static int decimals_of(struct change c)
{
	double half = half_of(c), factor = 1 + c.value;
	int least = factor >= 10 ? 0 : factor >= 1 ? 2 : report_decimals_of_error(factor, 2);
	int decimals = report_decimals_of_error(half, 1);

	if (!report_is_factor(c))
		return isinf(c.high) ? 0 : report_percent_decimals(100 * half);
	return !(half > 0) || decimals < least ? least : decimals;
}

/* Returns "+22%" or "12.0". */
static char *number_text(const struct report *report, double change, bool factor, int decimals)
{
	char buf[NUMBER_MAX];

	if (isinf(change))
		return xstrdup(report->style.utf8 ? "\u221e" : "inf");
	if (factor)
		return xstrdup(report_real(buf, report, 1 + change, change > -1 ? decimals : 0));
	report_real(buf, report, 100 * change, decimals);
	return xasprintf("%s%s%%", *buf == '-' ? "" : "+", buf);
}

char *report_change_text(const struct report *report, struct change c)
{
	bool factor = report_is_factor(c);
	auto_free char *number = number_text(report, c.value, factor, decimals_of(c));

	return xasprintf("%s%s", number, !factor ? "" : report->style.utf8 ? "\u00d7" : "x");
}

char *report_size_text(const struct report *report, struct change c)
{
	bool factor = report_is_factor(c);
	auto_free char *number = number_text(report, c.value, factor, decimals_of(c));

	if (factor)
		return xasprintf("%s %s", number, report->style.utf8 ? "\u00d7" : "x");
	return xstrdup(number + 1); /* without its sign */
}

const char *report_ellipsis(const struct report *report)
{
	return report->style.utf8 ? "\u2026" : "..";
}

char *report_interval_text(const struct report *report, const char *low, const char *high)
{
	return xasprintf("(%s %s %s)", low, report_ellipsis(report), high);
}

char *report_change_interval(const struct report *report, struct change c)
{
	bool factor = report_is_factor(c);
	auto_free char *low = NULL, *high = NULL;

	if (isnan(c.low) || isnan(c.high) || c.low == c.high)
		return xstrdup("");
	if (c.low <= -1 && isinf(c.high)) /* nothing is known */
		return xstrdup("");
	low = number_text(report, c.low, factor, decimals_of(c));
	high = number_text(report, c.high, factor, decimals_of(c));
	return report_interval_text(report, low, high);
}

/* Returns "+22% (+2% … +47%)". */
static char *whole_text(const struct report *report, struct change c)
{
	auto_free char *change = report_change_text(report, c), *interval = report_change_interval(report, c);

	return xasprintf("%s%s%s", change, *interval ? " " : "", interval);
}

/* The difference from a reference of 0, in its unit. */
static char *absolute_text(const struct report *report, const struct row *count)
{
	const struct difference *d = count->difference;
	auto_free char *value = report_signed_text(report, count, d->value), *interval = NULL;

	if (d->error > 0) {
		auto_free char *low = report_signed_text(report, count, d->value - d->error);
		auto_free char *high = report_signed_text(report, count, d->value + d->error);

		interval = report_interval_text(report, low, high);
	}
	return xasprintf("%s%s%s", value, interval ? " " : "", interval ? interval : "");
}

char *report_difference_text(const struct report *report, const struct row *count)
{
	const struct difference *d = count->difference;

	if (difference_has_change(d))
		return whole_text(report, (struct change){.value = d->relative, .low = d->low, .high = d->high});
	return absolute_text(report, count);
}

char *report_percent_text(const struct report *report, const struct row *count)
{
	const struct difference *d = count->difference;

	if (difference_has_change(d))
		return whole_text(
			report, (struct change){.value = d->relative, .low = d->low, .high = d->high, .percent = true});
	return absolute_text(report, count);
}

char *report_rest_text(const struct report *report, const struct culprits *c)
{
	return isnan(c->rest) ? xstrdup("")
			      : whole_text(report,
					   (struct change){.value = c->rest, .low = c->rest_low, .high = c->rest_high});
}
