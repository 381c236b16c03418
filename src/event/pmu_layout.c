#include "event/pmu_layout.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "lib/util.h"

/* Formats, by globs of PMUs; the first that fits is taken. Cores: Intel's and AMD's manuals of the IA32_PERFEVTSEL
 * registers and arch/x86/events/{intel,amd}/core.c. Uncore: arch/x86/events/intel/uncore_snbep.c (those of Skylake's
 * server, whose successors have wider masks here and there), arch/x86/events/amd/uncore.c. */
static const struct {
	const char *pmu, *term, *format;
} formats[] = {
	{"cpu*", "event", "config:0-7,32-35"},
	{"cpu*", "umask", "config:8-15,40-47"},
	{"cpu*", "edge", "config:18"},
	{"cpu*", "pc", "config:19"},
	{"cpu*", "any", "config:21"},
	{"cpu*", "inv", "config:23"},
	{"cpu*", "cmask", "config:24-31"},
	{"cpu*", "in_tx", "config:32"},
	{"cpu*", "in_tx_cp", "config:33"},
	{"cpu*", "eq", "config:36"},
	{"cpu*", "ldlat", "config1:0-15"},
	{"cpu*", "frontend", "config1:0-23"},
	{"cpu*", "offcore_rsp", "config1:0-63"},
	{"msr", "event", "config:0-63"},
	{"power", "event", "config:0-7"},
	{"cstate_*", "event", "config:0-63"},
	{"amd_*", "event", "config:0-7,32-37"},
	{"amd_umc*", "rdwrmask", "config:8-9"},
	{"amd_*", "umask", "config:8-15,24-27"},
	{"amd_l3", "coreid", "config:42-44"},
	{"amd_l3", "enallslices", "config:46"},
	{"amd_l3", "enallcores", "config:47"},
	{"amd_l3", "sliceid", "config:48-50"},
	{"amd_l3", "threadmask", "config:56-63"},
	{"cbox", "filter_nid", "config1:32-47"},
	{"cbox", "filter_opc", "config1:52-60"},
	{"pcu", "filter_band0", "config1:0-7"},
	{"pcu", "filter_band1", "config1:8-15"},
	{"pcu", "filter_band2", "config1:16-23"},
	{"pcu", "filter_band3", "config1:24-31"},
	{"iio", "thresh", "config:24-35"},
	{"iio", "ch_mask", "config:36-43"},
	{"iio", "fc_mask", "config:44-46"},
	{"pcu", "occ_sel", "config:14-15"},
	{"pcu", "thresh", "config:24-28"},
	{"pcu", "occ_invert", "config:30"},
	{"pcu", "occ_edge", "config:31"},
	{"cha", "filter_tid", "config1:0-8"},
	{"cha", "filter_link", "config1:9-12"},
	{"cha", "filter_state", "config1:17-26"},
	{"cha", "filter_rem", "config1:32"},
	{"cha", "filter_loc", "config1:33"},
	{"cha", "filter_all_op", "config1:35"},
	{"cha", "filter_nm", "config1:36"},
	{"cha", "filter_not_nm", "config1:37"},
	{"cha", "filter_opc0", "config1:41-50"},
	{"cha", "filter_opc1", "config1:51-60"},
	{"cha", "filter_nc", "config1:61"},
	{"cha", "filter_c6", "config1:62"},
	{"cha", "filter_isoc", "config1:63"},
	{"*", "event", "config:0-7"},
	{"*", "umask", "config:8-15,32-55"},
	{"*", "edge", "config:18"},
	{"*", "inv", "config:23"},
	{"*", "thresh", "config:24-31"},
};

