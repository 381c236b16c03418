/* metric_rows: the rows of metrics, from the counts in their expressions. Pure.
 *
 * The error of a metric follows from the errors of its events, to the first order: with the slopes g of the expression,
 * and half-widths e of the events, it is the root of the sum of (g e)² over the events, and of 2 g g' c over pairs of
 * events that were counted together. The covariance c of two such events follows from the error of their ratio
 * (row.ratio_errors): with relative half-widths r and r' of the events, and q of the ratio, c = (r² + r'² - q²) / 2
 * times both values; the error of a plain ratio is therefore q. If the ratio's error is unknown, the worst dependence
 * is assumed, but independence for the usual ratios. Events of different groups count as independent.
 *
 * On machines with several core PMUs, a metric whose events are counted on each PMU has a row for each PMU, "NAME on
 * PMU", and no row for the sum. */
#pragma once

#include "metric/metric.h"
#include "rows/result.h"

/* An event in an expression. */
struct metric_input {
	size_t at;    /* its row in the result, or SIZE_MAX */
	double unit;  /* the row's value = unit * the value in the expression */
	double slope; /* the metric's, by this event */
};

/* All events, in the order of their numbers. */
struct metric_inputs {
	struct result *result;
	const struct metric_set *set; /* contains their names; NULL: all have values */
	size_t n;
	struct metric_input *v;
	double *values;              /* in the expressions' units; NAN without one */
	const double *source_counts; /* the number of PMUs of which each is the sum; NULL: one each */
	bool *used;                  /* by the metric that is computed */
	size_t n_metrics;            /* as in expr_input */
	bool of_usual;
};

/* Sets no row and no value. */
void metric_inputs_clear(struct metric_inputs *inputs);
/* Takes the value of this number from the row. */
void metric_inputs_set(struct metric_inputs *inputs, size_t number, size_t at, double unit);
/* Returns NULL if there is no row, as for the elapsed time. */
const struct row *metric_inputs_row(const struct metric_inputs *inputs, size_t event);

/* True if a used event has an error, or an unknown one. */
bool metric_has_error(const struct metric_inputs *inputs);
/* Returns the half-width; NAN if everything was counted the whole time, or an error is unknown. */
double metric_error(const struct metric_inputs *inputs);

/* Appends the metric, beside the count row `of`, with its value or the reason why it has none. Valid until the next
 * row. */
struct row *metric_row_add(struct metric_inputs *inputs, const struct metric *metric, struct item item, size_t of);

/* Appends a row for each of the session's metrics that has an event among these rows, which are of the same
 * scope, run, command and time. clocks: rows of the whole that belong to all scopes. */
void metric_rows_add(struct result *result, const size_t *rows, size_t n, const size_t *clocks, size_t n_clocks);
