/* Any text as a metric's expression, and as an argument of -M: an error has a reason and a token of the text; a valid
 * expression has a value or a reason for having none, and slopes by its events. */
#include "metric/expr.h"

#include <math.h>

#include "fuzz.h"
#include "lib/util.h"
#include "metric/metric.h"

#define TEXT_MAX 20000

/* Names are three events; one of them has no value. */
static void bind(struct expr *x)
{
	if (x->kind == EXPR_LITERAL || x->kind == EXPR_HAS_EVENT || x->kind == EXPR_CPUID) {
		x->kind = EXPR_NUMBER;
		x->number = (double)strlen(x->name);
	} else if (x->kind == EXPR_NAME || x->kind == EXPR_SOURCE_COUNT) {
		x->event = strlen(x->name) % 3;
	}
	check(x->length > 0);
	for (size_t i = 0; i < EXPR_ARGUMENTS && x->arguments[i]; i++)
		bind(x->arguments[i]);
	expr_fold(x);
}

static void try_values(const struct expr *x, const char *text)
{
	const double values[] = {7, 0, NAN};
	const struct expr_input input = {values, NULL, 0};
	bool used[3] = {false};
	struct expr_output output = expr_evaluate(x, text, &input, SIZE_MAX, used);

	check(output.missing == SIZE_MAX || (output.missing == 2 && used[2]));
	check(!isinf(output.value));
	for (size_t i = 0; i < 3; i++) {
		struct expr_output slope = expr_evaluate(x, text, &input, i, NULL);

		check(slope.value == output.value || (isnan(slope.value) && isnan(output.value)));
		check(used[i] || isnan(slope.slope) || slope.slope == 0);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	auto_free char *text = xstrndup((const char *)data, size < TEXT_MAX ? size : TEXT_MAX);
	struct error e = {0};
	struct expr *x;

	if (expr_parse(&x, text, &e) < 0) {
		check(!x && e.code > 0 && e.text[0]);
		check(e.at <= strlen(text) && e.length <= strlen(text) - e.at);
		return 0;
	}
	check(e.code == 0);
	bind(x);
	try_values(x, text);
	expr_free(x);
	return 0;
}
