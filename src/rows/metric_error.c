/* The error of a metric, from the errors of its events. */
#include "rows/metric_rows.h"

#include "plan/plan.h"

static int input_group(const struct metric_inputs *inputs, size_t event)
{
	const struct row *row = metric_inputs_row(inputs, event);

	return row ? row->group : 0;
}

/* Returns the part of the metric's half-width that is due to the event. */
static double contribution(const struct metric_inputs *inputs, size_t event)
{
	const struct row *row = metric_inputs_row(inputs, event);

	return !row || isnan(row->error) ? 0 : inputs->v[event].slope * row->error / inputs->v[event].unit;
}

/* Returns twice the covariance of two events of a group, both scaled. */
static double joint_contribution(const struct metric_inputs *inputs, size_t i, size_t k)
{
	const struct row *a = metric_inputs_row(inputs, i), *b = metric_inputs_row(inputs, k);
	double ratio = a->ratio_errors ? a->ratio_errors[b->item->event - inputs->result->session.plan->events] : NAN;
	double error_a = contribution(inputs, i), error_b = contribution(inputs, k), joint;
	double relative_a = a->error / value_real(a->value), relative_b = b->error / value_real(b->value);

	if (error_a == 0 || error_b == 0)
		return 0;
	joint = (relative_a * relative_a + relative_b * relative_b - ratio * ratio) / (2 * relative_a * relative_b);
	if (isnan(joint))
		return inputs->of_usual ? 0 : 2 * fabs(error_a * error_b);
	if (!inputs->of_usual) /* the error of a plain ratio is the error of the ratio */
		joint = joint > 1 ? 1 : joint < -1 ? -1 : joint;
	return 2 * error_a * error_b * joint;
}

/* Returns the variance of the used events of the group whose first event this is, times the square of the factor for an
 * interval; 0 for other events. The pairs' covariances are estimates: the result is never negative. */
static double group_variance(const struct metric_inputs *inputs, size_t event)
{
	double alone = 0, joint = 0;

	for (size_t i = 0; i < inputs->n; i++) {
		if (!inputs->used[i] || input_group(inputs, i) != input_group(inputs, event))
			continue;
		if (i < event)
			return 0;
		alone += contribution(inputs, i) * contribution(inputs, i);
		for (size_t k = i + 1; k < inputs->n && input_group(inputs, i); k++)
			if (inputs->used[k] && input_group(inputs, k) == input_group(inputs, i))
				joint += joint_contribution(inputs, i, k);
	}
	return alone + joint >= 0 ? alone + joint : alone;
}

bool metric_has_error(const struct metric_inputs *inputs)
{
	bool has = false;

	for (size_t i = 0; i < inputs->n && !has; i++) {
		const struct row *row = inputs->used[i] ? metric_inputs_row(inputs, i) : NULL;

		has = row && (row->status == STATUS_SCALED || !isnan(row->error));
	}
	return has;
}

double metric_error(const struct metric_inputs *inputs)
{
	double variance = 0;
	bool any = false;

	for (size_t i = 0; i < inputs->n; i++) {
		const struct row *row = inputs->used[i] ? metric_inputs_row(inputs, i) : NULL;

		if (!row)
			continue;
		/* also if the slope is 0: with the true count, a comparison in the expression may turn out otherwise */
		if (isnan(inputs->v[i].slope) || (row->status == STATUS_SCALED && isnan(row->error)))
			return NAN;
		any |= !isnan(row->error);
		variance += group_variance(inputs, i);
	}
	return any ? sqrt(variance) : NAN;
}
