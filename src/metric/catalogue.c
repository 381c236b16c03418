#include "metric/catalogue.h"

#include <ctype.h>
#include <string.h>

#include "lib/util.h"

static struct formula *add_formula(struct catalogue *c, struct formula formula)
{
	struct formula *copy = xmalloc(sizeof(*copy));

	*copy = formula;
	copy->index = c->n;
	*ARRAY_PUSH(c->v, c->n) = copy;
	return copy;
}

/* "100%", "1per cycle", "64e-6MB/sec"; of "info" none is a number. */
static void take_scale_unit(struct formula *formula, const char *text)
{
	char *end;
	size_t n;

	formula->scale = strtod(text, &end);
	n = (size_t)(end - text);
	if (n == 0 || (isalpha((unsigned char)text[n - 1]) && isalpha((unsigned char)text[n]))) {
		formula->scale = 1;
		n = 0;
	}
	n += strspn(text + n, " ");
	formula->unit = xstrdup(text + n);
	if (strcmp(formula->unit, "%") == 0) /* ratios are fractions, which people see in per cent */
		formula->scale /= 100;
}

static const char *text_of(const struct vendor_object *object, const char *name)
{
	const char *text = vendor_object_get(object, name);

	return text ? text : "";
}

static int take_object(void *arg, const struct vendor_object *object, struct error *e)
{
	struct formula formula = {
		.name = text_of(object, "MetricName"),
		.text = text_of(object, "MetricExpr"),
		.groups = text_of(object, "MetricGroup"),
		.description = text_of(object, "BriefDescription"),
		.threshold = text_of(object, "MetricThreshold"),
		.path = object->path,
	};

	(void)e;
	if (!*formula.name || !*formula.text)
		return 0;
	take_scale_unit(&formula, text_of(object, "ScaleUnit"));
	add_formula(arg, formula);
	return 0;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct catalogue *c = arg;
	const size_t *i = a, *j = b;
	int order = strcasecmp(c->v[*i]->name, c->v[*j]->name);

	return order ? order : (*i > *j) - (*i < *j);
}

int catalogue_load(struct catalogue *c, struct vendor_files *files, struct error *e)
{
	int error = vendor_files_each(files, take_object, c, e);

	if (error < 0)
		return error;
	c->n_sorted = c->n;
	c->by_name = xcalloc(c->n, sizeof(*c->by_name));
	for (size_t i = 0; i < c->n; i++)
		c->by_name[i] = i;
	qsort_r(c->by_name, c->n, sizeof(*c->by_name), compare_names, c);
	return 0;
}

struct formula *catalogue_define(struct catalogue *c, const char *name, const char *text)
{
	return add_formula(c, (struct formula){.name = name,
					       .text = text,
					       .groups = "",
					       .description = "",
					       .threshold = "",
					       .scale = 1,
					       .unit = xstrdup("")});
}

struct formula *catalogue_find(const struct catalogue *c, const char *name)
{
	size_t low = 0, high = c->n_sorted;

	for (size_t i = c->n; i-- > c->n_sorted;)
		if (strcasecmp(c->v[i]->name, name) == 0)
			return c->v[i];
	while (low < high) { /* the first that is not before the name */
		size_t middle = low + (high - low) / 2;

		if (strcasecmp(c->v[c->by_name[middle]]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < c->n_sorted && strcasecmp(c->v[c->by_name[low]]->name, name) == 0)
		return c->v[c->by_name[low]];
	return NULL;
}

/* The groups' names one after the other: the length of the first, or 0 at the end. */
static size_t next_group(const char **groups)
{
	*groups += strspn(*groups, "; ");
	return strcspn(*groups, ";");
}

bool formula_is_of_group(const struct formula *formula, const char *group)
{
	const char *groups = formula->groups;

	for (size_t n; (n = next_group(&groups)); groups += n)
		if (strncasecmp(groups, group, n) == 0 && !group[n])
			return true;
	return false;
}

void catalogue_suggest(const struct catalogue *c, struct suggest *s)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *groups = c->v[i]->groups;

		suggest_offer(s, c->v[i]->name);
		for (size_t n; (n = next_group(&groups)); groups += n) {
			auto_free char *group = xstrndup(groups, n);

			suggest_offer(s, group);
		}
	}
}

void catalogue_free(struct catalogue *c)
{
	for (size_t i = 0; i < c->n; i++) {
		expr_free(c->v[i]->expr);
		expr_free(c->v[i]->threshold_expr);
		free(c->v[i]->unit);
		free(c->v[i]->wrong);
		free(c->v[i]);
	}
	free(c->v);
	free(c->by_name);
	*c = (struct catalogue){.n = 0};
}
