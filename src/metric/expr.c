#include "metric/expr.h"

#include <math.h>

#include "lib/util.h"

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

/* Become another node, which is one of the arguments. */
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
	if (isnan(output.value)) /* a division by zero is for whoever wants the value */
		return;
	x->number = output.value;
	x->kind = EXPR_NUMBER;
	for (size_t i = 0; i < EXPR_ARGUMENTS; i++) {
		expr_free(x->arguments[i]);
		x->arguments[i] = NULL;
	}
}
