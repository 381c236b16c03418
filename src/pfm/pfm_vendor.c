#include "pfm/pfm_vendor.h"

#include <string.h>

#include "pmu/pmu.h"
#include "pmu/vendor.h"

int pfm_vendor_load(struct vendor_events *vendor, struct error *e)
{
	*e = (struct error){0};
	(void)vendor_events_find(vendor, "", NULL, false, e);
	return -e->code;
}

/* Returns `EVENT:UMASK` of `PMU::EVENT:UMASK:attribute=value`, which the caller frees. */
static char *without_attributes(const char *full_name)
{
	const char *s = strstr(full_name, "::");
	char *name = xstrdup(s ? s + 2 : full_name), *to = name + strcspn(name, ":");

	for (const char *from = to; *from == ':';) {
		size_t n = 1 + strcspn(from + 1, ":");

		if (!memchr(from, '=', n)) {
			memmove(to, from, n);
			to += n;
		}
		from += n;
	}
	*to = '\0';
	return name;
}

/* Returns `EVENT:UMASK` as written, which the caller frees; NULL with a umask in numbers. */
static char *as_written(const struct query *q)
{
	char *name = xstrdup(strstr(q->text, "::") + 2);

	for (size_t i = 0; i < q->n; i++) {
		auto_free char *shorter = name;

		if (!q->terms[i].name)
			return NULL;
		name = strchr(q->terms[i].text, '=') ? xstrdup(shorter) : xasprintf("%s:%s", shorter, q->terms[i].name);
	}
	return name;
}

static bool is_used(const struct query *q, const struct vendor_object *object)
{
	if (q->pmu.type == PFM_PMU_TYPE_CORE)
		return strncmp(q->pmu.desc, "Intel ", 6) == 0;
	return q->pmu.type == PFM_PMU_TYPE_UNCORE && object->as_published;
}

static bool encodes(const struct query *q, const char *text, struct perf_event_attr *attr)
{
	char *full = NULL;
	bool known = query_encode(q, text, attr, &full) == PFM_SUCCESS;

	free(full);
	return known;
}

/* Compares the codes of a name, without attributes, of the library and of the file, on the event's PMU. */
static void compare(struct pfm_vendor *found, const struct query *q, struct vendor_events *vendor,
		    const struct event *event, const char *name)
{
	auto_free char *theirs = xstrdup(name), *text = xasprintf("%s::%s", q->pmu.name, name), *on_pmu = NULL;
	const struct vendor_event *object;
	struct perf_event_attr attr;
	struct event other = {0};
	struct error ignored;
	char pmu[256];

	for (char *s = theirs; (s = strchr(s, ':'));)
		*s = '.';
	if (!vendor_events_find(vendor, theirs, NULL, false, &ignored) || /* before looking at all PMUs */
	    pmu_name(SYSFS_ROOT, event->attr.type, pmu, sizeof(pmu)) < 0)
		return;
	object = vendor_events_find(vendor, theirs, pmu, q->pmu.type == PFM_PMU_TYPE_CORE, &ignored);
	on_pmu = xasprintf("%s/%s/", pmu, theirs);
	if (!object || !encodes(q, text, &attr) ||
	    vendor_resolve(SYSFS_ROOT, vendor, on_pmu, &other, &ignored) != (int)strlen(on_pmu))
		return;
	found->found = other.source == EVENT_VENDOR && other.attr.type == event->attr.type;
	if (found->found) {
		found->is_used = is_used(q, &object->object);
		found->codes = (struct erratum){.config = attr.config,
						.config1 = attr.config1,
						.right = other.attr.config,
						.right1 = other.attr.config1,
						.counted = ""};
		snprintf(found->codes.name, sizeof(found->codes.name), "%s", name);
		found->source = text_safe(other.origin);
		found->codes.source = found->source;
	}
	event_free(&other);
}

void pfm_vendor_find(struct pfm_vendor *found, const struct query *q, struct vendor_events *vendor,
		     const struct event *event)
{
	auto_free char *written = as_written(q), *resolved = without_attributes(event->full_name);

	*found = (struct pfm_vendor){0};
	if (!vendor || !q->pmu.is_present || q->pmu.type == PFM_PMU_TYPE_OS_GENERIC)
		return;
	if (written)
		compare(found, q, vendor, event, written);
	if (!found->found && !(written && strcmp(written, resolved) == 0))
		compare(found, q, vendor, event, resolved);
}

void pfm_vendor_free(struct pfm_vendor *found)
{
	free(found->source);
}
