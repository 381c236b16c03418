/* Terms as text, and the terms that all events have. */
#include <errno.h>
#include <string.h>

#include "lib/cpuset.h"
#include "lib/text.h"
#include "lib/util.h"
#include "pmu/pmu.h"
#include "pmu/terms_internal.h"

void terms_free(struct terms *terms)
{
	free(terms->text);
	free(terms->v);
}

size_t terms_span(const char *s, const char *stop)
{
	bool quoted = false;
	size_t n;

	for (n = 0; s[n]; n++) {
		if (s[n] == '\'')
			quoted = !quoted;
		else if (!quoted && strchr(stop, s[n]))
			break;
	}
	return n;
}

void terms_split(struct terms *terms, const char *text, size_t n, size_t at)
{
	*terms = (struct terms){.text = xstrndup(text, n)};
	for (char *s = n ? terms->text : NULL, *next; s; s = next) {
		struct term *t = ARRAY_PUSH(terms->v, terms->n);
		size_t length = terms_span(s, ",");

		next = s[length] ? s + length + 1 : NULL;
		s[length] = '\0';
		*t = (struct term){s, strchr(s, '='), at + (size_t)(s - terms->text), length};
		if (t->value)
			*t->value++ = '\0';
	}
}

int term_value_error(const struct term *t, struct error *e)
{
	if (!t->value)
		return error_token(e, t->at, t->length);
	return error_token(e, t->at + (size_t)(t->value - t->name), strlen(t->value));
}

int term_number(const struct term *t, uint64_t *value, struct error *e)
{
	int ret;

	*value = 1;
	ret = t->value ? parse_number(t->value, value) : 0;
	if (ret == -ERANGE)
		error_set(e, ERANGE, "value %s of term '%s' does not fit into 64 bits", t->value, t->name);
	else if (ret)
		error_set(e, EINVAL, "value '%s' of term '%s' is not a number", t->value, t->name);
	else
		return 0;
	return term_value_error(t, e);
}

/* Parses name=TEXT or name='TEXT'. */
static int term_name(struct event *event, const struct term *t, struct error *e)
{
	const char *value = t->value ? t->value : "";
	size_t n = strlen(value);

	if (n >= 2 && value[0] == '\'' && value[n - 1] == '\'') {
		value++;
		n -= 2;
	}
	if (n == 0)
		return error_set_at(e, EINVAL, t->at, t->length, "term 'name' needs a value");
	free(event->name);
	event->name = xstrndup(value, n);
	return 0;
}

/* Parses cpu=0, cpu=1-2 or cpu=PMU, which means its CPUs; several add up, as in perf. */
static int term_cpu(const char *root, struct event *event, const struct term *t, struct error *e)
{
	auto_cpuset struct cpuset cpus = {0};
	const char *value = t->value ? t->value : "";
	char list[PMU_TEXT_MAX];
	struct error ignored;
	uint32_t type;
	ssize_t n;

	if (event->only_cpus)
		cpuset_parse(&cpus, event->only_cpus, &ignored);
	if (cpuset_parse(&cpus, value, &ignored) < 0) {
		if (pmu_type(root, value, &type) < 0) {
			error_set(e, EINVAL, "term 'cpu' needs a CPU, a range of CPUs or a PMU of this machine");
			return term_value_error(t, e);
		}
		n = pmu_cpus(root, value, list, sizeof(list));
		if (n == -ENOENT) /* the PMU counts on any CPU */
			return 0;
		if (n < 0 || cpuset_parse(&cpus, list, &ignored) < 0)
			return error_set_at(e, EINVAL, t->at, t->length, "the list of CPUs of PMU '%s' cannot be used",
					    value);
	}
	free(event->only_cpus);
	event->only_cpus = cpuset_text(&cpus);
	return 0;
}

/* Terms of perf that have no effect on counting, and that perf stat silently ignores. */
static const struct {
	const char *name;
	bool is_number;
	const char *why; /* NULL: it has no effect on counting */
} ignored_terms[] = {
	{"period", true, NULL},
	{"freq", true, NULL},
	{"time", false, NULL},
	{"branch_type", false, NULL},
	{"call-graph", false, NULL},
	{"stack-size", false, NULL},
	{"max-stack", false, NULL},
	{"nr", false, NULL},
	{"overwrite", false, NULL},
	{"no-overwrite", false, NULL},
	{"aux-output", false, NULL},
	{"aux-action", false, NULL},
	{"aux-sample-size", false, NULL},
	{"ratio-to-prev", false, NULL},
	{"metric-id", false, NULL},
	{"inherit", false, NULL},
	{"no-inherit", false, "-i counts all events without children"},
};

/* Returns -ENOENT for other terms. */
static int term_ignored(struct event *event, const struct term *t, struct error *e)
{
	auto_free char *text = NULL;
	uint64_t number;
	size_t i = 0;

	while (i < ARRAY_SIZE(ignored_terms) && strcmp(ignored_terms[i].name, t->name) != 0)
		i++;
	if (i == ARRAY_SIZE(ignored_terms))
		return -ENOENT;
	if (ignored_terms[i].is_number && term_number(t, &number, e))
		return -e->code;
	text = xasprintf("term %s is ignored: %s", t->name,
			 ignored_terms[i].why ? ignored_terms[i].why : "it has no effect on counting");
	event_remark(event, text);
	return 0;
}

int term_common(const char *root, struct event *event, const struct term *t, struct error *e)
{
	uint64_t number;

	if (strcmp(t->name, "name") == 0)
		return term_name(event, t, e);
	if (strcmp(t->name, "cpu") == 0)
		return term_cpu(root, event, t, e);
	if (strcmp(t->name, "percore") != 0)
		return term_ignored(event, t, e);
	if (term_number(t, &number, e))
		return -e->code;
	event->percore = number != 0;
	return 0;
}

/* config, config1, …: sets the whole field. */
static int term_whole(struct event *event, const struct term *t, const struct pmu_format *format, struct error *e)
{
	uint64_t number;
	char *before = event->full_name;

	if (term_number(t, &number, e))
		return -e->code;
	if (pmu_format_set(format, number, &event->attr) < 0)
		return term_value_error(t, e);
	event->full_name = xasprintf("%s,%s=0x%llx", before, t->name, (unsigned long long)number);
	free(before);
	return 0;
}

int terms_apply_common(const char *text, size_t n, size_t at, struct event *event, struct error *e)
{
	__attribute__((cleanup(terms_free))) struct terms terms = {0};
	struct pmu_format format;
	int ret = 0;

	terms_split(&terms, text, n, at);
	for (size_t i = 0; i < terms.n && ret == 0; i++) {
		const struct term *t = &terms.v[i];

		ret = pmu_format_whole(t->name, &format) ? term_whole(event, t, &format, e)
							 : term_common(SYSFS_ROOT, event, t, e);
		if (ret == -ENOENT)
			error_set_at(e, ENOENT, t->at, t->length,
				     "kernel events have no term '%s'; their terms are name, cpu, percore and config "
				     "to config4",
				     t->name);
	}
	return ret;
}
