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
	struct strings pmus;
	char *pmu;   /* their common name; owned */
	char *terms; /* with the event's name as one of them; owned */
	size_t at;   /* position of the terms in the user's name; 0: it names no PMU */
};

static void query_free(struct query *q)
{
	strings_free(&q->pmus);
	free(q->pmu);
	free(q->terms);
}

/* True if the fields of its object belong to another architecture than the PMU: a number might silently mean another
 * event. */
static bool is_of_other_architecture(const struct vendor_event *event, const char *pmu)
{
	bool of_arm = vendor_object_get(&event->object, "ArchStdEvent");
	bool of_x86 = vendor_object_get(&event->object, "UMask") || vendor_object_get(&event->object, "Counter");

	if (strncmp(pmu, "armv", 4) == 0)
		return of_x86;
	return strcmp(pmu, "cpu") == 0 && of_arm;
}

/* Chooses the PMU of an event that the user named without one. Returns -ENODEV if it is not on this machine. */
static int choose_pmu(struct query *q, const struct vendor_event *event, struct error *e)
{
	char core[256] = "cpu";

	if (!*event->pmu)
		(void)pmu_name(q->root, PERF_TYPE_RAW, core, sizeof(core));
	q->pmu = xstrdup(*event->pmu ? event->pmu : core);
	sysfs_find_pmus(q->root, q->pmu, &q->pmus);
	if (q->pmus.n == 0)
		error_set(e, ENODEV, "PMU '%s' is not on this machine", q->pmu);
	else if (!*event->pmu && is_of_other_architecture(event, core))
		error_set(e, ENODEV, "the event is for another CPU than this machine's");
	else
		return 0;
	return error_hint(e, "the event is defined in %s, line %zu", event->object.path, event->object.line);
}

/* Looks up `pmu/…/`, `EVENT/…/` or `EVENT`, n bytes before the slash. Returns 1; 0 if neither is known; or -errno. */
static int find_terms(struct query *q, const char *name, size_t n, struct error *e)
{
	size_t length = name[n] == '/' ? terms_span(name + n + 1, "/") : 0;
	auto_free char *word = xstrndup(name, n);
	const struct vendor_event *event;

	if (name[n] == '/')
		sysfs_find_pmus(q->root, word, &q->pmus);
	if (q->pmus.n) {
		q->at = n + 1;
		q->pmu = xstrdup(word);
		q->terms = xstrndup(name + n + 1, length);
		return 1;
	}
	event = vendor_events_find(q->events, word, NULL, false, e);
	if (!event)
		return -e->code;
	q->terms = length ? xasprintf("%s,%.*s", word, (int)length, name + n + 1) : xstrdup(word);
	return choose_pmu(q, event, e) < 0 ? -e->code : 1;
}

int vendor_resolve(const char *root, struct vendor_events *events, const char *name, struct event *event,
		   struct error *e)
{
	__attribute__((cleanup(query_free))) struct query q = {.root = root, .events = events};
	const struct terms_context context = {.root = root, .vendor = events};
	size_t n = strcspn(name, "/:"), taken = n;
	int ret;

	*e = (struct error){0};
	if (n == 0 || !events || (name[n] != '/' && strchr(name, '/')))
		return 0;
	if (name[n] == '/') {
		taken += 1 + terms_span(name + n + 1, "/");
		if (name[taken++] != '/')
			return 0;
	}
	ret = find_terms(&q, name, n, e);
	if (ret <= 0)
		return ret;
	ret = sysfs_resolve_on(&context, &q.pmus, q.pmu, q.terms, strlen(q.terms), q.at, event, e);
	if (ret)
		return ret;
	event->any_core = q.at == 0 && event->source == EVENT_VENDOR && event->cpus && !event->instances &&
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
