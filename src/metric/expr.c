/* Trees of expressions, and their values, each with its derivative by one of the events: forward differentiation. */
#include "metric/expr.h"

#include <math.h>
#include <string.h>

#include "lib/util.h"
#include "metric/metric.h"

void expr_free(struct expr *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < EXPR_ARGUMENTS; i++)
		expr_free(x->arguments[i]);
	free(x->name);
	free(x);
}

size_t expr_arguments(const struct expr *x)
{
	size_t n = 0;

	while (n < EXPR_ARGUMENTS && x->arguments[n])
		n++;
	return n;
}

/* Replaces the node by one of its arguments. */
static void become(struct expr *x, size_t argument)
{
	struct expr *chosen = x->arguments[argument];

	x->arguments[argument] = NULL;
	for (size_t i = 0; i < EXPR_ARGUMENTS; i++)
		expr_free(x->arguments[i]);
	free(x->name);
	*x = *chosen;
	free(chosen);
}

void expr_fold(struct expr *x)
{
	const struct expr_input none = {.n_metrics = 0};
	struct expr_output output;

	if (x->kind == EXPR_IF) {
		if (x->arguments[1]->kind == EXPR_NUMBER)
			become(x, x->arguments[1]->number != 0 ? 0 : 2);
		return;
	}
	for (size_t i = 0; i < EXPR_ARGUMENTS && x->arguments[i]; i++)
		if (x->arguments[i]->kind != EXPR_NUMBER)
			return;
	if (!x->arguments[0])
		return;
	output = expr_evaluate(x, "", &none, SIZE_MAX, NULL);
	if (isnan(output.value)) /* a division by zero is reported on evaluation */
		return;
	x->number = output.value;
	x->kind = EXPR_NUMBER;
	for (size_t i = 0; i < EXPR_ARGUMENTS; i++) {
		expr_free(x->arguments[i]);
		x->arguments[i] = NULL;
	}
}

/* ---- evaluation ---- */

/* A value with its slope. */
struct dual {
	double value, slope;
};

struct evaluation {
	const struct expr_input *input;
	size_t by;
	bool *used;
	const char *text; /* of the metric that is evaluated */
	struct expr_output *output;
	struct dual *known; /* per metric: a metric to which many others refer is evaluated once */
	bool *is_known;
};

static const struct dual nothing = {NAN, NAN};

static struct dual evaluate(struct evaluation *v, const struct expr *x);

static struct dual constant(double value)
{
	return (struct dual){value, 0};
}

/* The first reason is reported. */
static struct dual blame(struct evaluation *v, const struct expr *x, const struct expr **reason)
{
	const struct expr_output *o = v->output;

	if (!o->divisor && !o->operand && o->missing == SIZE_MAX) {
		*reason = x;
		v->output->text = v->text;
	}
	return nothing;
}

static struct dual divide(struct evaluation *v, const struct expr *x, struct dual a, struct dual b)
{
	if (isnan(a.value) || isnan(b.value))
		return nothing;
	if (b.value == 0)
		return blame(v, x, &v->output->divisor);
	return (struct dual){a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
}

/* perf also casts to 64 bits, but without this check. */
static bool fits_64_bits(double v)
{
	return fabs(v) < 0x1p63;
}

/* Applies an operator to whole numbers. Steps have slope 0, so the slope of bits of an estimate is unknown. */
static struct dual of_whole(struct evaluation *v, const struct expr *x, struct dual a, struct dual b)
{
	int64_t m, n;
	double slope = a.slope == 0 && b.slope == 0 ? 0 : NAN;

	if (isnan(a.value) || isnan(b.value))
		return nothing;
	if (!fits_64_bits(a.value) || !fits_64_bits(b.value))
		return blame(v, x->arguments[fits_64_bits(a.value)], &v->output->operand);
	m = (int64_t)a.value;
	n = (int64_t)b.value;
	if (x->sign == '&')
		return (struct dual){(double)(m & n), slope};
	if (x->sign == '|')
		return (struct dual){(double)(m | n), slope};
	if (x->sign == '^')
		return (struct dual){(double)(m ^ n), slope};
	if (n == 0)
		return divide(v, x->arguments[1], a, constant(0));
	return (struct dual){n == -1 ? 0 : (double)(m % n), b.slope == 0 ? a.slope : NAN};
}

static struct dual compare(char sign, struct dual a, struct dual b)
{
	if (isnan(a.value) || isnan(b.value))
		return nothing;
	return constant(sign == '<' ? a.value < b.value : sign == '>' ? a.value > b.value : a.value == b.value);
}

static struct dual evaluate_binary(struct evaluation *v, const struct expr *x)
{
	struct dual a = evaluate(v, x->arguments[0]), b = evaluate(v, x->arguments[1]);

