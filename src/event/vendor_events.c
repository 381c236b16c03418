#include "event/vendor_events.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "event/pmu_kind.h"

/* ---- which PMU ---- */

/* Units that are not `uncore_` and themselves in lower case. */
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

/* Those that are PMUs' names already. */
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

static int event_add(void *arg, const struct vendor_object *object, struct error *e)
{
	struct vendor_events *events = arg;
	const char *name = vendor_object_get(object, "EventName");

	(void)e;
	if (!name && !vendor_object_get(object, "MetricExpr"))
		name = vendor_object_get(object, "ArchStdEvent");
	if (name && *name)
		*ARRAY_PUSH(events->v, events->n) =
			(struct vendor_event){name, vendor_unit_pmu(vendor_object_get(object, "Unit")), *object};
	return 0;
}

/* In the order of the files, the events are still contiguous there. */
static int event_compare(const void *a, const void *b)
{
	const struct vendor_event *one = a, *two = b;
	int order = strcasecmp(one->name, two->name);

	return order ? order : (one->object.order > two->object.order) - (one->object.order < two->object.order);
}

static int events_index(struct vendor_events *events, struct error *e)
{
	int error;

	if (events->indexed || !events->files)
		return 0;
	error = vendor_files_each(events->files, event_add, events, e);
	if (error)
		return error;
	if (events->n)
		qsort(events->v, events->n, sizeof(*events->v), event_compare);
	events->indexed = true;
	return 0;
}

/* The first event that is not before this name. */
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

const struct vendor_event *vendor_events_find(struct vendor_events *events, const char *name, const char *pmu,
					      bool is_core, struct error *e)
{
	e->code = 0;
	if (!events || events_index(events, e))
		return NULL;
	for (size_t i = events_search(events, name); i < events->n && strcasecmp(events->v[i].name, name) == 0; i++) {
		const struct vendor_event *event = &events->v[i];

		if (!event->object.standard && (!pmu || (*event->pmu ? pmu_is_of_kind(pmu, event->pmu) : is_core)))
			return event;
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

void vendor_events_suggest(struct vendor_events *events, struct suggest *s)
{
	struct error ignored;

	if (!events || events_index(events, &ignored))
		return;
	for (size_t i = 0; i < events->n; i++)
		if (!events->v[i].object.standard)
			suggest_offer(s, events->v[i].name);
}

void vendor_events_free(struct vendor_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->v[i].pmu);
	free(events->v);
	*events = (struct vendor_events){0};
}
