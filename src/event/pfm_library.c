#include "event/pfm_library.h"

#include <errno.h>
#include <string.h>

#include "lib/library.h"
#include "lib/util.h"

int pfm_load(struct pfm *lib, struct error *e)
{
	const struct library_symbol symbols[] = {
		{"pfm_initialize", &lib->initialize},
		{"pfm_get_version", &lib->version},
		{"pfm_strerror", &lib->strerror},
		{"pfm_find_event", &lib->find},
		{"pfm_get_os_event_encoding", &lib->encode},
		{"pfm_get_pmu_info", &lib->pmu_info},
		{"pfm_get_event_next", &lib->event_next},
		{"pfm_get_event_info", &lib->event_info},
		{"pfm_get_event_attr_info", &lib->attr_info},
	};
	int rc;

	if (library_load("libpfm.so.4", "libpfm4", symbols, ARRAY_SIZE(symbols), e) < 0) {
		e->code = ENOSYS;
		return -ENOSYS;
	}
	/* the library takes an errno left over from before for a failure of its own; done again, this does nothing */
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

int pfm_explain_absent(const char *pmu, struct error *e)
{
	error_set(e, ENODEV, "PMU %s is not on this machine", pmu);
	error_hint(e, "LIBPFM_ENCODE_INACTIVE=1 shows its encoding with --explain");
	return -ENODEV;
}
