/* The language of metrics: what its texts mean, what is wrong with others, values and slopes. With the argument
 * "evaluate" it answers tests/helpers/expressions.py, an evaluator of another make:
 *
 *   metric NAME EXPR     a metric that later ones may name      event NAME VALUE, literal NAME VALUE
 *   value EXPR           prints the value, then NAME=SLOPE for each event that it depends on; or "none"; or "bad"
 */
#include "metric/expr.h"

#include <errno.h>
#include <math.h>

#include "lib/util.h"
#include "metric/metric.h"
#include "tap.h"

/* Names and what they stand for. */
struct setting {
	struct strings events, literals;
	double *values, *literal_values;
	size_t n_values, n_literal_values;
	struct metric **metrics;
	size_t n_metrics;
};

static size_t name_find(struct strings *names, double **values, size_t *n, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->v[i], name) == 0)
			return i;
	strings_add(names, "%s", name);
	*ARRAY_PUSH(*values, *n) = NAN;
	return names->n - 1;
}

static size_t event_find(struct setting *s, const char *name)
{
	return name_find(&s->events, &s->values, &s->n_values, name);
}

static size_t literal_find(struct setting *s, const char *name)
{
	return name_find(&s->literals, &s->literal_values, &s->n_literal_values, name);
}

static void event_set(struct setting *s, const char *name, double value)
{
	size_t i = event_find(s, name); /* which moves the values */

	s->values[i] = value;
}

static void literal_set(struct setting *s, const char *name, double value)
{
	size_t i = literal_find(s, name);

	s->literal_values[i] = value;
}

static void bind(struct setting *s, struct expr *x)
{
	if (x->kind == EXPR_LITERAL) {
		size_t literal = literal_find(s, x->name);

		x->kind = EXPR_NUMBER;
		x->number = s->literal_values[literal];
	} else if (x->kind == EXPR_HAS_EVENT || x->kind == EXPR_CPUID) {
		bool of_event = x->kind == EXPR_HAS_EVENT;
		size_t event = event_find(s, of_event ? x->name : "cpuid"); /* which moves the values */

		x->kind = EXPR_NUMBER;
		x->number = !of_event || !isnan(s->values[event]);
	} else if (x->kind == EXPR_NAME) {
		for (size_t i = 0; i < s->n_metrics && !x->metric; i++)
			if (strcmp(s->metrics[i]->name, x->name) == 0)
				x->metric = s->metrics[i];
		if (!x->metric)
			x->event = event_find(s, x->name);
	}
	for (size_t i = 0; i < EXPR_ARGUMENTS && x->arguments[i]; i++)
		bind(s, x->arguments[i]);
	expr_fold(x);
}

static struct expr *parse(struct setting *s, const char *text)
{
	struct expr *x;
	struct error e;

	if (expr_parse(&x, text, &e) < 0)
		return NULL;
	bind(s, x);
	return x;
}

static void define(struct setting *s, const char *name, const char *text)
{
	struct metric *metric = xcalloc(1, sizeof(*metric));

	metric->name = xstrdup(name);
	metric->text = xstrdup(text);
	metric->index = s->n_metrics;
	metric->expr = parse(s, text);
	*ARRAY_PUSH(s->metrics, s->n_metrics) = metric;
}

static struct expr_output evaluate_by(struct setting *s, const char *text, size_t by, bool *used)
{
	struct expr *x = parse(s, text);
	struct expr_output output = {.value = -HUGE_VAL};

	if (x)
		output = expr_evaluate(x, text, &(struct expr_input){s->values, NULL, s->n_metrics}, by, used);
	output.divisor = output.operand = NULL; /* they go with the tree */
	expr_free(x);
	return output;
}

static void setting_free(struct setting *s)
{
	strings_free(&s->events);
	strings_free(&s->literals);
	free(s->values);
	free(s->literal_values);
	for (size_t i = 0; i < s->n_metrics; i++) {
		free((char *)(uintptr_t)s->metrics[i]->name);
		free((char *)(uintptr_t)s->metrics[i]->text);
		expr_free(s->metrics[i]->expr);
		free(s->metrics[i]);
	}
	free(s->metrics);
}

/* ---- the answers ---- */

static void answer(struct setting *s, const char *text)
{
	struct expr *x = parse(s, text);
	auto_free bool *used = xcalloc(s->n_values + 1, sizeof(*used));
	struct expr_output output;

	if (!x) {
		puts("bad");
		return;
	}
	expr_free(x);
	output = evaluate_by(s, text, SIZE_MAX, used);
	if (isnan(output.value))
		printf("none");
	else
		printf("%.17g", output.value);
	for (size_t i = 0; i < s->n_values && !isnan(output.value); i++)
		if (used[i])
			printf("\t%s=%.17g", s->events.v[i], evaluate_by(s, text, i, NULL).slope);
	putchar('\n');
}