/* arch/x86/events: msr.c, intel/cstate.c, rapl.c, intel/core.c */
static const struct {
	const char *pmu, *event, *terms;
} events[] = {
	{"msr", "tsc", "event=0x00"},
	{"msr", "aperf", "event=0x01"},
	{"msr", "mperf", "event=0x02"},
	{"msr", "pperf", "event=0x03"},
	{"msr", "smi", "event=0x04"},
	{"cstate_core", "c1-residency", "event=0x00"},
	{"cstate_core", "c3-residency", "event=0x01"},
	{"cstate_core", "c6-residency", "event=0x02"},
	{"cstate_core", "c7-residency", "event=0x03"},
	{"cstate_pkg", "c2-residency", "event=0x00"},
	{"cstate_pkg", "c3-residency", "event=0x01"},
	{"cstate_pkg", "c6-residency", "event=0x02"},
	{"cstate_pkg", "c7-residency", "event=0x03"},
	{"cstate_pkg", "c8-residency", "event=0x04"},
	{"cstate_pkg", "c9-residency", "event=0x05"},
	{"cstate_pkg", "c10-residency", "event=0x06"},
	{"power", "energy-cores", "event=0x01"},
	{"power", "energy-pkg", "event=0x02"},
	{"power", "energy-ram", "event=0x03"},
	{"power", "energy-gpu", "event=0x04"},
	{"power", "energy-psys", "event=0x05"},
	{"cpu*", "cycles-t", "event=0x3c,in_tx=1"},
	{"cpu*", "cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1"},
	{"cpu*", "tx-start", "event=0xc9,umask=0x1"},
	{"cpu*", "tx-commit", "event=0xc9,umask=0x2"},
	{"cpu*", "tx-abort", "event=0xc9,umask=0x4"},
	{"cpu*", "el-start", "event=0xc8,umask=0x1"},
	{"cpu*", "el-commit", "event=0xc8,umask=0x2"},
	{"cpu*", "el-abort", "event=0xc8,umask=0x4"},
	{"cpu*", "slots", "event=0x00,umask=0x4"},
	{"cpu*", "topdown-retiring", "event=0x00,umask=0x80"},
	{"cpu*", "topdown-bad-spec", "event=0x00,umask=0x81"},
	{"cpu*", "topdown-fe-bound", "event=0x00,umask=0x82"},
	{"cpu*", "topdown-be-bound", "event=0x00,umask=0x83"},
	{"cpu*", "topdown-heavy-ops", "event=0x00,umask=0x84"},
	{"cpu*", "topdown-br-mispredict", "event=0x00,umask=0x85"},
	{"cpu*", "topdown-fetch-lat", "event=0x00,umask=0x86"},
	{"cpu*", "topdown-mem-bound", "event=0x00,umask=0x87"},
};

static char *stem(const char *pmu)
{
	const char *last = strrchr(pmu, '_');
	size_t n = strlen(pmu);

	if (last && last[1] && last[1 + strspn(last + 1, "0123456789")] == '\0')
		n = (size_t)(last - pmu);
	if (strncmp(pmu, "uncore_", 7) == 0 && n > 7)
		return xstrndup(pmu + 7, n - 7);
	return xstrndup(pmu, n);
}

bool pmu_layout_is_core(const char *pmu)
{
	return strcmp(pmu, "cpu") == 0 || strcmp(pmu, "cpu_core") == 0 || strcmp(pmu, "cpu_atom") == 0;
}

bool pmu_layout_is_known(const char *pmu)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (strcmp(events[i].pmu, pmu) == 0)
			return true;
	return pmu_layout_is_core(pmu);
}

int pmu_layout_format(const char *pmu, const char *term, struct pmu_format *format)
{
	auto_free char *name = stem(pmu);

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(formats[i].term, term) == 0 && fnmatch(formats[i].pmu, name, 0) == 0 &&
		    !(strcmp(formats[i].pmu, "*") == 0 && pmu_layout_is_core(pmu)))
			return pmu_format_parse(formats[i].format, format);
	return -ENOENT;
}

const char *pmu_layout_event(const char *pmu, const char *event)
{
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (strcmp(events[i].event, event) == 0 && fnmatch(events[i].pmu, pmu, 0) == 0)
			return events[i].terms;
	return NULL;
}
