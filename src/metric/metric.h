/* metric: one metric by expression, from a file or -M 'NAME=EXPR'. The catalogue makes and owns metrics; the set of a
 * run's metrics (metric_set.h) binds their names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "metric/expr.h"

struct metric {
	const char *name;
	const char *text;        /* the expression */
	const char *groups;      /* separated by ';'; "" if there are none */
	const char *description; /* "" without one */
	const char *threshold;   /* an expression that is true for a remarkable value, or "" */
	const char *path;        /* of the file; NULL for the user's definitions */
	const char *chip;        /* "_chip0": the end of its name, if it is of one chip; otherwise NULL */
	char *pmu;               /* the core PMU of this definition; "" for any PMU */
	double scale;            /* metric = expression * scale; not finite if it cannot be computed */
	char *unit;              /* of the metric: "", "%", "GHz" */

	size_t index;                /* in the catalogue */
	size_t number;               /* among the metrics of a run, from 1; 0 without one */
	struct expr *expr;           /* NULL before parsing */
	struct expr *threshold_expr; /* the same; also NULL if it cannot be evaluated */
	enum { METRIC_UNBOUND, METRIC_BINDING, METRIC_BOUND } state;
	char *wrong;          /* why it cannot be computed, or NULL */
	const char *estimate; /* why its value is always an estimate, or NULL; in the set's texts */

	/* of a saved report, where it has no expr: its events in the order of the expression, NULL for times that
	 * pfmstat measures; or NULL if they are not known */
	const struct event **events;
	size_t n_events;
};
