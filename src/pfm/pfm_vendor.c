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

/* Compares the codes of a name, without attributes, of the library and of the file. */
static void compare(struct pfm_vendor *found, const struct query *q, struct vendor_events *vendor,
		    const struct event *event, const char *name)
{
	auto_free char *theirs = xstrdup(name), *text = xasprintf("%s::%s", q->pmu.name, name), *fstr = NULL;
	const struct vendor_event *object;
	struct perf_event_attr attr;
	struct event other = {0};
	struct error ignored;

	for (char *s = theirs; (s = strchr(s, ':'));)
		*s = '.';
	if (!vendor_events_find(vendor, theirs, NULL, false, &ignored) ||
	    query_encode(q, text, &attr, &fstr) != PFM_SUCCESS ||
	    vendor_resolve(SYSFS_ROOT, vendor, theirs, &other, &ignored) != (int)strlen(theirs))
		return;
	object = vendor_events_find(vendor, theirs, other.pmu, event_is_of_core(&other), &ignored);
	found->found = object && other.attr.type == event->attr.type;
	if (found->found) {
		found->is_used = is_used(q, &object->object);
		found->codes = (struct erratum){.config = attr.config,
						.config1 = attr.config1,
						.right = other.attr.config,
						.right1 = other.attr.config1,
						.counted = ""};
		snprintf(found->codes.pmu, sizeof(found->codes.pmu), "%s", q->pmu.name);
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
	if (!found->found)
		compare(found, q, vendor, event, resolved);
}

void pfm_vendor_free(struct pfm_vendor *found)
{
	free(found->source);
}
