#include "metric/metric_set.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/text.h"
#include "metric/bind.h"
#include "metric/own_name.h"

/* ---- the list's items ---- */

/* Returns the length of the item at s, up to a comma outside of PMU/TERMS/ or the end. files: see own_name.h. */
static size_t item_length(const char *s, const struct event_list *files)
{
	size_t depth = 0, i = 0;
	bool in_terms = false;

	for (size_t n; s[i] && (s[i] != ',' || in_terms || depth); i += n) {
		n = own_name_with_terms(files, s + i);
		if (!n)
			n = own_name_word(s + i);
		if (n)
			continue;
		n = s[i] == '\\' && s[i + 1] ? 2 : 1;
		in_terms ^= s[i] == '@';
		depth += s[i] == '(';
		depth -= s[i] == ')' && depth;
	}
	return i;
}

/* Returns the position of the '=' in NAME=EXPR; SIZE_MAX for other items. */
static size_t find_definition(const char *item)
{
	size_t n = strcspn(item, "=@()<> \\");

	return item[n] == '=' && item[n + 1] != '=' ? n : SIZE_MAX;
}

static bool metric_name_is_valid(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || (name[n] && strchr("_.-:", name[n])))
		n++;
	return n && !name[n];
}

/* ---- the events of a metric ---- */

struct marks {
	bool *events, *metrics; /* the visited ones */
	size_t *order;          /* the events; or NULL */
	size_t n;
};

static void mark(struct marks *m, const struct expr *x)
{
	if (x->metric && !m->metrics[x->metric->index]) {
		m->metrics[x->metric->index] = true;
		mark(m, x->metric->expr);
	}
	if (x->event != SIZE_MAX) {
		if (m->order && !m->events[x->event])
			m->order[m->n++] = x->event;
		m->events[x->event] = true;
	}
	for (size_t i = 0; i < expr_arguments(x); i++)
		mark(m, x->arguments[i]);
}

static size_t visit(const struct metric_set *set, const struct metric *metric, bool *marked, size_t *order)
{
	auto_free bool *metrics = xcalloc(set->catalogue.n + 1, sizeof(*metrics));
	struct marks m = {marked, metrics, order, 0};

	if (metric->state == METRIC_BOUND)
		mark(&m, metric->expr);
	return m.n;
}

void metric_mark_events(const struct metric_set *set, const struct metric *metric, bool *marked)
{
	visit(set, metric, marked, NULL);
}

size_t metric_list_events(const struct metric_set *set, const struct metric *metric, size_t *events)
{
	auto_free bool *marked = xcalloc(set->n_events + 1, sizeof(*marked));

	return visit(set, metric, marked, events);
}

/* True if both count the same under one name. Spellings may differ. Two names of one encoding are two events: a metric
 * may use them to measure how far counters of different groups differ (Intel's tma_info_system_mux). */
static bool events_are_same(const struct event *a, const struct event *b)
{
	return strcmp(a->full_name, b->full_name) == 0 && a->tool == b->tool && a->percore == b->percore &&
	       strcmp(a->only_cpus ? a->only_cpus : "", b->only_cpus ? b->only_cpus : "") == 0 &&
	       memcmp(&a->attr, &b->attr, sizeof(a->attr)) == 0 && a->cpu == b->cpu && a->scale == b->scale &&
	       !a->filter && !b->filter && !a->config1_string && !b->config1_string;
}

static size_t list_find(const struct event_list *list, const struct event *event)
{
	size_t i = 0;

	while (i < list->n && !events_are_same(&list->events[i], event))
		i++;
	return i;
}

/* Adds the marked events to the counted events: events in the list, and copies of the others. */
static void add_marked(struct metric_set *set, const bool *marked, struct event_list *list)
{
	for (size_t i = 0; i < set->n_events; i++) {
		const struct event *event = marked[i] ? &set->resolved.events[set->events[i].at] : NULL;

		if (!event || set->events[i].index != SIZE_MAX)
			continue;
		set->events[i].index = list_find(list, event);
		if (set->events[i].index < list->n)
			continue;
		event_copy(ARRAY_PUSH(list->events, list->n), event);
		list->events[list->n - 1].of_metric = true;
	}
	strings_merge(&list->notes, &set->resolved.notes);
	strings_free(&set->resolved.notes);
}

static void add_metric_events(struct metric_set *set, const struct metric *metric, struct event_list *list)
{
	size_t clock = metric_event_find(set, "duration_time", list);
	auto_free bool *marked = xcalloc(set->n_events, sizeof(*marked));

	metric_mark_events(set, metric, marked);
	if (!memchr(marked, 1, set->n_events)) /* a metric without events appears beside the elapsed time */
		marked[clock] = true;
	add_marked(set, marked, list);
}

