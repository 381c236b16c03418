#include "pmu/vendor_events.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "pmu/pmu_kind.h"

/* ---- which PMU ---- */

/* Units whose PMU is not `uncore_` and the unit in lower case. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{"core", ""},
	{"CBO", "uncore_cbox"},
	{"QPI LL", "uncore_qpi"},
	{"UPI LL", "uncore_upi"},
	{"SBO", "uncore_sbox"},
	{"iMPH-U", "uncore_arb"},
	{"CPU-M-CF", "cpum_cf"},
	{"CPU-M-SF", "cpum_sf"},
	{"PAI-CRYPTO", "pai_crypto"},
	{"PAI-EXT", "pai_ext"},
	{"L3PMC", "amd_l3"},
	{"DFPMC", "amd_df"},
	{"UMCPMC", "amd_umc"},
};

/* Units that are already names of PMUs. */
static const char *const unit_prefixes[] = {"cpu_", "hisi_", "imx8_", "imx9_",    "ali_",
					    "arm_", "amd_",  "armv",  "software", "tool"};

char *vendor_unit_pmu(const char *unit)
{
	char *pmu;

	if (!unit || !*unit)
		return xstrdup("");
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return xstrdup(units[i].pmu);
	for (size_t i = 0; i < ARRAY_SIZE(unit_prefixes); i++)
		if (strncmp(unit_prefixes[i], unit, strlen(unit_prefixes[i])) == 0)
			return xstrdup(unit);
	pmu = xasprintf("uncore_%s", unit);
	for (char *s = pmu; *s; s++)
		*s = (char)tolower((unsigned char)*s);
	return pmu;
}

/* ---- the index ---- */

bool vendor_event_names_no_core(const struct vendor_event *event)
{
	return !*event->pmu && !event->object.standard && !vendor_object_get(&event->object, "Unit") &&
	       !vendor_object_get(&event->object, "ArchStdEvent");
}

/* The state of events_index across objects. */
struct indexing {
	struct vendor_events *events;
	const char *path;        /* of the file of the last event without a Unit, or NULL */
	struct vendor_core core; /* of that file */
};

/* Finds the PMU of an event. */
static void event_place(struct indexing *x, struct vendor_event *event)
{
	event->pmu = vendor_unit_pmu(vendor_object_get(&event->object, "Unit"));
	if (!vendor_event_names_no_core(event))
		return;
	if (x->path != event->object.path) {
		x->path = event->object.path;
		x->core = vendor_core_find(x->path);
	}
	if (x->core.pmu) {
		free(event->pmu);
		event->pmu = xstrdup(x->core.pmu);
		event->alone = x->core.alone;
	}
}

static int event_add(void *arg, const struct vendor_object *object, struct error *e)
{
	struct indexing *x = arg;
	const char *name = vendor_object_get(object, "EventName");
	struct vendor_event event = {.object = *object};

	(void)e;
	if (!name && !vendor_object_get(object, "MetricExpr"))
		name = vendor_object_get(object, "ArchStdEvent");
	if (name && *name) {
		event.name = name;
		event_place(x, &event);
		*ARRAY_PUSH(x->events->v, x->events->n) = event;
	}
	return 0;
}

/* Keeps the order of the files, since the events are still contiguous here. */
static int event_compare(const void *a, const void *b)
{
	const struct vendor_event *one = a, *two = b;
	int order = strcasecmp(one->name, two->name);

	return order ? order : (one->object.order > two->object.order) - (one->object.order < two->object.order);
}

/* True if the two files are in one directory, which means that they are about one machine. */
static bool is_beside(const char *one, const char *other)
{
	const char *end_one = strrchr(one, '/'), *end_other = strrchr(other, '/');
	size_t n = end_one ? (size_t)(end_one - one) : 0;

	return n == (end_other ? (size_t)(end_other - other) : 0) && strncmp(one, other, n) == 0;
}

/* True if neither of two events of one name says which cores it is for, and they have different codes. */
static bool is_contradiction(struct vendor_events *events, const struct vendor_event *one,
			     const struct vendor_event *other)
{
	auto_free char *terms = NULL, *others = NULL;
	struct error ignored;

	if (!vendor_event_names_no_core(one) || !vendor_event_names_no_core(other) ||
	    one->object.path == other->object.path || strcasecmp(one->name, other->name) != 0 ||
	    !is_beside(one->object.path, other->object.path))
		return false;
	terms = vendor_event_terms(events, one, &ignored);
	others = vendor_event_terms(events, other, &ignored);
	return terms && others && strcmp(terms, others) != 0;
}

static int events_index(struct vendor_events *events, struct error *e)
{
	struct indexing x = {.events = events};
	int error;

	if (events->indexed || !events->files)
		return 0;
	error = vendor_files_each(events->files, event_add, &x, e);
	if (error)
		return error;
	if (events->n)
		qsort(events->v, events->n, sizeof(*events->v), event_compare);
	events->indexed = true;
	for (size_t i = 1; i < events->n; i++)
		if (is_contradiction(events, &events->v[i - 1], &events->v[i]))
			*ARRAY_PUSH(events->contradictions, events->n_contradictions) = i;
	return 0;
}

