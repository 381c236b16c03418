/* libpfm: another version of libpfm4, for tests: the installed library, which encodes one name in another way.
 *
 *   PFMCODE='skl::UOPS_RETIRED:ALL 1c2 2c2' LD_LIBRARY_PATH=DIRECTORY pfmstat...
 *
 * The low 16 bits of config of every name that begins with this one become 0x2c2 if they are 0x1c2. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

/* The function of the installed library, INSTALLED. */
static void *installed(const char *name)
{
	void *library = dlopen(INSTALLED, RTLD_NOW | RTLD_LOCAL), *function = library ? dlsym(library, name) : NULL;

	if (!function)
		abort();
	return function;
}

#define INSTALLED_FUNCTION(name) ((__typeof__(name) *)installed(#name))

pfm_err_t pfm_initialize(void)
{
	return INSTALLED_FUNCTION(pfm_initialize)();
}

const char *pfm_strerror(int code)
{
	return INSTALLED_FUNCTION(pfm_strerror)(code);
}

int pfm_find_event(const char *name)
{
	return INSTALLED_FUNCTION(pfm_find_event)(name);
}

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	return INSTALLED_FUNCTION(pfm_get_pmu_info)(pmu, info);
}

int pfm_get_event_next(int event)
{
	return INSTALLED_FUNCTION(pfm_get_event_next)(event);
}

pfm_err_t pfm_get_event_info(int event, pfm_os_t os, pfm_event_info_t *info)
{
	return INSTALLED_FUNCTION(pfm_get_event_info)(event, os, info);
}

pfm_err_t pfm_get_event_attr_info(int event, int attr, pfm_os_t os, pfm_event_attr_info_t *info)
{
	return INSTALLED_FUNCTION(pfm_get_event_attr_info)(event, attr, os, info);
}

pfm_err_t pfm_get_os_event_encoding(const char *name, int modes, pfm_os_t os, void *arg)
{
	struct perf_event_attr *attr = ((pfm_perf_encode_arg_t *)arg)->attr;
	int rc = INSTALLED_FUNCTION(pfm_get_os_event_encoding)(name, modes, os, arg);
	const char *rule = getenv("PFMCODE");
	unsigned long long from, to;
	char changed[128];

	if (rc == PFM_SUCCESS && rule && sscanf(rule, "%127s %llx %llx", changed, &from, &to) == 3 &&
	    strncmp(name, changed, strlen(changed)) == 0 && (attr->config & 0xffff) == from)
		attr->config = (attr->config & ~0xffffULL) | to;
	return rc;
}
