#include "pmu/vendor.h"

#include <errno.h>
#include <string.h>

#include "lib/util.h"
#include "pmu/sysfs.h"
#include "pmu/terms.h"

/* A name being resolved. */
struct query {
	const char *root;
	struct vendor_events *events;
	char *pmu;   /* the PMU, or the kind of PMU; owned */
	char *terms; /* with the event's name as one of them; owned */
	size_t at;   /* position of the terms in the user's name */
	bool names_pmu;
	bool other_architecture; /* the event is for the PMU of another architecture */
};

static void query_free(struct query *q)
{
	free(q->pmu);
	free(q->terms);
}

/* True if the fields of its object belong to another architecture than the PMU: a number might silently mean another
 * event. */
static bool is_of_other_architecture(const struct vendor_event *event, const char *pmu)
{
	bool of_arm = event->object.of_arm || vendor_object_get(&event->object, "ArchStdEvent");
	bool of_x86 = vendor_object_get(&event->object, "UMask") || vendor_object_get(&event->object, "Counter");

	if (strncmp(pmu, "armv", 4) == 0)
		return of_x86;
	return strcmp(pmu, "cpu") == 0 && of_arm;
}

/* The core PMU of this machine, or of its first kind of cores; "cpu" if there is none. */
static void core_pmu(const char *root, char *pmu, size_t size)
{
	if (pmu_name(root, PERF_TYPE_RAW, pmu, size) < 0)
		snprintf(pmu, size, "cpu");
}

/* True if the cores are of several kinds and the event may have another code on one of them. */
static bool needs_pmu(const char *root, const struct vendor_event *event, const char *core)
{
	char cpus[PMU_TEXT_MAX];

	return vendor_event_names_no_core(event) && pmu_cpus(root, core, cpus, sizeof(cpus)) > 0 &&
	       !pmu_is_only_core(root, core);
}

/* Chooses the PMU of an event that names no PMU. Returns false if it is not known (e). */
static bool choose_pmu(struct query *q, const struct vendor_event *event, struct error *e)
{
	char core[256];

	core_pmu(q->root, core, sizeof(core));
	if (needs_pmu(q->root, event, core)) {
		error_set_at(e, EINVAL, 0, strlen(event->name),
			     "%s, line %zu, does not say for which kind of core event %.100s is", event->object.path,
			     event->object.line, event->name);
		error_hint(e, "name the PMU of these cores, as in %s/%.100s/", core, event->name);
		return false;
	}
	if (*event->pmu && !(event->alone && strcmp(core, "cpu") == 0)) {
		q->pmu = xstrdup(event->pmu);
		return true;
	}
	q->pmu = xstrdup(core);
	q->other_architecture = is_of_other_architecture(event, core);
	return true;
}

/* Finds an event by its bare name: of this machine's cores if they have one of that name. */
static const struct vendor_event *find_bare(const struct query *q, const char *name, struct error *e)
{
	const struct vendor_event *event;
	char core[256];

	core_pmu(q->root, core, sizeof(core));
	event = vendor_events_find(q->events, name, core, true, e);
	return event || e->code ? event : vendor_events_find(q->events, name, NULL, false, e);
}

/* Finds the file's event that the terms name, or NULL. */
static const struct vendor_event *named_event(const struct query *q)
{
	bool is_core = pmu_is_core(q->root, q->pmu);
	struct error ignored;

	for (size_t at = 0, n; q->terms[at]; at += n + (q->terms[at + n] == ',')) {
		auto_free char *term = NULL;
		const struct vendor_event *event;

		n = terms_span(q->terms + at, ",");
		term = xstrndup(q->terms + at, n);
		event = vendor_events_find(q->events, strncmp(term, "event=", 6) == 0 ? term + 6 : term, q->pmu,
					   is_core, &ignored);
		if (event)
			return event;
	}
	return NULL;
}

/* True if the event alone, without the user's terms, can be encoded on the first of the PMUs. */
static bool is_encodable(const struct query *q, const struct strings *pmus, const struct vendor_event *named)
{
	const struct terms_context context = {.root = q->root, .vendor = q->events};
	const struct strings first = {.v = pmus->v, .n = 1};
	struct event event = {0};
	struct error ignored;
	bool encoded =
		pmus->n && !q->other_architecture &&
		sysfs_resolve_on(&context, &first, q->pmu, named->name, strlen(named->name), 0, &event, &ignored) == 0;

	event_free(&event);
	return encoded;
}

/* Describes an event that cannot be encoded here, for --explain. Returns false if it is not an event of a file, its
 * fields are garbled or its code is unknown (e), or only the user's terms are wrong. */
