/* What libpfm4 knows: near names, listings, its version. */
#include <ctype.h>
#include <dlfcn.h>
#include <fnmatch.h>
#include <string.h>

#include "event/pfm.h"
#include "event/pfm_library.h"
#include "lib/util.h"

static void offer_events(const struct pfm *lib, const pfm_pmu_info_t *pmu, const char *prefix, const char *tail,
			 struct suggest *s)
{
	pfm_event_info_t info;

	for (int i = pmu->first_event; i >= 0; i = lib->event_next(i)) {
		if (pfm_event_get(lib, i, &info)) {
			auto_free char *candidate = xasprintf("%s%s%s", prefix, info.name, tail);

			suggest_offer(s, candidate);
		}
	}
}

/* The events that `[pmu::]word` may have meant. The generic ones of the kernel have shorter names, offered elsewhere.
 */
static void offer_near(const struct pfm *lib, const char *pmu, size_t pmu_n, const char *tail, struct suggest *s)
{
	pfm_pmu_info_t info;

	if (pmu_n && pfm_pmu_find(lib, pmu, pmu_n, &info)) {
		auto_free char *prefix = xasprintf("%s::", info.name);

		offer_events(lib, &info, prefix, tail, s);
		return;
	}
	for (int id = -1; !pmu_n && (id = pfm_pmu_next(lib, id, &info)) >= 0;)
		if (info.is_present && info.type != PFM_PMU_TYPE_OS_GENERIC)
			offer_events(lib, &info, "", tail, s);
}

void pfm_suggest(struct suggest *s)
{
	size_t n = strcspn(s->word, PFM_SEPARATORS);
	bool has_pmu = strncmp(s->word + n, "::", 2) == 0;
	const char *base = has_pmu ? s->word + n + 2 : s->word;
	struct pfm lib;
	struct error ignored;

	if (pfm_load(&lib, &ignored) == 0)
		offer_near(&lib, s->word, has_pmu ? n : 0, base + strcspn(base, PFM_SEPARATORS), s);
}

/* With debugfs mounted the generic PMU has every tracepoint too, which are tracefs' to list. */
static bool is_tracepoint(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	return pmu->pmu == PFM_PMU_PERF_EVENT && !event->equiv && strncmp(event->name, "PERF_COUNT_", 11) != 0;
}

struct listing {
	struct pfm lib;
	void (*each)(void *arg, const struct pfm_entry *entry);
	void *arg;
	pfm_pmu_info_t pmu;
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* One entry: the event, or the event with a umask. */
static void list_entry(const struct listing *l, const pfm_event_info_t *event, const pfm_event_attr_info_t *umask)
{
	const char *d = or_empty(event->desc), *u = umask ? or_empty(umask->desc) : "";
	bool both = *d && *u && strcasecmp(d, u) != 0;
	auto_free char *name =
		xasprintf("%s::%s%s%s", l->pmu.name, event->name, umask ? ":" : "", umask ? umask->name : "");
	const char *equiv = or_empty(umask ? umask->equiv : event->equiv);
	auto_free char *alias = !*equiv ? xstrdup("")
				: umask ? xasprintf("%s::%s:%s", l->pmu.name, event->name, equiv)
					: xasprintf("%s::%s", l->pmu.name, equiv);
	auto_free char *description = both ? xasprintf("%s: %s", d, u) : xstrdup(*d ? d : u);

	l->each(l->arg, &(struct pfm_entry){
				.pmu = l->pmu.name,
				.name = name,
				.aliases = alias,
				.description = description,
				.present = l->pmu.is_present,
			});
}

static void list_event(const struct listing *l, const pfm_event_info_t *event)
{
	bool alone = true;
	pfm_event_attr_info_t info;

	for (int i = 0; i < event->nattrs; i++)
		if (pfm_attr_get(&l->lib, event, i, &info) && info.type == PFM_ATTR_UMASK) {
			alone = info.is_dfl;
			if (alone)
				break;
		}
	if (alone || event->equiv)
		list_entry(l, event, NULL);
	for (int i = 0; !event->equiv && i < event->nattrs; i++)
		if (pfm_attr_get(&l->lib, event, i, &info) && info.type == PFM_ATTR_UMASK)
			list_entry(l, event, &info);
}

int pfm_each(const char *pattern, void (*each)(void *arg, const struct pfm_entry *entry), void *arg, struct error *e)
{
	struct listing l = {.each = each, .arg = arg};
	const char *colons = pattern ? strstr(pattern, "::") : NULL;
	auto_free char *glob = colons ? xstrndup(pattern, (size_t)(colons - pattern)) : NULL;
	pfm_event_info_t event;
	int rc = pfm_load(&l.lib, e);

	if (rc < 0)
		return rc;
	for (int id = -1; (id = pfm_pmu_next(&l.lib, id, &l.pmu)) >= 0;) {
		if (glob ? *glob && fnmatch(glob, l.pmu.name, FNM_CASEFOLD) != 0 : !l.pmu.is_present)
			continue;
		for (int i = l.pmu.first_event; i >= 0; i = l.lib.event_next(i))
			if (pfm_event_get(&l.lib, i, &event) && !is_tracepoint(&l.pmu, &event))
				list_event(&l, &event);
	}
	return 0;
}

/* The library says 4.0 whichever 4.x it is; the name of the file behind its soname says more. */
static void find_version(const struct pfm *lib, char *version, size_t size)
{
	auto_free char *path = NULL;
	const char *suffix;
	int v = lib->version();
	void *address;
	Dl_info info;

	snprintf(version, size, "%d.%d", PFM_MAJ_VERSION(v), PFM_MIN_VERSION(v));
	memcpy(&address, &lib->version, sizeof(address));
	if (!dladdr(address, &info) || !info.dli_fname || !(path = realpath(info.dli_fname, NULL)))
		return;
	suffix = strstr(path, ".so.");
	if (suffix && isdigit((unsigned char)suffix[4]) && strchr(suffix + 4, '.'))
		snprintf(version, size, "%s", suffix + 4);
}

int pfm_describe(char *version, size_t size, struct strings *pmus, struct error *e)
{
	struct pfm lib;
	pfm_pmu_info_t info;
	int rc = pfm_load(&lib, e);

	if (rc < 0)
		return rc;
	find_version(&lib, version, size);
	for (int id = -1; (id = pfm_pmu_next(&lib, id, &info)) >= 0;)
		if (info.is_present)
			strings_add(pmus, "%s", info.name);
	return 0;
}
