/* formula: one metric by expression: what a file or -M 'NAME=EXPR' says of it. The catalogue makes and owns them; the
 * set of those that a run computes (formula_set.h) binds their names.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "metric/expr.h"

/* How the reason begins of a value that is an estimate whatever was counted. */
#define FORMULA_ESTIMATE "estimate: "

struct formula {
	const char *name;
	const char *text;        /* the expression */
	const char *groups;      /* separated by ';'; "": none */
	const char *description; /* "": none */
	const char *threshold;   /* an expression that is true of a value worth a look; "": none */
	const char *path;        /* of the file; NULL: it is the user's own */
	char *pmu;               /* the core PMU that this definition is for; "": any */
	double scale; /* the expression's value times this is the metric's; not finite: it cannot be computed */
	char *unit;   /* of the metric: "", "%", "GHz" */

	size_t index;                /* in the catalogue */
	struct expr *expr;           /* NULL: not parsed yet */
	struct expr *threshold_expr; /* the same; NULL, too, if it cannot be judged */
	enum { FORMULA_UNBOUND, FORMULA_BINDING, FORMULA_BOUND } state;
	char *wrong;          /* why it cannot be computed; NULL: it can */
	const char *estimate; /* why a value is one, whatever its counts are; NULL: none is. Of the set's texts */
};