static bool describe(const struct query *q, const struct strings *pmus, struct event *event, struct error *e)
{
	const struct vendor_event *named = q->events->describe ? named_event(q) : NULL;
	auto_free char *unit = NULL;
	struct error wrong = {0};
	double scale;

	if (named && vendor_event_scale(named, &scale, &unit, &wrong) == 0)
		free(vendor_event_terms(q->events, named, &wrong));
	if (wrong.code == EINVAL || (wrong.code && pmus->n && !q->other_architecture)) {
		*e = wrong;
		return false;
	}
	if (!named || is_encodable(q, pmus, named))
		return false;
	*e = (struct error){0};
	event_init(event, EVENT_VENDOR);
	event->attr.type = UINT32_MAX; /* no PMU has this type */
	event->pmu = xstrdup(q->pmu);
	event->full_name = xasprintf("%s/%s/", q->pmu, q->terms);
	event->origin = xasprintf("%s, line %zu", named->object.path, named->object.line);
	event->remark = vendor_event_remark(named);
	event->fields = vendor_event_fields(named);
	return true;
}

static int resolve_query(const struct query *q, struct event *event, struct error *e)
{
	const struct terms_context context = {.root = q->root, .vendor = q->events};
	auto_strings struct strings pmus = {0};

	sysfs_find_pmus(q->root, q->pmu, &pmus);
	if (pmus.n == 0)
		error_set(e, ENODEV, "PMU '%s' is not on this machine", q->pmu);
	else if (q->other_architecture)
		error_set(e, ENODEV, "the event is for another CPU than this machine's");
	else if (sysfs_resolve_on(&context, &pmus, q->pmu, q->terms, strlen(q->terms), q->at, event, e) == 0)
		return 0;
	if (describe(q, &pmus, event, e))
		return 0;
	return e->code == ENODEV ? error_hint(e, "--explain shows its fields from the file") : -e->code;
}

/* Looks up `pmu/…/` or `EVENT/…/`, n bytes before the slash. Returns false if neither is known. */
static bool query_slashes(struct query *q, const char *name, size_t n, struct error *e)
{
	size_t length = terms_span(name + n + 1, "/");
	auto_free char *word = xstrndup(name, n);
	const struct vendor_event *event;
	auto_strings struct strings pmus = {0};

	q->at = n + 1;
	q->names_pmu = true;
	q->pmu = xstrdup(word);
	q->terms = xstrndup(name + n + 1, length);
	sysfs_find_pmus(q->root, word, &pmus);
	if (pmus.n || (q->events->describe && named_event(q)))
		return true;
	event = find_bare(q, word, e);
	if (!event)
		return false;
	free(q->pmu);
	q->pmu = NULL;
	free(q->terms);
	q->terms = xstrndup(name, n + 1 + length);
	q->terms[n] = length ? ',' : '\0';
	q->at = 0;
	q->names_pmu = false;
	return choose_pmu(q, event, e);
}

static bool query_bare(struct query *q, const char *name, size_t n, struct error *e)
{
	const struct vendor_event *event;

	q->terms = xstrndup(name, n);
	event = find_bare(q, q->terms, e);
	return event && choose_pmu(q, event, e);
}

int vendor_resolve(const char *root, struct vendor_events *events, const char *name, struct event *event,
		   struct error *e)
{
	__attribute__((cleanup(query_free))) struct query q = {.root = root, .events = events};
	size_t n = strcspn(name, "/:"), taken = n;
	bool slashes = name[n] == '/';
	int ret;

	*e = (struct error){0};
	if (n == 0 || !events || (!slashes && strchr(name, '/')))
		return 0;
	if (slashes) {
		taken += 1 + terms_span(name + n + 1, "/");
		if (name[taken++] != '/')
			return 0;
	}
	if (!(slashes ? query_slashes(&q, name, n, e) : query_bare(&q, name, n, e)))
		return -e->code;
	ret = resolve_query(&q, event, e);
	if (ret)
		return ret;
	event->any_core = !q.names_pmu && event->source == EVENT_VENDOR && event->cpus && !event->instances &&
			  pmu_is_core(root, event->pmu);
	return (int)taken;
}

int vendor_each(struct vendor_events *events, event_each *each, void *arg, struct error *e)
{
	*e = (struct error){0};
	(void)vendor_events_find(events, "", NULL, false, e); /* reads the files */
	for (size_t i = 0; events && i < events->n; i++) {
		const struct vendor_event *event = &events->v[i];
		const char *text = vendor_event_description(event);
		const char *standard = vendor_object_get(&event->object, "ArchStdEvent");
		bool said = !vendor_event_is_deprecated(event) || strcasestr(text, "deprecated");
		auto_free char *description = xasprintf("%s%s", text, said ? "" : " (deprecated)");

		/* an ArchStdEvent without a code may be a metric */
		if (!event->object.standard &&
		    (!standard || vendor_event_has_code(event) || vendor_events_standard(events, standard)))
			each(arg, &(struct event_entry){event->name, event_source_name(EVENT_VENDOR),
							*event->pmu ? event->pmu : NULL, "", description});
	}
	return -e->code;
}
