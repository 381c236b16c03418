#include "metric/metric_unit.h"

#include <string.h>

#include "lib/util.h"

struct dimension {
	const char *unit; /* "": a plain number; NULL if unknown */
	double scale;     /* of a value in the expression */
};

static const struct dimension plain = {"", 1}, unknown = {NULL, 1};

static bool dimensions_are_same(struct dimension a, struct dimension b)
{
	return a.unit && b.unit && strcmp(a.unit, b.unit) == 0 && a.scale == b.scale;
}

static bool is_plain(struct dimension d)
{
	return d.unit && !*d.unit;
}

/* A metric has a dimension only if it is the user's and has a unit. */
static struct dimension name_dimension(const struct metric_set *set, const struct expr *x)
{
	const struct event *event;

	if (x->metric)
		return x->metric->path || !*x->metric->unit ? unknown
							    : (struct dimension){x->metric->unit, x->metric->scale};
	event = &set->resolved.events[set->events[x->event].at];
	return (struct dimension){event->unit, event_is_tool_time(event) ? 1e9 : 1};
}

static struct dimension dimension_of(const struct metric_set *set, const struct expr *x);

/* For sums and similar operators: a number takes the unit of the other operand. */
static struct dimension sum_dimension(const struct metric_set *set, const struct expr *x, const struct expr *y)
{
	struct dimension a = dimension_of(set, x), b = dimension_of(set, y);

	if (x->kind == EXPR_NUMBER)
		return b;
	return y->kind == EXPR_NUMBER || dimensions_are_same(a, b) ? a : unknown;
}

/* A number as a factor may convert to another unit. */
static struct dimension product_dimension(const struct metric_set *set, const struct expr *x, const struct expr *y,
					  bool ratio)
{
	struct dimension a = dimension_of(set, x), b = dimension_of(set, y);

	if ((is_plain(a) && is_plain(b)) || (ratio && dimensions_are_same(a, b)))
		return plain;
	if (is_plain(b) && y->kind != EXPR_NUMBER)
		return a;
	return is_plain(a) && x->kind != EXPR_NUMBER && !ratio ? b : unknown;
}

static struct dimension dimension_of(const struct metric_set *set, const struct expr *x)
{
	struct expr *const *arguments = x->arguments;

	switch (x->kind) {
	case EXPR_NAME:
		return name_dimension(set, x);
	case EXPR_NEGATE:
		return dimension_of(set, arguments[0]);
	case EXPR_IF:
		return sum_dimension(set, arguments[0], arguments[2]);
	case EXPR_MIN:
	case EXPR_MAX:
		return sum_dimension(set, arguments[0], arguments[1]);
	case EXPR_D_RATIO:
		return product_dimension(set, arguments[0], arguments[1], true);
	case EXPR_BINARY:
		if (strchr("*/", x->sign))
			return product_dimension(set, arguments[0], arguments[1], x->sign == '/');
		return strchr("+-%", x->sign) ? sum_dimension(set, arguments[0], arguments[1]) : plain;
	default:
		return plain;
	}
}

void metric_derive_unit(const struct metric_set *set, struct metric *metric)
{
	struct dimension d = dimension_of(set, metric->expr);

	if (!d.unit || !*d.unit)
		return;
	free(metric->unit);
	metric->unit = xstrdup(d.unit);
	metric->scale = d.scale;
}