/* Returns the first event that is not before this name. */
static size_t events_search(const struct vendor_events *events, const char *name)
{
	size_t low = 0, high = events->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcasecmp(events->v[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_on_pmu(const struct vendor_event *event, const char *pmu, bool is_core)
{
	if (!*event->pmu)
		return is_core;
	return pmu_is_of_kind(pmu, event->pmu) || (event->alone && strcmp(pmu, "cpu") == 0);
}

/* Finds two events of one name that show that the file of this event is for one kind of core, without saying for which:
 * none of its events can be used. */
static const struct vendor_event *find_contradiction(const struct vendor_events *events,
						     const struct vendor_event *event)
{
	const struct vendor_event *found = NULL;

	for (size_t i = 0; i < events->n_contradictions && vendor_event_names_no_core(event); i++) {
		const struct vendor_event *pair = &events->v[events->contradictions[i] - 1];

		if (strcasecmp(pair->name, event->name) == 0)
			return pair;
		if (pair->object.path == event->object.path || pair[1].object.path == event->object.path)
			found = pair;
	}
	return found;
}

static int check_contradiction(struct vendor_events *events, const struct vendor_event *event, struct error *e)
{
	const struct vendor_event *pair = find_contradiction(events, event);
	auto_free char *one = NULL, *other = NULL;
	struct error ignored;

	if (!pair)
		return 0;
	one = vendor_event_terms(events, pair, &ignored);
	other = vendor_event_terms(events, pair + 1, &ignored);
	error_set(e, EINVAL,
		  "the file does not say for which kind of core it is: event %.100s is %.100s in %s, line %zu, and "
		  "%.100s in %s, line %zu",
		  pair->name, one, pair->object.path, pair->object.line, other, pair[1].object.path,
		  pair[1].object.line);
	return error_hint(e, "put Intel's mapfile.csv beside the files, or give one of them to --metrics and name the "
			     "PMU of its cores: PMU/EVENT/");
}

const struct vendor_event *vendor_events_find(struct vendor_events *events, const char *name, const char *pmu,
					      bool is_core, struct error *e)
{
	e->code = 0;
	if (!events || events_index(events, e))
		return NULL;
	for (size_t i = events_search(events, name); i < events->n && strcasecmp(events->v[i].name, name) == 0; i++) {
		const struct vendor_event *event = &events->v[i];

		if (!event->object.standard && (!pmu || is_on_pmu(event, pmu, is_core)))
			return check_contradiction(events, event, e) ? NULL : event;
	}
	return NULL;
}

const struct vendor_event *vendor_events_standard(struct vendor_events *events, const char *name)
{
	for (size_t i = events_search(events, name); i < events->n && strcasecmp(events->v[i].name, name) == 0; i++)
		if (vendor_event_has_code(&events->v[i]))
			return &events->v[i];
	return NULL;
}

void vendor_events_free(struct vendor_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->v[i].pmu);
	free(events->v);
	free(events->contradictions);
	*events = (struct vendor_events){0};
}

/* ---- one event ---- */

char *vendor_event_fields(const struct vendor_event *event)
{
	static const char *const texts[] = {"EventName", "BriefDescription", "PublicDescription"};
	char *fields;
	size_t size;
	FILE *out = xopen_memstream(&fields, &size);

	for (size_t i = 0; i < event->object.n; i++) {
		const struct json_member *member = &event->object.members[i];
		bool is_text = false;

		for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
			is_text |= strcmp(member->name, texts[k]) == 0;
		if (is_text || !member->value)
			continue;
		text_put_safe(out, member->name, strlen(member->name));
		putc('=', out);
		text_put_safe(out, member->value, strlen(member->value));
		putc('\n', out);
	}
	fclose(out);
	return fields;
}

void vendor_scale_unit(const char *text, double *scale, const char **unit)
{
	char *end;
	size_t n;

	*scale = strtod(text, &end); /* LC_NUMERIC is always C */
	n = (size_t)(end - text);
	/* strtod takes the start of "nanoseconds" and "info" for a number */
	if (n == 0 || (isalpha((unsigned char)text[n - 1]) && isalpha((unsigned char)text[n]))) {
		*scale = 1;
		n = 0;
	}
	*unit = text + n + strspn(text + n, " ");
}

int vendor_event_scale(const struct vendor_event *event, double *scale, char **unit, struct error *e)
{
	const char *text = vendor_object_get(&event->object, "ScaleUnit"), *own;

	vendor_scale_unit(text ? text : "", scale, &own);
	*unit = text_safe(own);
	if (isfinite(*scale) && fpclassify(*scale) != FP_ZERO)
		return 0;
	return error_set(e, EINVAL, "%s, line %zu: the factor of event %.100s, ScaleUnit '%.60s', is %s",
			 event->object.path, event->object.line, event->name, text,
			 isfinite(*scale) ? "0" : "not a finite number");
}

bool vendor_event_latency(const struct vendor_event *event, double *cycles)
{
	const char *text = vendor_object_get(&event->object, "RetirementLatencyMean");
	char *end;

	if (!text)
		return false;
	*cycles = strtod(text, &end);
	return end != text && !*end && isfinite(*cycles) && *cycles >= 0;
}

const char *vendor_event_description(const struct vendor_event *event)
{
	const char *text = vendor_object_get(&event->object, "BriefDescription");

	if (!text)
		text = vendor_object_get(&event->object, "PublicDescription");
	return text ? text : "";
}

bool vendor_event_is_deprecated(const struct vendor_event *event)
{
	const char *text = vendor_object_get(&event->object, "Deprecated");

	return text && strcmp(text, "1") == 0;
}

/* Intel's descriptions already contain this, and the event that replaces it. */
char *vendor_event_remark(const struct vendor_event *event)
{
	const char *text = vendor_event_description(event);
	auto_free char *remark = strcasestr(text, "deprecated") ? xasprintf("%s: %s", event->name, text)
								: xasprintf("%s is deprecated", event->name);

	return vendor_event_is_deprecated(event) ? text_safe(remark) : NULL;
}
