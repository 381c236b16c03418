#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "lib/library.h"
#include "lib/util.h"
#include "os/rights.h"
#include "pfm/errata.h"
#include "pfm/pfm.h"
#include "pfm/pfm_internal.h"

int pfm_load(struct pfm *lib, struct error *e)
{
	const struct library library = {"libpfm.so.4", "libpfm4", "libpfm4"};
	const struct library_symbol symbols[] = {
		LIBRARY_SYMBOL(pfm_initialize, &lib->initialize),
		LIBRARY_SYMBOL(pfm_strerror, &lib->strerror),
		LIBRARY_SYMBOL(pfm_find_event, &lib->find),
		LIBRARY_SYMBOL(pfm_get_os_event_encoding, &lib->encode),
		LIBRARY_SYMBOL(pfm_get_pmu_info, &lib->pmu_info),
		LIBRARY_SYMBOL(pfm_get_event_next, &lib->event_next),
		LIBRARY_SYMBOL(pfm_get_event_info, &lib->event_info),
		LIBRARY_SYMBOL(pfm_get_event_attr_info, &lib->attr_info),
	};
	int rc;

	if (library_load(&library, symbols, ARRAY_SIZE(symbols), e) < 0) {
		e->code = ENOSYS;
		return -ENOSYS;
	}
	/* the library looks for this file to detect perf events: without it, no name is known */
	if (access("/proc/sys/kernel/perf_event_paranoid", F_OK) != 0) {
		error_set(e, ENOSYS, "it needs /proc/sys/kernel/perf_event_paranoid");
		return error_hint(e, "mount /proc");
	}
	/* these variables make it write debug output and choose the machine that it detects */
	rights_unset("LIBPFM_");
	/* the library takes an earlier errno for a failure; calling it again has no effect */
	errno = 0;
	rc = lib->initialize();
	if (rc != PFM_SUCCESS)
		return error_set(e, ENOSYS, "libpfm4 cannot be initialized: %s", lib->strerror(rc));
	return 0;
}

int pfm_pmu_next(const struct pfm *lib, int id, pfm_pmu_info_t *info)
{
	int rc;

	do {
		*info = (pfm_pmu_info_t){.size = sizeof(*info)};
		rc = lib->pmu_info((pfm_pmu_t)++id, info);
	} while (rc != PFM_SUCCESS && rc != PFM_ERR_INVAL);
	return rc == PFM_SUCCESS ? id : -1;
}

bool pfm_pmu_find(const struct pfm *lib, const char *name, size_t n, pfm_pmu_info_t *info)
{
	for (int id = -1; (id = pfm_pmu_next(lib, id, info)) >= 0;)
		if (strlen(info->name) == n && strncasecmp(info->name, name, n) == 0)
			return true;
	return false;
}

bool pfm_event_get(const struct pfm *lib, int idx, pfm_event_info_t *info)
{
	*info = (pfm_event_info_t){.size = sizeof(*info)};
	return lib->event_info(idx, PFM_OS_PERF_EVENT_EXT, info) == PFM_SUCCESS;
}

bool pfm_attr_get(const struct pfm *lib, const pfm_event_info_t *event, int i, pfm_event_attr_info_t *info)
{
	*info = (pfm_event_attr_info_t){.size = sizeof(*info)};
	return lib->attr_info(event->idx, i, PFM_OS_PERF_EVENT_EXT, info) == PFM_SUCCESS;
}

int pfm_explain_absent(const char *pmu, size_t n, struct error *e)
{
	error_set_at(e, ENODEV, 0, n, "PMU %s is not on this machine", pmu);
	return error_hint(e, "LIBPFM_ENCODE_INACTIVE=1 shows its encoding with --explain");
}

/* ---- near names and listings ---- */

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

