#include "metric/catalogue.h"

#include <errno.h>
#include <string.h>

#include "lib/util.h"
#include "pmu/pmu.h"
#include "pmu/vendor_events.h"

static struct metric *add_metric(struct catalogue *c, struct metric metric)
{
	struct metric *copy = xmalloc(sizeof(*copy));

	*copy = metric;
	copy->index = c->n;
	*ARRAY_PUSH(c->v, c->n) = copy;
	return copy;
}

static const char *text_of(const struct vendor_object *object, const char *name)
{
	const char *text = vendor_object_get(object, name);

	return text ? text : "";
}

/* Returns the core PMU of a metric's Unit. Other units name the PMU of the metric's events, as do the names of the
 * events. */
static char *core_pmu(const char *unit)
{
	char *pmu = vendor_unit_pmu(unit);

	if (strncmp(pmu, "cpu_", 4) != 0 && strncmp(pmu, "armv", 4) != 0)
		*pmu = '\0';
	return pmu;
}

/* State of catalogue_load across objects. */
struct loading {
	struct catalogue *c;
	struct strings named; /* each ArchStdEvent, which may be a metric: "FRONTEND_BOUND" */
};

/* True if an object names this metric of Arm's architecture without an expression. An object with an expression takes
 * from the architecture only the spelling, missing groups and a missing description. */
static bool names_standard(const struct loading *l, const struct metric *standard)
{
	bool named = false;

	for (size_t i = 0; i < l->named.n; i++)
		named |= strcasecmp(l->named.v[i], standard->name) == 0;
	for (size_t i = 0; i < l->c->n && named; i++) {
		struct metric *own = l->c->v[i];

		if (strcasecmp(own->name, standard->name) != 0)
			continue;
		own->name = standard->name;
		own->groups = *own->groups ? own->groups : standard->groups;
		own->description = *own->description ? own->description : standard->description;
		named = false;
	}
	return named;
}

static int take_object(void *arg, const struct vendor_object *object, struct error *e)
{
	struct loading *l = arg;
	const char *architecture = text_of(object, "ArchStdEvent"), *unit;
	struct metric metric = {
		.name = text_of(object, "MetricName"),
		.text = text_of(object, "MetricExpr"),
		.groups = text_of(object, "MetricGroup"),
		.description = text_of(object, "BriefDescription"),
		.threshold = text_of(object, "MetricThreshold"),
		.path = object->path,
	};

	(void)e;
	if (*architecture && !*metric.name) {
		strings_add(&l->named, "%s", architecture);
		metric.name = architecture;
	}
	if (!*metric.name || !*metric.text || (object->standard && !names_standard(l, &metric)))
		return 0;
	vendor_scale_unit(text_of(object, "ScaleUnit"), &metric.scale, &unit);
	metric.unit = xstrdup(unit);
	metric.pmu = core_pmu(vendor_object_get(object, "Unit"));
	add_metric(l->c, metric);
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
	struct loading loading = {.c = c};
	int error = vendor_files_each(files, take_object, &loading, e);

	strings_free(&loading.named);
	if (error < 0)
		return error;
	c->n_sorted = c->n;
	c->by_name = xcalloc(c->n, sizeof(*c->by_name));
	for (size_t i = 0; i < c->n; i++)
		c->by_name[i] = i;
	qsort_r(c->by_name, c->n, sizeof(*c->by_name), compare_names, c);
	return 0;
}

struct metric *catalogue_specialize(struct catalogue *c, const struct metric *metric, const char *pmu)
{
	struct metric copy = *metric;

	copy.unit = xstrdup(metric->unit);
	copy.pmu = xstrdup(pmu);
	copy.expr = copy.threshold_expr = NULL;
	copy.state = METRIC_UNBOUND;
	copy.wrong = NULL;
	copy.estimate = NULL;
	return add_metric(c, copy);
}

struct metric *catalogue_define(struct catalogue *c, const char *name, const char *text)
{
	return add_metric(c, (struct metric){.name = name,
					     .text = text,
					     .groups = "",
					     .description = "",
					     .threshold = "",
					     .scale = 1,
					     .unit = xstrdup(""),
					     .pmu = xstrdup("")});
}

/* Returns the first definition of this name in the files, as an index into by_name, or n_sorted. */
static size_t find_first(const struct catalogue *c, const char *name)
{
	size_t low = 0, high = c->n_sorted;

	while (low < high) { /* finds the first definition that is not before the name */
		size_t middle = low + (high - low) / 2;

		if (strcasecmp(c->v[c->by_name[middle]]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->n_sorted && strcasecmp(c->v[c->by_name[low]]->name, name) == 0 ? low : c->n_sorted;
}

/* Returns the next definition of the same name after the definition at *at, or NULL. */
static struct metric *find_next(const struct catalogue *c, size_t *at)
{
	const char *name = c->v[c->by_name[*at]]->name;

	if (++*at == c->n_sorted || strcasecmp(c->v[c->by_name[*at]]->name, name) != 0)
		return NULL;
	return c->v[c->by_name[*at]];
}

static bool is_here(const struct metric *metric)
{
	uint32_t type;

	return !*metric->pmu || pmu_type(SYSFS_ROOT, metric->pmu, &type) != -ENOENT;
}

static bool is_for(const struct metric *metric, const char *pmu)
{
	return !*metric->pmu || strcmp(metric->pmu, pmu) == 0;
}

struct metric *catalogue_find(const struct catalogue *c, const char *name, const char *pmu)
{
	size_t at = find_first(c, name);
	struct metric *first = at < c->n_sorted ? c->v[c->by_name[at]] : NULL;

	for (size_t i = c->n; i-- > c->n_sorted;)
		if (strcasecmp(c->v[i]->name, name) == 0 && is_for(c->v[i], pmu))
			return c->v[i];
	if (!first || !*first->pmu)
		return first;
	for (struct metric *f = first; f; f = find_next(c, &at))
		if (*pmu ? is_for(f, pmu) : is_here(f))
			return f;
	return *pmu ? NULL : first;
}

bool catalogue_means(const struct catalogue *c, const struct metric *metric)
{
	size_t at = find_first(c, metric->name);

	if (catalogue_find(c, metric->name, metric->pmu) != metric)
		return false;
	if (is_here(metric) || metric->index >= c->n_sorted)
		return true;
	for (const struct metric *f = c->v[c->by_name[at]]; f; f = find_next(c, &at))
		if (is_here(f))
			return false;
	return true;
}

/* Iterates over the groups' names: returns the length of the first one, or 0 at the end. */
static size_t next_group(const char **groups)
{
	*groups += strspn(*groups, "; ");
	return strcspn(*groups, ";");
}

bool metric_is_of_group(const struct metric *metric, const char *group)
{
	const char *groups = metric->groups;

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
		free(c->v[i]->pmu);
		free(c->v[i]->wrong);
		free(c->v[i]);
	}
	free(c->v);
	free(c->by_name);
	*c = (struct catalogue){.n = 0};
}