/* ---- the metrics ---- */

static bool set_has(const struct metric_set *set, const struct metric *metric)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->chosen[i] == metric)
			return true;
	return false;
}

static int choose_metric(struct metric_set *set, struct metric *metric, const struct metric_context *context,
			 struct error *e)
{
	int error;

	if (set_has(set, metric))
		return 0;
	if (!isfinite(metric->scale))
		return error_set(e, EINVAL, "metric '%s' of %s: the factor of its ScaleUnit is not a finite number",
				 metric->name, metric->path);
	error = metric_bind(set, metric, context, e);
	if (error < 0)
		return error;
	*ARRAY_PUSH(set->chosen, set->n) = metric;
	metric->number = set->n;
	add_metric_events(set, metric, context->list);
	return 0;
}

static int define(struct metric_set *set, const char *item, size_t equals, struct error *e)
{
	char *name = text_trimmed(item, equals), *text = text_trimmed(item + equals + 1, strlen(item + equals + 1));
	const struct metric *before = catalogue_find(&set->catalogue, name, "");

	*ARRAY_PUSH(set->texts.v, set->texts.n) = name;
	*ARRAY_PUSH(set->texts.v, set->texts.n) = text;
	if (!metric_name_is_valid(name))
		return error_set(e, EINVAL,
				 "-M: '%s' is not a metric's name: use letters, digits, '_', '-', '.' and ':'", name);
	if (!*text)
		return error_set(e, EINVAL, "-M: metric '%s' has no expression after '='", name);
	if (before && !before->path)
		return error_set(e, EINVAL, "-M: metric '%s' is defined twice%s", name,
				 strcmp(name, before->name) == 0 ? "" : ": case does not matter");
	catalogue_define(&set->catalogue, name, text);
	return 0;
}

/* Returns the reason why the metric cannot be computed, without its name and the position, to be shown beside its
 * name. */
static char *reason_of(const struct metric *metric, const struct error *e)
{
	auto_free char *prefix = xasprintf("metric '%s' of %s", metric->name, metric->path);
	const char *end = strncmp(e->text, prefix, strlen(prefix)) == 0 ? strstr(e->text + strlen(prefix), ": ") : NULL;

	return xstrdup(end ? end + 2 : e->text);
}

/* Marks the metrics to which this metric refers, and this metric. */
static bool *mark_metrics(const struct metric_set *set, const struct metric *metric)
{
	auto_free bool *events = xcalloc(set->n_events + 1, sizeof(*events));
	bool *metrics = xcalloc(set->catalogue.n + 1, sizeof(*metrics));

	mark(&(struct marks){.events = events, .metrics = metrics}, metric->expr);
	metrics[metric->index] = true;
	return metrics;
}

/* If the metric refers, perhaps through other metrics, to a metric that is defined for each core PMU, chooses a copy of
 * it for each of these PMUs; the metrics between get copies also. Otherwise chooses the metric. */
static int choose_by_pmu(struct metric_set *set, struct metric *metric, const struct metric_context *context,
			 struct error *e)
{
	struct catalogue *c = &set->catalogue;
	size_t n = c->n;
	auto_free bool *metrics = mark_metrics(set, metric);
	auto_strings struct strings pmus = {0};
	int error = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; metrics[i] && *c->v[i]->pmu && k < n; k++)
			if (strcasecmp(c->v[k]->name, c->v[i]->name) == 0 && catalogue_means(c, c->v[k]) &&
			    !strings_has(&pmus, c->v[k]->pmu))
				strings_add(&pmus, "%s", c->v[k]->pmu);
	for (size_t p = 0; p < pmus.n; p++)
		for (size_t i = 0; i < n; i++)
			if (metrics[i] && !*c->v[i]->pmu)
				catalogue_specialize(c, c->v[i], pmus.v[p]);
	for (size_t p = 0; p < pmus.n && error == 0; p++)
		error = choose_metric(set, catalogue_find(c, metric->name, pmus.v[p]), context, e);
	return error < 0 || pmus.n ? error : choose_metric(set, metric, context, e);
}

/* Chooses the metrics of a group, or of a name that several PMUs define. Metrics that cannot be computed get a reason
 * instead of a value, unless none can be computed. */
static int choose_all(struct metric_set *set, const char *name, bool is_group, const struct metric_context *context,
		      struct error *e)
{
	const struct catalogue *c = &set->catalogue;
	size_t found = 0, wrong = 0;
	struct error first = {0};

