/* The encodings of libpfm4, linked directly: an oracle for pfmstat, which loads it at run time.
 *
 *   pfm_oracle NAME…     a line each: NAME type config config1 config2 exclude_user exclude_kernel
 *   pfm_oracle --all PMU every event of the PMU, alone and with each of its umasks, if libpfm4 encodes them
 *   pfm_oracle --present the PMUs of this machine, without the kernel's generic events
 *
 * Exit status 1 if a name is refused. Type and configs are in hexadecimal.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

static int answer(const char *name)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	int rc;

	errno = 0;
	rc = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc != PFM_SUCCESS)
		return rc;
	printf("%s %x %" PRIx64 " %" PRIx64 " %" PRIx64 " %d %d\n", name, attr.type, (uint64_t)attr.config,
	       (uint64_t)attr.config1, (uint64_t)attr.config2, (int)attr.exclude_user, (int)attr.exclude_kernel);
	return 0;
}

static void answer_event(const char *pmu, int idx)
{
	pfm_event_info_t event = {.size = sizeof(event)};
	char name[512];

	if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return;
	snprintf(name, sizeof(name), "%s::%s", pmu, event.name);
	(void)answer(name);
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t attr = {.size = sizeof(attr)};

		if (pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT_EXT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu, event.name, attr.name);
		(void)answer(name);
	}
}

static int answer_pmu(const char *name)
{
	pfm_pmu_t id;

	pfm_for_all_pmus(id)
	{
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS || strcmp(pmu.name, name) != 0)
			continue;
		for (int i = pmu.first_event; i >= 0; i = pfm_get_event_next(i))
			answer_event(name, i);
		return 0;
	}
	fprintf(stderr, "%s: no such PMU\n", name);
	return 1;
}

static int answer_present(void)
{
	for (int id = 0; id < PFM_PMU_MAX; id++) {
		pfm_pmu_info_t info = {.size = sizeof(info)};

		if (pfm_get_pmu_info((pfm_pmu_t)id, &info) == PFM_SUCCESS && info.is_present &&
		    info.type != PFM_PMU_TYPE_OS_GENERIC)
			puts(info.name);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0, rc = pfm_initialize();

	if (rc != PFM_SUCCESS) {
		fprintf(stderr, "pfm_initialize: %s\n", pfm_strerror(rc));
		return 2;
	}
	if (argc == 3 && strcmp(argv[1], "--all") == 0)
		return answer_pmu(argv[2]);
	if (argc == 2 && strcmp(argv[1], "--present") == 0)
		return answer_present();
	for (int i = 1; i < argc; i++) {
		rc = answer(argv[i]);
		if (rc != PFM_SUCCESS) {
			fprintf(stderr, "%s: %s\n", argv[i], pfm_strerror(rc));
			status = 1;
		}
	}
	return status;
}
