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

/* standard: a metric of Arm's architecture. True if a CPU's file names it without an expression, so that it is added.
 * If the CPU's file has an expression, only the spelling, missing groups and a missing description are taken from it.
 */
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

/* Returns the number of chips, from the driver of Power's counters outside of the cores; 0 without it. */
static long count_chips(void)
{
	char text[32];
	long chips;

	if (file_readf(text, sizeof(text), SYSFS_ROOT "/hv_24x7/interface/sockets") <= 0 ||
	    parse_long(text, 1, 4096, &chips))
		return 0;
	return chips;
}

/* Returns the text with the chip for each '?'. */
static const char *text_of_chip(struct catalogue *c, const char *text, long chip)
{
	char *copy = NULL;
	size_t size;
	FILE *out = xopen_memstream(&copy, &size);

	for (const char *s = text, *mark; *s; s = mark + (*mark == '?')) {
		mark = strchrnul(s, '?');
		fwrite(s, 1, (size_t)(mark - s), out);
		if (*mark)
			fprintf(out, "%ld", chip);
	}
	fclose(out);
	*ARRAY_PUSH(c->texts.v, c->texts.n) = copy;
	return copy;
}

/* Adds a metric of one chip. */
static void add_of_chip(struct catalogue *c, const struct metric *metric, long chip)
{
	struct metric one = *metric;

	one.text = text_of_chip(c, metric->text, chip);
	one.threshold = text_of_chip(c, metric->threshold, chip);
	one.chip = text_of_chip(c, CATALOGUE_CHIP "?", chip);
	strings_add(&c->texts, "%s%s", metric->name, one.chip);
	one.name = c->texts.v[c->texts.n - 1];
	strings_add(&c->texts, "%s%s%s", metric->name, *metric->groups ? ";" : "", metric->groups);
	one.groups = c->texts.v[c->texts.n - 1];
	one.unit = xstrdup(metric->unit);
	one.pmu = xstrdup(metric->pmu);
	add_metric(c, one);
}

/* Adds a metric of a file: for each chip if the file says so. */
static void add_of_file(struct catalogue *c, struct metric metric, const struct vendor_object *object)
{
	long chips = strcmp(text_of(object, "AggregationMode"), "PerChip") == 0 ? count_chips() : 0;

	if (chips == 0) {
		add_metric(c, metric);
		return;
	}
	for (long chip = 0; chip < chips; chip++)
		add_of_chip(c, &metric, chip);
	free(metric.unit);
	free(metric.pmu);
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
	add_of_file(l->c, metric, object);
	return 0;
}

int catalogue_load(struct catalogue *c, struct vendor_files *files, struct error *e)
{
	struct loading loading = {.c = c};
	int error = vendor_files_each(files, take_object, &loading, e);

	strings_free(&loading.named);
	if (error < 0)
		return error;
	c->n_of_files = c->n;
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

static bool is_here(const struct metric *metric)
{
	uint32_t type;

	return !*metric->pmu || pmu_type(SYSFS_ROOT, metric->pmu, &type) != -ENOENT;
}

static bool is_for(const struct metric *metric, const char *pmu)
{
	return !*metric->pmu || strcmp(metric->pmu, pmu) == 0;
}

static bool has_name(const struct metric *metric, const char *name)
{
	return strcasecmp(metric->name, name) == 0;
}

struct metric *catalogue_find(const struct catalogue *c, const char *name, const char *pmu)
{
	struct metric *first = NULL;

	for (size_t i = c->n; i-- > c->n_of_files;)
		if (has_name(c->v[i], name) && is_for(c->v[i], pmu))
			return c->v[i];
	for (size_t i = 0; i < c->n_of_files; i++) {
		struct metric *metric = c->v[i];

		if (!has_name(metric, name))
			continue;
		first = first ? first : metric;
		if (*pmu ? is_for(metric, pmu) : is_here(metric))
			return metric;
	}
	return *pmu ? NULL : first;
}

bool catalogue_means(const struct catalogue *c, const struct metric *metric)
{
	if (catalogue_find(c, metric->name, metric->pmu) != metric)
		return false;
	if (is_here(metric) || metric->index >= c->n_of_files)
		return true;
	for (size_t i = 0; i < c->n_of_files; i++)
		if (has_name(c->v[i], metric->name) && is_here(c->v[i]))
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
	strings_free(&c->texts);
	*c = (struct catalogue){.n = 0};
}
