/* Binds the names of an expression to metrics, events and facts of the machine. Branches that are not taken on this
 * machine are not bound. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "metric/bind.h"
#include "metric/literal.h"
#include "metric/metric_unit.h"
#include "metric/own_name.h"
#include "pmu/pmu.h"
#include "resolve/resolve.h"

#define DEPTH_MAX 100 /* metrics are walked by recursion */

struct binder {
	struct metric_set *set;
	const struct metric_context *context; /* NULL: bind only to known events and metrics */
	const struct metric *metric;
	const char *text;
	struct error *e;
	const char *estimate; /* as in metric */
};

static int bind(struct binder *b, struct expr *x);

/* Turns the error of a token into an error of the metric. */
static int bind_error(const struct binder *b, const struct error *why, size_t at, size_t length)
{
	const char *path = b->metric->path;

	error_set_at(b->e, why->code, at, length, "metric '%s'%s%s (column %zu): %s", b->metric->name,
		     path ? " of " : "", path ? path : "", text_column(b->text, at), why->text);
	memcpy(b->e->hint, why->hint, sizeof(b->e->hint));
	error_show_token(b->e, b->text);
	return -why->code;
}

static void become_number(struct expr *x, double value)
{
	x->kind = EXPR_NUMBER;
	x->number = value;
}

