/* expr: perf's language of metrics, as text, as a tree, and as a value with its slope. Pure.
 *
 *   expr  := value 'if' value 'else' expr | value
 *   value := '|' over '^' over '&' over '<' '>' '==' over '+' '-' over '*' '/' '%' over unary '-', all from the left
 *   leaf  := number | '#'literal | name | '(' expr ')' | min(a,b) | max(a,b) | d_ratio(a,b)
 *            | has_event(EVENT) | source_count(EVENT) | strcmp_cpuid_str(ID)
 *
 * A name is an event's or another metric's: letters, digits, '_' '.' ':', with a backslash before any other byte;
 * NAME@TERMS@ stands for NAME/TERMS/. This file does not know the meaning of names and literals: metric_set.h binds
 * the tree: it sets `metric` or `event`, and replaces literals, has_event and strcmp_cpuid_str by numbers.
 *
 * Order of calls: expr_parse; bind, with expr_fold; expr_evaluate as often as wanted; expr_free. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_LITERAL,
	EXPR_NAME,
	EXPR_NEGATE,
	EXPR_BINARY,
	EXPR_IF, /* arguments: the value, the condition, the other value */
	EXPR_MIN,
	EXPR_MAX,
	EXPR_D_RATIO,
	EXPR_HAS_EVENT, /* the functions of a name */
	EXPR_SOURCE_COUNT,
	EXPR_CPUID,
};

#define EXPR_ARGUMENTS 3

struct metric;

struct expr {
	enum expr_kind kind;
	char sign; /* of EXPR_BINARY: | ^ & < > = + - * / % */
	double number;
	char *name;        /* literals with their '#'; events as in -e, without backslashes: pmu/a,b=c/ */
	size_t at, length; /* position in the text */
	struct expr *arguments[EXPR_ARGUMENTS];

	/* bound to a metric or, if that is NULL, to an event */
	struct metric *metric;
	size_t event;
	double factor; /* from the event's count to its value in the expression */
};

/* Returns 0, or -EINVAL with the reason and the wrong token; the caller adds the metric and the text. */
int expr_parse(struct expr **out, const char *text, struct error *e);

/* The same for names with other bytes, such as '-'. name_length: returns the length of the name at the start of s; it
 * is ignored if it is not greater than the length by the grammar. */
int expr_parse_with(struct expr **out, const char *text, size_t (*name_length)(void *arg, const char *s), void *arg,
		    struct error *e);

/* Returns the number of a node's arguments. */
size_t expr_arguments(const struct expr *x);

/* Turns a node whose arguments are numbers into a number, and an `if` with a numeric condition into the chosen branch.
 */
void expr_fold(struct expr *x);

/* The counts of the tree's events; evaluation has separate memory. */
struct expr_input {
	const double *values;        /* per event; NAN without a value */
	const double *source_counts; /* per event: the number of PMUs of which it is the sum; NULL: one each */
	size_t n_metrics;            /* metrics that names refer to have indices below this */
};

struct expr_output {
	double value;               /* NAN: no value, for the first of the following reasons, or it is infinite */
	double slope;               /* derivative by the value of one of the events; NAN if unknown */
	size_t missing;             /* an event without a value, or SIZE_MAX */
	const struct expr *divisor; /* an operand that was 0, or NULL */
	const struct expr *operand; /* an operand of a bit operation or '%' that 64 bits cannot hold, or NULL */
	const char *text;           /* the text that contains the divisor or the operand */
};

/* Returns the value of the metric's expression, or of its threshold (a truth value), and the slope by the event
 * (SIZE_MAX: none). used: per event, set to true if the value depends on it with these counts; may be NULL. */
struct expr_output expr_evaluate(const struct expr *x, const char *text, const struct expr_input *input, size_t by,
				 bool *used);

void expr_free(struct expr *x);