	for (size_t i = 0; i < c->n; i++) {
		struct metric *metric = c->v[i];

		if (!(is_group ? metric_is_of_group(metric, name) : strcasecmp(metric->name, name) == 0) ||
		    !catalogue_means(c, metric))
			continue;
		found++;
		if (choose_metric(set, metric, context, e) == 0)
			continue;
		if (wrong++ == 0)
			first = *e;
		metric->wrong = reason_of(metric, e);
		*ARRAY_PUSH(set->chosen, set->n) = metric;
		metric->number = set->n;
	}
	if (found && wrong < found)
		return 0;
	*e = first;
	return found ? -e->code : -ENOENT;
}

static int define_item(struct metric_set *set, char *item, const struct metric_context *context, struct error *e)
{
	size_t equals = find_definition(item);

	(void)context;
	return equals == SIZE_MAX ? 0 : define(set, item, equals, e);
}

static int choose_item(struct metric_set *set, char *item, const struct metric_context *context, struct error *e)
{
	struct suggest near = {.word = item};
	size_t equals = find_definition(item);
	struct metric *metric;
	int error;

	if (!*item)
		return error_set(e, EINVAL, "%s: a name is empty", context->option);
	if (equals != SIZE_MAX) {
		auto_free char *name = text_trimmed(item, equals);

		metric = catalogue_find(&set->catalogue, name, "");
		error = metric_bind(set, metric, context, e);
		return error < 0 ? error : choose_by_pmu(set, metric, context, e);
	}
	error = choose_all(set, item, !catalogue_find(&set->catalogue, item, ""), context, e);
	if (error != -ENOENT || e->code)
		return error;
	if (strpbrk(item, "=<>()+*/%@\\"))
		return error_set(e, EINVAL, "%s: NAME=EXPR expected, not '%s'", context->option, item);
	if (set->unread.code) {
		*e = set->unread;
		return -e->code;
	}
	if (vendor_files_have_formula(context->list->vendor->files, item, e))
		return -e->code;
	error_set(e, ENOENT, "%s: no metric or group '%s'%s", context->option, item,
		  set->catalogue.n                        ? ""
		  : context->list->vendor->files->given.n ? "; no file of --metrics has a MetricName and a MetricExpr"
							  : "; no metrics file was found");
	catalogue_suggest(&set->catalogue, &near);
	error_suggest(e, &near);
	return error_hint(e, "--list shows them; -M 'NAME=EXPR' defines one; --metrics=FILE reads a vendor's");
}

static int each_item(struct metric_set *set, const char *list, const struct metric_context *context,
		     int (*add)(struct metric_set *set, char *item, const struct metric_context *context,
				struct error *e),
		     struct error *e)
{
	for (;; list++) {
		size_t n = item_length(list, context->list);
		auto_free char *item = text_trimmed(list, n);
		int error;

		*e = (struct error){0};
		error = add(set, item, context, e);
		list += n;
		if (error < 0 || !*list)
			return error;
	}
}

int metric_set_define(struct metric_set *set, const char *list, const struct metric_context *context, struct error *e)
{
	struct vendor_files *files = context->list->vendor->files;

	if (!set->is_loaded && catalogue_load(&set->catalogue, files, e) < 0) {
		if (files->given.n)
			return -e->code;
		set->unread = *e;
	}
	set->is_loaded = true;
	return each_item(set, list, context, define_item, e);
}

int metric_set_add(struct metric_set *set, const char *list, const struct metric_context *context, struct error *e)
{
	return each_item(set, list, context, choose_item, e);
}

static void add_threshold_events(struct metric_set *set, const struct metric *metric, struct event_list *list)
{
	auto_free bool *marked = xcalloc(set->n_events + 1, sizeof(*marked));
	auto_free bool *metrics = xcalloc(set->catalogue.n + 1, sizeof(*metrics));

	mark(&(struct marks){.events = marked, .metrics = metrics}, metric->threshold_expr);
	add_marked(set, marked, list);
}

void metric_set_judge(struct metric_set *set, const struct metric_context *context)
{
	for (size_t i = 0; i < set->n; i++) {
		if (set->chosen[i]->wrong)
			continue;
		metric_bind_threshold(set, set->chosen[i], context);
		if (context && set->chosen[i]->threshold_expr)
			add_threshold_events(set, set->chosen[i], context->list);
	}
}

void metric_set_free(struct metric_set *set)
{
	catalogue_free(&set->catalogue);
	free(set->chosen);
	for (size_t i = 0; i < set->n_events; i++)
		free(set->events[i].name);
	free(set->events);
	event_list_free(&set->resolved);
	strings_free(&set->texts);
	*set = (struct metric_set){.n = 0};
}
