#include "event/vendor.h"

#include <errno.h>
#include <string.h>

#include "event/pmu_layout.h"
#include "event/sysfs.h"
#include "event/terms.h"
#include "lib/util.h"

/* A name on its way to an event. */
struct query {
	const char *root;
	struct vendor_events *events;
	char *pmu;   /* the PMU, or the kind of PMU; owned */
	char *terms; /* with the event's name as one of them; owned */
	size_t at;   /* where the terms stand in the user's name */
	bool names_pmu;
	bool foreign; /* the event is for another architecture's PMU than the one that is here */
};

static void query_free(struct query *q)
{
	free(q->pmu);
	free(q->terms);
}

/* Do the fields of its object belong to another architecture than the PMU's? Otherwise a number might silently mean
 * another event. */
static bool is_foreign(const struct vendor_event *event, const char *pmu)
{
	bool of_arm = vendor_object_get(&event->object, "ArchStdEvent");
	bool of_x86 = vendor_object_get(&event->object, "UMask") || vendor_object_get(&event->object, "Counter");

	if (strncmp(pmu, "armv", 4) == 0)
		return of_x86;
	return strcmp(pmu, "cpu") == 0 && of_arm;
}

/* The PMU of an event that names none. */
static void choose_pmu(struct query *q, const struct vendor_event *event)
{
	char core[256];

	if (event && *event->pmu) {
		q->pmu = xstrdup(event->pmu);
		return;
	}
	if (sysfs_core_pmu(q->root, core, sizeof(core)) < 0)
		strcpy(core, "cpu");
	q->pmu = xstrdup(core);
	q->foreign = event && is_foreign(event, core);
}

/* The PMU is not here, or is another one than the event is for (why): its documented bits. */
static int resolve_absent(const struct query *q, const char *why, struct event *event, struct error *e)
{
	const struct terms_source source = {.root = q->root, .vendor = q->events, .absent = true};
	/* one of another architecture's: the terms of the cores of x86 */
	const char *pmu = why && pmu_is_core(q->root, q->pmu) ? "cpu" : q->pmu;
	char core[256];
	/* where there is no PMU at all, the kernel says so of a raw event; elsewhere it would count something else */
	bool is_raw = !why && strcmp(pmu, "cpu") == 0 && sysfs_core_pmu(q->root, core, sizeof(core)) < 0;
	int ret;

	event_init(event, EVENT_SYSFS);
	event->pmu = xstrdup(pmu);
	event->attr.type = is_raw ? PERF_TYPE_RAW : UINT32_MAX; /* which no PMU has */
	if (!is_raw)
		event->unavailable = why ? xstrdup(why) : xasprintf("PMU '%s' is not on this machine", pmu);
	ret = terms_apply(&source, pmu, q->terms, strlen(q->terms), q->at, event, e);
	if (ret)
		event_free(event);
	return ret;
}

static int resolve_query(const struct query *q, struct event *event, struct error *e)
{
	const struct terms_source source = {.root = q->root, .vendor = q->events};
	auto_strings struct strings pmus = {0};
	auto_free char *why = NULL;
	struct error ignored;
	int ret = -ENODEV;

	sysfs_find_pmus(q->root, q->pmu, &pmus);
	if (pmus.n == 0)
		return resolve_absent(q, NULL, event, e);
	if (!q->foreign)
		ret = sysfs_resolve_on(&source, &pmus, q->pmu, q->terms, strlen(q->terms), q->at, event, e);
	else
		error_set(e, ENODEV, "the event is for another CPU than this machine's");
	if (ret == 0 || !vendor_events_wanted(q->events))
		return ret;
	why = xasprintf("not for PMU '%s' of this machine: %s", q->pmu, e->text);
	return resolve_absent(q, why, event, &ignored) == 0 ? 0 : ret;
}

/* `pmu/…/` or `EVENT/…/`, n bytes before the slash. False: neither is known. */
static bool query_slashes(struct query *q, const char *name, size_t n, struct error *e)
{
	size_t length = terms_span(name + n + 1, "/");
	auto_free char *word = xstrndup(name, n);
	const struct vendor_event *event;
	auto_strings struct strings pmus = {0};

	q->at = n + 1;
	q->names_pmu = true;
	q->terms = xstrndup(name + n + 1, length);
	sysfs_find_pmus(q->root, word, &pmus);
	if (pmus.n || (vendor_events_wanted(q->events) &&
		       (pmu_layout_is_known(word) || vendor_events_has_pmu(q->events, word)))) {
		q->pmu = xstrdup(word);
		return true;
	}
	event = vendor_events_find(q->events, word, NULL, false, e);
	if (!event)
		return false;
	free(q->terms);
	q->terms = xstrndup(name, n + 1 + length);
	q->terms[n] = length ? ',' : '\0';
	q->at = 0;
	q->names_pmu = false;
	choose_pmu(q, event);
	return true;
}

static bool query_bare(struct query *q, const char *name, size_t n, struct error *e)
{
	const struct vendor_event *event;

	q->terms = xstrndup(name, n);
	event = vendor_events_find(q->events, q->terms, NULL, false, e);
	if (!event && (e->code || !vendor_events_wanted(q->events) || !pmu_layout_event("cpu", q->terms)))
		return false;
	choose_pmu(q, event);
	return true;
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

int vendor_each(struct vendor_events *events,
		void (*each)(void *arg, const char *name, const char *pmu, const char *description), void *arg,
		struct error *e)
{
	*e = (struct error){0};
	(void)vendor_events_find(events, "", NULL, false, e); /* which reads them */
	for (size_t i = 0; events && i < events->n; i++) {
		const struct vendor_event *event = &events->v[i];

		const char *text = vendor_event_description(event);
		bool said = !vendor_event_is_deprecated(event) || strcasestr(text, "deprecated");
		auto_free char *description = xasprintf("%s%s", text, said ? "" : " (deprecated)");

		each(arg, event->name, event->pmu, description);
	}
	return -e->code;
}