/* Finds the event of this name, resolved or not. */
static size_t find_event(const struct metric_set *set, const char *name)
{
	for (size_t i = 0; i < set->n_events; i++)
		if (strcmp(set->events[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

size_t metric_event_find(struct metric_set *set, const char *name, const struct event_list *list)
{
	struct event_list *resolved = &set->resolved;
	size_t found = find_event(set, name), before = resolved->n;
	struct metric_event *event;
	struct error e = {0};

	if (found != SIZE_MAX)
		return found;
	resolved->vendor = list->vendor;
	resolved->errata = list->errata;
	event = ARRAY_PUSH(set->events, set->n_events);
	*event = (struct metric_event){.name = xstrdup(name), .at = SIZE_MAX, .index = SIZE_MAX};
	if (resolve_is_glob(name))
		error_set(&event->wrong, EINVAL, "a metric needs the name of one event, not a pattern");
	else if (event_list_add(resolved, strcmp(name, "TSC") == 0 ? "msr/tsc/" : name, &e) < 0)
		event->wrong = e;
	else
		event->at = before;
	return set->n_events - 1;
}

/* Adds the names that are near to the whole word, for example page-fualts. */
static void hint_near(struct binder *b, const struct expr *x, struct error *e)
{
	const char *word = b->text + x->at;
	auto_free char *name = xstrndup(word, own_name_word(word));
	struct event_list list = {.vendor = b->context->list->vendor, .errata = b->context->list->errata};
	struct error near = {0};

	if (event_list_add(&list, name, &near) < 0 && *near.hint)
		memcpy(e->hint, near.hint, sizeof(e->hint));
	event_list_free(&list);
}

/* In an expression of a file, page-faults is a difference. */
static void hint_hyphens(struct binder *b, const struct expr *x, struct error *e)
{
	size_t n = own_name_hyphenated(b->context->list, b->text + x->at);

	if (n <= x->length)
		return;
	e->hint[0] = '\0'; /* near names would be names of other events */
	error_hint(e, "for the event %.*s write each '-' with a backslash: '-' subtracts", (int)n, b->text + x->at);
}

static int refuse_event(struct binder *b, const struct expr *x, const struct error *wrong)
{
	struct error why = *wrong;

	if ((wrong->code == ENOENT || wrong->code == ENOSYS) && /* ENOSYS: libpfm4 is not available */
	    (isdigit((unsigned char)*x->name) || *x->name == '.')) {
		error_set(&why, EINVAL, "'%.200s' is not a number, nor the name of an event", x->name);
	} else {
		snprintf(why.text, sizeof(why.text), "event '%.200s': %.800s", x->name, wrong->text);
		(b->metric->path ? hint_hyphens : hint_near)(b, x, &why);
	}
	return bind_error(b, &why, x->at, x->length);
}

/* True if it counts on core PMUs, unlike times and software events, which count on all cores alike. */
static bool is_of_core(const struct event *event)
{
	return event_is_hardware(event) && !event->instances &&
	       (event->any_core || event_is_of_core(event) || (event->fields && strncmp(event->pmu, "cpu", 3) == 0));
}

static size_t get_event(struct binder *b, const char *name)
{
	return b->context ? metric_event_find(b->set, name, b->context->list) : find_event(b->set, name);
}

/* Older files write EVENT:percore for EVENT/percore/. Returns NULL for other names. */
static char *name_with_term(const char *name, const char *pmu)
{
	static const char suffix[] = ":percore";
	size_t n = strlen(name), m = strlen(suffix);

	if (n <= m || strcmp(name + n - m, suffix) != 0 || strchr(name, '/'))
		return NULL;
	n -= m;
	return *pmu ? xasprintf("%s/%.*s,percore/", pmu, (int)n, name) : xasprintf("%.*s/percore/", (int)n, name);
}

/* Resolves the event of a name. If the metric is for a core PMU, on that PMU: `cpu_core/NAME/`, or libpfm4's
 * `adl_glc::NAME`, except for events of no core PMU. Returns SIZE_MAX if it is unknown. */
static size_t name_event(struct binder *b, const char *name)
{
	const char *pmu = b->metric->pmu, *pfm = *pmu ? corepmu_pfm_name(pmu) : NULL;
	auto_free char *own = NULL, *library = NULL, *percore = name_with_term(name, pmu);
	size_t n = strcspn(name, ":"), i, other;

	if (percore)
		return get_event(b, percore);
	if (!*pmu || strchr(name, '/') || strstr(name, "::"))
		return get_event(b, name);
	own = xasprintf("%s/%.*s/%s", pmu, (int)n, name, name[n] ? name + n + 1 : "");
	i = get_event(b, own);
	if (i != SIZE_MAX && b->set->events[i].at != SIZE_MAX)
		return i;
	library = pfm ? xasprintf("%s::%s", pfm, name) : NULL;
	other = library ? get_event(b, library) : SIZE_MAX;
	if (other != SIZE_MAX && b->set->events[other].at != SIZE_MAX)
		return other;
	other = get_event(b, name);
	if (other != SIZE_MAX && b->set->events[other].at != SIZE_MAX &&
	    is_of_core(&b->set->resolved.events[b->set->events[other].at]))
		return i;
	return other;
}

/* EVENT:R or PMU/EVENT/R: the latency until its instructions retire, which counting cannot measure. Without samples,
 * perf takes the mean from the vendor's file, as is done here. Returns -ENOENT if it is not a latency, -ENOMSG if no
 * file gives the mean. */
static int bind_latency(struct binder *b, struct expr *x)
{
	const char *slash = strchr(x->name, '/'), *name = slash ? slash + 1 : x->name;
	size_t n = strcspn(name, slash ? ",/" : ":"), end = strcspn(name, slash ? "/" : ":");
	auto_free char *pmu = slash ? xstrndup(x->name, (size_t)(slash - x->name)) : xstrdup(b->metric->pmu);
	auto_free char *event = xstrndup(name, n);
	const struct vendor_event *found;
	struct error why = {0};
	double cycles;

	if (!b->context || !name[end] || strcmp(name + end + 1, "R") != 0)
		return -ENOENT;
	found = vendor_events_find(b->context->list->vendor, event, *pmu ? pmu : NULL, true, &why);
	if (why.code)
		return bind_error(b, &why, x->at, x->length);
	if (!found || !vendor_event_latency(found, &cycles)) {
		error_set(&why, ENOMSG,
			  "'%.200s' is a latency, which only sampling measures, and no file gives its mean "
			  "(RetirementLatencyMean)",
			  x->name);
		return bind_error(b, &why, x->at, x->length);
	}
	become_number(x, cycles);
	strings_add(&b->set->texts, "estimate: its latencies are not measured: they are means from '%s'",
		    found->object.path);
	b->estimate = b->set->texts.v[b->set->texts.n - 1];
	return 0;
}

static int bind_event(struct binder *b, struct expr *x)
{
	const struct metric_context *context = b->context;
	size_t i = name_event(b, x->name);
	const struct metric_event *event = i == SIZE_MAX ? NULL : &b->set->events[i];
	struct error why = {0};

	if (!event)
		return -ENOENT;
	if (event->at == SIZE_MAX)
		return context ? refuse_event(b, x, &event->wrong) : -ENOENT;
	if (context && context->check && context->check(&b->set->resolved.events[event->at], &why) < 0)
		return bind_error(b, &why, x->at, x->length);
	x->event = i;
	if (!b->metric->path) /* the definition of the user, who sees the scaled counts */
		x->factor = b->set->resolved.events[event->at].scale;
	return 0;
}

static struct metric *find_with(const struct binder *b, const char *name, const char *end)
{
	auto_free char *whole = xasprintf("%s%s", name, end);

	return catalogue_find(&b->set->catalogue, whole, b->metric->pmu);
}

/* Returns the metric of this name or, for a metric of one chip, the one of its chip; NULL without one. */
static struct metric *find_metric(const struct binder *b, const char *name)
{
	struct metric *metric = catalogue_find(&b->set->catalogue, name, b->metric->pmu);

	return metric || !b->metric->chip ? metric : find_with(b, name, b->metric->chip);
}

static int bind_name(struct binder *b, struct expr *x)
{
	struct metric *metric = find_metric(b, x->name);
	struct error why;
	int error;

	if (!metric) {
		if (find_with(b, x->name, CATALOGUE_CHIP "0")) {
			error_set(&why, EINVAL,
				  "'%.200s' is a metric for each chip: name one of them, such as '%.200s%s0'", x->name,
				  x->name, CATALOGUE_CHIP);
			return bind_error(b, &why, x->at, x->length);
		}
		error = bind_latency(b, x);
		return error == -ENOENT ? bind_event(b, x) : error;
	}
	error = 0;
	if (metric->state == METRIC_BINDING)
		error = error_set(&why, ELOOP, "'%s' is defined by itself", x->name);
	else if (b->set->depth > DEPTH_MAX)
		error = error_set(&why, ELOOP, "more than %d metrics that refer to one another", DEPTH_MAX);
	if (error < 0)
		return bind_error(b, &why, x->at, x->length);
	error = metric_bind(b->set, metric, b->context, b->e);
	if (error < 0)
		return error;
	x->metric = metric;
	if (metric->estimate)
		b->estimate = metric->estimate;
	if (metric->expr->kind == EXPR_NUMBER)
		become_number(x, metric->expr->number);
	return 0;
}

static int bind_literal(struct binder *b, struct expr *x)
{
	struct error why = {0};
	double value;

	if (!b->context) /* events would be bound by now */
		return -ENOENT;
	if (literal_value(x->name, b->context->system_wide, b->context->on_cpus, &value, &why) == -ENODATA &&
	    !b->context->check) {
		auto_free char *note = xasprintf("metric '%s' would have no value: %s", b->metric->name, why.text);

		if (!strings_has(&b->context->list->notes, note))
			strings_add(&b->context->list->notes, "%s", note);
		return 0;
	}
	if (why.code)
		return bind_error(b, &why, x->at, x->length);
	become_number(x, value);
	return 0;
}

static int bind_has_event(struct binder *b, struct expr *x)
{
	const struct metric_event *event;
	size_t i;

	if (!b->context)
		return -ENOENT;
	i = name_event(b, x->name); /* this call moves the events */
	event = &b->set->events[i];
	become_number(x, event->at != SIZE_MAX && b->context->has_event(&b->set->resolved.events[event->at]));
	return 0;
}

static int bind_if(struct binder *b, struct expr *x)
{
	struct expr *condition = x->arguments[1];
	int error = bind(b, condition);

	if (error == -ENOMSG) { /* files test in this way for a latency: `min(…) if 0 < EVENT:R else …` */
		become_number(condition, 0);
		*b->e = (struct error){0};
		error = 0;
	}
	if (error < 0)
		return error;
	if (condition->kind == EXPR_NUMBER) {
		expr_fold(x); /* leaves the branch that is taken */
		return bind(b, x);
	}
	error = bind(b, x->arguments[0]);
	return error < 0 ? error : bind(b, x->arguments[2]);
}

static int bind(struct binder *b, struct expr *x)
{
	int error = 0;

	switch (x->kind) {
	case EXPR_NAME:
		return bind_name(b, x);
	case EXPR_LITERAL:
		return bind_literal(b, x);
	case EXPR_SOURCE_COUNT:
		return bind_event(b, x);
	case EXPR_HAS_EVENT:
		return bind_has_event(b, x);
	case EXPR_CPUID:
		become_number(x, literal_is_cpuid(x->name));
		return 0;
	case EXPR_IF:
		return bind_if(b, x);
	default:
		break;
	}
	for (size_t i = 0; i < expr_arguments(x) && error == 0; i++)
		error = bind(b, x->arguments[i]);
	if (error == 0)
		expr_fold(x);
	return error;
}

static int parse(struct binder *b, struct metric *metric)
{
	struct error why = {0};
	bool own = !metric->path && b->context;

	if (metric->expr || expr_parse_with(&metric->expr, metric->text, own ? own_name_length : NULL,
					    b->context ? b->context->list : NULL, &why) == 0)
		return 0;
	if (why.at && why.at == strlen(metric->text) && metric->text[why.at - 1] == '*')
		error_hint(&why, "'*' multiplies: a metric needs the name of one event, not a pattern");
	return bind_error(b, &why, why.at, why.length);
}

int metric_bind(struct metric_set *set, struct metric *metric, const struct metric_context *context, struct error *e)
{
	struct binder b = {set, context, metric, metric->text, e, NULL};
	int error;

	if (metric->state == METRIC_BOUND)
		return 0;
	if (parse(&b, metric) < 0)
		return -e->code;
	metric->state = METRIC_BINDING;
	set->depth++;
	error = bind(&b, metric->expr);
	set->depth--;
	metric->state = error < 0 ? METRIC_UNBOUND : METRIC_BOUND;
	metric->estimate = b.estimate;
	if (error == 0 && !metric->path)
		metric_derive_unit(set, metric);
	return error;
}

void metric_bind_threshold(struct metric_set *set, struct metric *metric, const struct metric_context *context)
{
	struct error e = {0};
	struct binder b = {set, context, metric, metric->threshold, &e, NULL};

	if (metric->threshold_expr || !*metric->threshold)
		return;
	if (expr_parse(&metric->threshold_expr, metric->threshold, &e) < 0) {
		if (context)
			strings_add(&context->list->notes,
				    "metric '%s' is not judged: its threshold '%s' cannot be read (column %zu): %s",
				    metric->name, metric->threshold, text_column(metric->threshold, e.at), e.text);
		return;
	}
	if (bind(&b, metric->threshold_expr) == 0)
		return;
	expr_free(metric->threshold_expr);
	metric->threshold_expr = NULL;
}