static int answer_all(void)
{
	struct setting s = {.n_metrics = 0};
	auto_free char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		char *rest = line, *word, *name = NULL;

		line[strcspn(line, "\n")] = '\0';
		word = strsep(&rest, "\t");
		if (strcmp(word, "value") != 0)
			name = strsep(&rest, "\t");
		if (strcmp(word, "metric") == 0)
			define(&s, name, rest);
		else if (strcmp(word, "event") == 0)
			event_set(&s, name, strtod(rest, NULL));
		else if (strcmp(word, "literal") == 0)
			literal_set(&s, name, strtod(rest, NULL));
		else
			answer(&s, rest);
	}
	setting_free(&s);
	return 0;
}

/* ---- the tests ---- */

static double value(const char *text)
{
	struct setting s = {.n_metrics = 0};
	double v;

	event_set(&s, "a", 6);
	event_set(&s, "b", 4);
	v = evaluate_by(&s, text, SIZE_MAX, NULL).value;
	setting_free(&s);
	return v;
}

/* With a = 6 and b = 4; c is not known. */
static const struct {
	const char *text;
	double value;
} values[] = {
	{"1e3", 1000},
	{"0x10", 16},
	{".5", 0.5},
	{"2.", 2},
	{"1e-3", 0.001},
	{"1+2*3", 7},
	{"(1+2)*3", 9},
	{"2*3+1", 7},
	{"10-3-2", 5},
	{"64/4/2", 8},
	{"7%4*2", 6},
	{"-a*2", -12},
	{"--a", 6},
	{"2-a", -4},
	{"1<2+3", 1},
	{"1+2<3", 0},
	{"1|6&3", 3},
	{"6^3|8", 13},
	{"5&4^1", 5},
	{"a>1&b>1", 1},
	{"a>1&b>9", 0},
	{"1<2<3", 1},
	{"a==6", 1},
	{"a if b>3 else 9", 6},
	{"a if b>4 else 9", 9},
	{"1 if 0 else 2 if 0 else 3", 3},
	{"(1 if 1 else 2)+1", 2},
	{"1+1 if 1 else 2+2", 2},
	{"min(a,b)", 4},
	{"max(a, b )", 6},
	{"min(max(a,b),5)", 5},
	{"d_ratio(a,b)", 1.5},
	{"d_ratio(a,0)", 0},
	{"has_event(a)", 1},
	{"has_event(c)", 0},
	{"source_count(a)", 1},
	{"strcmp_cpuid_str(0x41)", 1},
	{" a\t/\n b ", 1.5},
	{"4.7|1", 5},
	{"-7%4", -3},
	{"4611686018427387904|1073741824", 4611686019501129728},
	{"9223372036854774784%1000", 784},
	{"a/0 if b>9 else 1", 1},
};

static void test_values(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		double v = value(values[i].text);

		if (!ok(v == values[i].value, values[i].text))
			printf("# got %.17g, expected %.17g\n", v, values[i].value);
	}
	ok(isnan(value("a/(b-4)")) && isnan(value("a%(b-4)")) && isnan(value("1/0")),
	   "a division by zero has no value");
	ok(isnan(value("max(1,a/0)")) && isnan(value("1 if a/0 else 2")) && isnan(value("d_ratio(a/0,0)")),
	   "and a value that depends on one is NAN");
	ok(isnan(value("c+1")), "and so is a value that depends on an event without a value");
	ok(isnan(value("1e308*a*1e10")), "and a value that is too large");
	ok(isnan(value("1e19|a")) && isnan(value("a&-1e19")) && isnan(value("1e19^1e19")) && isnan(value("1e19%7")) &&
		   isnan(value("a%9223372036854775808")),
	   "and bits of a number with more than 64");
}