void pfm_suggest(struct suggest *s)
{
	size_t n = strcspn(s->word, PFM_SEPARATORS);
	bool has_pmu = n && strncmp(s->word + n, "::", 2) == 0;
	const char *base = has_pmu ? s->word + n + 2 : s->word;
	const char *tail = base + strcspn(base, PFM_SEPARATORS);
	pfm_pmu_info_t pmu;
	struct pfm lib;
	struct error ignored;

	if (pfm_load(&lib, &ignored) < 0)
		return;
	if (has_pmu && pfm_pmu_find(&lib, s->word, n, &pmu)) {
		auto_free char *prefix = xasprintf("%s::", pmu.name);

		offer_events(&lib, &pmu, prefix, tail, s);
	}
	/* the kernel's generic events have shorter names, which abi offers */
	for (int id = -1; !has_pmu && (id = pfm_pmu_next(&lib, id, &pmu)) >= 0;)
		if (pmu.is_present && pmu.type != PFM_PMU_TYPE_OS_GENERIC)
			offer_events(&lib, &pmu, "", tail, s);
}

/* With debugfs mounted, the generic PMU also has every tracepoint, which tracefs lists. */
static bool is_tracepoint(const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	return pmu->pmu == PFM_PMU_PERF_EVENT && !event->equiv && strncmp(event->name, "PERF_COUNT_", 11) != 0;
}

struct pfm_listing {
	struct pfm lib;
	event_each *each;
	void *arg;
	pfm_pmu_info_t pmu;
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* Lists one entry: the event, or the event with a umask. */
static void pfm_list_entry(const struct pfm_listing *l, const pfm_event_info_t *event,
			   const pfm_event_attr_info_t *umask)
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

	l->each(l->arg, &(struct event_entry){name, event_source_name(EVENT_PFM), l->pmu.name, alias, description});
}

static void pfm_list_event(const struct pfm_listing *l, const pfm_event_info_t *event)
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
		pfm_list_entry(l, event, NULL);
	for (int i = 0; !event->equiv && i < event->nattrs; i++)
		if (pfm_attr_get(&l->lib, event, i, &info) && info.type == PFM_ATTR_UMASK)
			pfm_list_entry(l, event, &info);
}

static bool begins_alike(const char *name, const char *glob, size_t n)
{
	size_t length = strlen(name);

	return strncasecmp(name, glob, n < length ? n : length) == 0;
}

/* False if the text before the first special character of a glob excludes all names of the event: the library takes
 * long to list its umasks. */
static bool may_match(const char *glob, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event)
{
	size_t n = strcspn(glob, "*?[\\");

	return begins_alike(event->name, glob, n) || begins_alike(pmu->name, glob, n) ||
	       (event->equiv && begins_alike(event->equiv, glob, n));
}

int pfm_each(const char *pattern, event_each *each, void *arg, struct error *e)
{
	struct pfm_listing l = {.each = each, .arg = arg};
	const char *colons = pattern ? strstr(pattern, "::") : NULL;
	auto_free char *pmus = colons ? xstrndup(pattern, (size_t)(colons - pattern)) : NULL;
	bool is_glob = pattern && strpbrk(pattern, "*?[");
	pfm_event_info_t event;
	int rc = pfm_load(&l.lib, e);

	if (rc < 0)
		return rc;
	for (int id = -1; (id = pfm_pmu_next(&l.lib, id, &l.pmu)) >= 0;) {
		if (pmus ? *pmus && fnmatch(pmus, l.pmu.name, FNM_CASEFOLD) != 0 : !l.pmu.is_present)
			continue;
		for (int i = l.pmu.first_event; i >= 0; i = l.lib.event_next(i))
			if (pfm_event_get(&l.lib, i, &event) && !is_tracepoint(&l.pmu, &event) &&
			    (!is_glob || may_match(pattern, &l.pmu, &event)))
				pfm_list_event(&l, &event);
	}
	return 0;
}

int pfm_describe(struct strings *pmus, size_t *errata, char **file, struct error *e)
{
	struct query q = {.n = 0};
	int rc = pfm_load(&q.lib, e);

	*errata = 0;
	if (rc < 0)
		return rc;
	*file = library_file("libpfm.so.4");
	for (int id = -1; (id = pfm_pmu_next(&q.lib, id, &q.pmu)) >= 0;)
		if (q.pmu.is_present && q.pmu.type != PFM_PMU_TYPE_OS_GENERIC) {
			strings_add(pmus, "%s", q.pmu.name);
			*errata += errata_count(&q);
		}
	return 0;
}