	switch (x->sign) {
	case '+':
		return (struct dual){a.value + b.value, a.slope + b.slope};
	case '-':
		return (struct dual){a.value - b.value, a.slope - b.slope};
	case '*':
		return (struct dual){a.value * b.value, a.slope * b.value + a.value * b.slope};
	case '/':
		return divide(v, x->arguments[1], a, b);
	case '<':
	case '>':
	case '=':
		return compare(x->sign, a, b);
	default:
		return of_whole(v, x, a, b);
	}
}

/* Returns one of the two values: the other does not affect the result, but both must be known. */
static struct dual choose_operand(struct dual a, struct dual b, bool larger)
{
	if (isnan(a.value) || isnan(b.value))
		return nothing;
	return (a.value > b.value) == larger ? a : b;
}

static struct dual evaluate_event(struct evaluation *v, size_t event)
{
	double value = v->input->values ? v->input->values[event] : NAN;

	if (v->used)
		v->used[event] = true;
	if (!isnan(value))
		return (struct dual){value, event == v->by};
	if (v->output->missing == SIZE_MAX && !v->output->divisor && !v->output->operand)
		v->output->missing = event;
	return nothing;
}

static struct dual evaluate_metric(struct evaluation *v, const struct metric *metric)
{
	const char *text = v->text;

	if (!v->is_known[metric->index]) {
		v->text = metric->text;
		v->known[metric->index] = evaluate(v, metric->expr);
		v->is_known[metric->index] = true;
		v->text = text;
	}
	return v->known[metric->index];
}

static struct dual evaluate_call(struct evaluation *v, const struct expr *x)
{
	struct dual a, b;

	if (x->kind == EXPR_SOURCE_COUNT)
		return constant(v->input->source_counts && x->event != SIZE_MAX ? v->input->source_counts[x->event]
										: 1);
	a = evaluate(v, x->arguments[0]);
	b = evaluate(v, x->arguments[1]);
	if (x->kind == EXPR_D_RATIO)
		return b.value == 0 && !isnan(a.value) ? constant(0) : divide(v, x->arguments[1], a, b);
	return choose_operand(a, b, x->kind == EXPR_MAX);
}

static struct dual evaluate(struct evaluation *v, const struct expr *x)
{
	struct dual a;

	if (!x) /* there are fewer arguments */
		return nothing;
	switch (x->kind) {
	case EXPR_NUMBER:
		return constant(x->number);
	case EXPR_NAME:
		if (x->metric)
			return evaluate_metric(v, x->metric);
		a = evaluate_event(v, x->event);
		return (struct dual){a.value * x->factor, a.slope * x->factor};
	case EXPR_NEGATE:
		a = evaluate(v, x->arguments[0]);
		return (struct dual){-a.value, -a.slope};
	case EXPR_BINARY:
		return evaluate_binary(v, x);
	case EXPR_IF:
		a = evaluate(v, x->arguments[1]);
		return isnan(a.value) ? nothing : evaluate(v, x->arguments[a.value != 0 ? 0 : 2]);
	case EXPR_MIN:
	case EXPR_MAX:
	case EXPR_D_RATIO:
	case EXPR_SOURCE_COUNT:
		return evaluate_call(v, x);
	case EXPR_LITERAL:
	case EXPR_HAS_EVENT:
	case EXPR_CPUID:
		break; /* replaced by numbers when the tree was bound */
	}
	return nothing;
}

struct expr_output expr_evaluate(const struct expr *x, const char *text, const struct expr_input *input, size_t by,
				 bool *used)
{
	size_t n = input->n_metrics;
	auto_free struct dual *known = n ? xcalloc(n, sizeof(*known)) : NULL;
	auto_free bool *is_known = n ? xcalloc(n, sizeof(*is_known)) : NULL;
	struct expr_output output = {.missing = SIZE_MAX};
	struct evaluation v = {input, by, used, text, &output, known, is_known};
	struct dual result = evaluate(&v, x);

	output.value = isfinite(result.value) ? result.value : NAN;
	output.slope = result.slope;
	return output;
}