static void test_names(void)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{"page\\-faults", "page-faults"},
		{"INST_RETIRED.ANY:u", "INST_RETIRED.ANY:u"},
		{"128B_PACKED", "128B_PACKED"},
		{"cpu@INST_DECODED.DECODERS\\,cmask\\=1@", "cpu/INST_DECODED.DECODERS,cmask=1/"},
		{"cha@UNC\\,config1\\=0x40433@", "cha/UNC,config1=0x40433/"},
		{"IDQ.MS_UOPS@cmask\\=1@", "IDQ.MS_UOPS/cmask=1/"},
		{"power@energy\\-pkg@", "power/energy-pkg/"},
		{"cpu@event=0x3c,umask=0@u", "cpu/event=0x3c,umask=0/u"},
		{"min", "min"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *x = NULL;
		struct error e = {0};

		expr_parse(&x, cases[i].text, &e);
		is_string(x ? x->name : e.text, cases[i].name, cases[i].text);
		expr_free(x);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *text, *reason;
		size_t at, length;
	} cases[] = {
		{"", "a value expected at the end", 0, 0},
		{"a +", "a value expected at the end", 3, 0},
		{"a b", "an operator expected, not 'b'", 2, 1},
		{"a + * b", "a value expected, not '*'", 4, 1},
		{"(a", "'(' has no closing ')'", 0, 1},
		{"(a b)", "an operator or ')' expected, not 'b'", 3, 1},
		{"a)", "an operator expected, not ')'", 1, 1},
		{"min(a)", "',' expected, not ')'", 5, 1},
		{"min(a,b,c)", "')' expected, not ','", 7, 1},
		{"has_event(1+2)", "')' expected, not '+'", 11, 1},
		{"a if b", "'else' expected at the end", 6, 0},
		{"if b else c", "a value expected, not 'if'", 0, 2},
		{"a = b", "an operator expected, not '='", 2, 1},
		{"cpu@a", "'@' has no closing '@'", 0, 5},
		{"1e999", "the number '1e999' is too large", 0, 5},
		{"a # b", "an operator expected, not '#'", 2, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct expr *x = NULL;
		struct error e = {0};

		is_number(expr_parse(&x, cases[i].text, &e), -EINVAL, cases[i].text);
		is_string(e.text, cases[i].reason, "its reason");
		ok(e.at == cases[i].at && e.length == cases[i].length, "its token");
	}
}

/* The depth of recursion is bounded. */
static void test_bounds(void)
{
	const size_t n = 200000;
	auto_free char *deep = xcalloc(n, 1), *lefts = xcalloc(n, 1), *minus = xcalloc(n, 1);
	struct expr *x = NULL;
	struct error e;

	memset(deep, '(', n - 1);
	memset(minus, '-', n - 1);
	for (size_t i = 0; i + 1 < n; i++)
		lefts[i] = i % 2 ? '+' : '1';
	is_number(expr_parse(&x, deep, &e), -EINVAL, "too many parentheses");
	is_number(expr_parse(&x, minus, &e), -EINVAL, "too many signs");
	is_number(expr_parse(&x, lefts, &e), -EINVAL, "too many operators");
}

static void test_slopes(void)
{
	static const struct {
		const char *text;
		double by_a, by_b;
	} cases[] = {
		{"a+b", 1, 1},
		{"a-2*b", 1, -2},
		{"-a", -1, 0},
		{"a*b", 4, 6},
		{"a/b", 0.25, -0.375},
		{"a/(a+b)", 0.04, -0.06},
		{"d_ratio(a,b)", 0.25, -0.375},
		{"max(a,b)", 1, 0},
		{"min(a,b)", 0, 1},
		{"a if b>1 else b", 1, 0},
		{"a>b", 0, 0},
		{"m*2", 0.5, -0.75},
	};
	struct setting s = {.n_metrics = 0};

	event_set(&s, "a", 6);
	event_set(&s, "b", 4);
	define(&s, "m", "a/b");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double by_a = evaluate_by(&s, cases[i].text, 0, NULL).slope;
		double by_b = evaluate_by(&s, cases[i].text, 1, NULL).slope;

		if (!ok(fabs(by_a - cases[i].by_a) < 1e-15 && fabs(by_b - cases[i].by_b) < 1e-15, cases[i].text))
			printf("# got %.17g, %.17g\n", by_a, by_b);
	}
	ok(isnan(evaluate_by(&s, "a|1", 0, NULL).slope), "the bits of an estimate have no slope");
	ok(evaluate_by(&s, "a|1", 1, NULL).slope == 0, "the slope by an event that has no effect is 0");
	setting_free(&s);
}

/* Each refers to the previous one twice: without stored values, the last would take forever. */
static void test_many_names(void)
{
	struct setting s = {.n_metrics = 0};

	event_set(&s, "a", 1);
	define(&s, "m0", "a");
	for (int i = 1; i <= 60; i++) {
		auto_free char *name = xasprintf("m%d", i), *text = xasprintf("(m%d+m%d)/2", i - 1, i - 1);

		define(&s, name, text);
	}
	ok(evaluate_by(&s, "m60", SIZE_MAX, NULL).value == 1, "metrics to which many others refer are evaluated once");
	ok(evaluate_by(&s, "m60", 0, NULL).slope == 1, "and so are their slopes");
	setting_free(&s);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "evaluate") == 0)
		return answer_all();
	test_values();
	test_names();
	test_errors();
	test_bounds();
	test_slopes();
	test_many_names();
	return tap_done();
}
