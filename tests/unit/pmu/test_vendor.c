/* Events of vendors' files, written here, on PMUs of trees that are made here: an Intel-like machine, an Arm one, one
 * with two kinds of cores, and one without any PMU. The bits expected are worked out by hand. */
#include "pmu/vendor.h"

#include <errno.h>

#include "scratch.h"
#include "tap.h"

static const char core_json[] =
	"[{\"EventName\":\"INST_RETIRED.ANY\",\"UMask\":\"0x1\",\"Counter\":\"Fixed counter 0\"},\n"
	" {\"EventName\":\"CLK.THREAD\",\"EventCode\":\"0x00\",\"UMask\":\"0x2\",\"Counter\":\"FIXED\",\"AnyThread\":"
	"\"1\"},\n"
	" {\"EventName\":\"CLK.REF\",\"EventCode\":\"0x00\",\"UMask\":\"0x3\",\"Counter\":\"Fixed counter 2\"},\n"
	" {\"EventName\":\"INST_RETIRED.PREC_DIST\",\"UMask\":\"0x1\",\"Counter\":\"Fixed counter 0\"},\n"
	" {\"EventName\":\"PIPE.TOTAL0\",\"EventCode\":\"0x00\",\"UMask\":\"0x01\"},\n"
	" {\"EventName\":\"STALLS.L3\",\"EventCode\":\"0xa3\",\"UMask\":\"0x6\",\"CounterMask\":\"6\",\"Invert\":\"1\","
	"\"EdgeDetect\":\"1\",\"SampleAfterValue\":\"2000003\",\"BriefDescription\":\"Stalls\"},\n"
	" {\"EventName\":\"OCR.READS\",\"EventCode\":\"0xB7, 0xBB\",\"UMask\":\"0x1\",\"MSRIndex\":\"0x1a6,0x1a7\","
	"\"MSRValue\":\"0x3F803C0001\"},\n"
	" {\"EventName\":\"LATENCY\",\"EventCode\":\"0xCD\",\"UMask\":\"0x1\",\"MSRIndex\":\"0x3F6\",\"MSRValue\":"
	"\"0x80\"},\n"
	" {\"EventName\":\"FRONTEND\",\"EventCode\":\"0xc6\",\"UMask\":\"0x1\",\"MSRIndex\":\"0x3F7\",\"MSRValue\":"
	"\"0x11\"},\n"
	" {\"EventName\":\"OLD\",\"EventCode\":\"0x1\",\"Deprecated\":\"1\"},\n"
	" {\"EventName\":\"OLDER\",\"EventCode\":\"0x2\",\"Deprecated\":\"1\",\"BriefDescription\":\"This is "
	"deprecated: use OLD\"},\n"
	" {\"EventName\":\"WRONG.CODE\",\"EventCode\":\"0xzz\",\"Counter\":\"0\"},\n"
	" {\"EventName\":\"WRONG.HUGE\",\"EventCode\":\"0x1ffffffffffffffff\"},\n"
	" {\"EventName\":\"WRONG.UMASK\",\"EventCode\":\"0x1\",\"UMask\":\"0x1,event=0x3\"},\n"
	" {\"EventName\":\"NO.CODE\",\"UMask\":\"0x1\",\"Counter\":\"0,1\"},\n"
	" {\"EventName\":\"WRONG.SCALE\",\"EventCode\":\"0x1\",\"ScaleUnit\":\"1e999B\"},\n"
	" {\"EventName\":\"WIDE\",\"EventCode\":\"0x1001e\"}]\n";

static const char uncore_json[] =
	"[{\"EventName\":\"UNC_M_READS\",\"EventCode\":\"0x4\",\"UMask\":\"0x3\",\"Unit\":\"iMC\",\"PerPkg\":\"1\","
	"\"ScaleUnit\":\"64Bytes\"},\n"
	" {\"EventName\":\"UNC_CHA_INSERTS\",\"EventCode\":\"0x35\",\"UMask\":\"0xC816FE01\",\"Unit\":\"CHA\"},\n"
	" {\"EventName\":\"UNC_CHA_RAW\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\",\"UMaskExt\":\"0xC816FE\",\"Unit\":"
	"\"CHA\",\"ScaleUnit\":\"nanoseconds\","
	"\"Filter\":\"config1=0x40433\",\"CounterMask\":\"2\"},\n"
	" {\"EventName\":\"UNC_IIO_DATA\",\"EventCode\":\"0x83\",\"UMask\":\"0x4\",\"Unit\":\"IIO\",\"PortMask\":"
	"\"0x01\","
	"\"FCMask\":\"0x07\",\"ScaleUnit\":\"nothing\"},\n"
	" {\"EventName\":\"L3_LOOKUP\",\"EventCode\":\"0x04\",\"UMask\":\"0xff\",\"Unit\":\"L3PMC\",\"EnAllSlices\":"
	"\"0x1\","
	"\"SliceId\":\"0x3\"},\n"
	" {\"EventName\":\"DF\",\"EventCode\":\"0x1f\",\"Unit\":\"DFPMC\",\"BriefDescription\":\"d\"},\n"
	" {\"EventName\":\"DDRC_READS\",\"EventCode\":\"0x5\",\"Unit\":\"hisi_sccl,ddrc\"},\n"
	" {\"EventName\":\"UNC_ARB_CYCLES\",\"EventCode\":\"0x80\",\"Unit\":\"ARB\",\"CounterMask\":\"1\"},\n"
	" {\"EventName\":\"UNC_FREE_CYCLES\",\"EventCode\":\"0x1\",\"Unit\":\"imc_free\",\"CounterMask\":\"2\"},\n"
	" {\"EventName\":\"BOTH\",\"EventCode\":\"0x11\",\"UMask\":\"0x1\",\"Unit\":\"cpu_core\"},\n"
	" {\"EventName\":\"BOTH\",\"EventCode\":\"0x22\",\"UMask\":\"0x2\",\"Unit\":\"cpu_atom\"},\n"
	" {\"MetricName\":\"m\",\"MetricExpr\":\"1\"}]\n";

static const char arm_json[] = "[{\"ArchStdEvent\":\"STALL_BACKEND_MEM\"},\n"
			       " {\"ArchStdEvent\":\"CPU_CYCLES\",\"BriefDescription\":\"cycles\"},\n"
			       " {\"EventName\":\"OWN\",\"EventCode\":\"0x10c\"},\n"
			       " {\"ArchStdEvent\":\"MADE_UP\",\"EventName\":\"RENAMED\"},\n"
			       " {\"EventName\":\"MADE_UP\",\"EventCode\":\"0x123\"},\n"
			       " {\"EventName\":\"STALL_BACKEND_MEM\",\"EventCode\":\"0x4005\"},\n"
			       " {\"EventName\":\"CPU_CYCLES\",\"EventCode\":\"0x11\"},\n"
			       " {\"ArchStdEvent\":\"NO_SUCH_EVENT\"}]\n";

static void put_files(const char *root)
{
	scratch_put(root, "files/core.json", core_json);
	scratch_put(root, "files/uncore.json", uncore_json);
	scratch_put(root, "arm/arm.json", arm_json);
}

static void put_pmu(const char *root, const char *pmu, const char *type, const char *cpus, const char *formats)
{
	auto_free char *type_file = xasprintf("%s/type", pmu), *cpus_file = xasprintf("%s/%s", pmu, cpus);

	scratch_put(root, type_file, type);
	if (*cpus)
		scratch_put(root, cpus_file, "0\n");
	for (size_t n; *formats; formats += n + strspn(formats + n, " ")) {
		size_t equals = strcspn(formats, "=");
		auto_free char *file = xasprintf("%s/format/%.*s", pmu, (int)equals, formats);
		auto_free char *text = NULL;

		n = strcspn(formats, " ");
		text = xstrndup(formats + equals + 1, n - equals - 1);
		scratch_put(root, file, text);
	}
}

#define X86      "event=config:0-7 umask=config:8-15 edge=config:18 any=config:21 inv=config:23 cmask=config:24-31"
#define X86_MORE " offcore_rsp=config1:0-63 ldlat=config1:0-15 frontend=config1:0-23"

static void put_machines(const char *root)
{
	put_pmu(root, "intel/cpu", "4", "", X86 X86_MORE);
	scratch_put(root, "intel/cpu/events/cycles-t", "event=0x3c\n");
	put_pmu(root, "intel/uncore_imc_0", "20", "cpumask", "event=config:0-7 umask=config:8-15");
	put_pmu(root, "intel/uncore_imc_1", "21", "cpumask", "event=config:0-7 umask=config:8-15");
	put_pmu(root, "intel/uncore_cha_0", "22", "cpumask",
		"event=config:0-7 umask=config:8-15,32-55 thresh=config:24-31");
	put_pmu(root, "intel/uncore_arb", "23", "cpumask", "event=config:0-7 umask=config:8-15 cmask=config:24-28");
	put_pmu(root, "intel/uncore_imc_free", "24", "cpumask", "event=config:0-7 threshold=config:24-29");
	put_pmu(root, "intel/msr", "9", "", "event=config:0-63");
	put_pmu(root, "neoverse/armv8_pmuv3_0", "8", "cpus", "event=config:0-15");
	put_pmu(root, "neoverse/hisi_sccl1_ddrc0", "30", "cpumask", "event=config:0-7");
	put_pmu(root, "neoverse/hisi_sccl1_l3c0", "31", "cpumask", "event=config:0-7");
	put_pmu(root, "neoverse/hisi_sccl3_ddrc1", "32", "cpumask", "event=config:0-7");
	put_pmu(root, "hybrid/cpu_core", "4", "cpus", X86);
	put_pmu(root, "hybrid/cpu_atom", "10", "cpus", X86);
	put_pmu(root, "none/software", "1", "", "");
}

struct expected {
	const char *machine, *name;
	unsigned type;
	uint64_t config, config1;
	const char *full_name, *fields; /* what the file has; NULL: it is encoded here */
};

#define ABSENT UINT32_MAX

static const struct expected table[] = {
	{"intel", "INST_RETIRED.ANY", 4, 0xc0, 0, "cpu/INST_RETIRED.ANY/", NULL},
	{"intel", "inst_retired.any:u", 4, 0xc0, 0, "cpu/INST_RETIRED.ANY/", NULL},
	{"intel", "CLK.THREAD", 4, 0x20003c, 0, "cpu/CLK.THREAD/", NULL},
	{"intel", "CLK.REF", 4, 0x300, 0, "cpu/CLK.REF/", NULL},
	{"intel", "INST_RETIRED.PREC_DIST", 4, 0x100, 0, "cpu/INST_RETIRED.PREC_DIST/", NULL},
	{"intel", "pipe.total0", 4, 0x100, 0, "cpu/PIPE.TOTAL0/", NULL},
	{"intel", "STALLS.L3", 4, 0x68406a3, 0, "cpu/STALLS.L3/", NULL},
	{"intel", "STALLS.L3/cmask=1,inv=0/k", 4, 0x10406a3, 0, "cpu/STALLS.L3,cmask=0x1,inv=0x0/", NULL},
	{"intel", "cpu/stalls.l3,umask=7/", 4, 0x68407a3, 0, "cpu/STALLS.L3,umask=0x7/", NULL},
	{"intel", "cpu/cmask=3,event=STALLS.L3/", 4, 0x68406a3, 0, "cpu/cmask=0x3,STALLS.L3/", NULL},
	{"intel", "OCR.READS", 4, 0x1b7, 0x3f803c0001, "cpu/OCR.READS/", NULL},
	{"intel", "cpu/OCR.READS,offcore_rsp=0x1/", 4, 0x1b7, 1, "cpu/OCR.READS,offcore_rsp=0x1/", NULL},
	{"intel", "WRONG.UMASK/cmask=1/", 4, 0x1000101, 0, "cpu/WRONG.UMASK,cmask=0x1/", NULL},
	{"intel", "LATENCY", 4, 0x1cd, 0x80, "cpu/LATENCY/", NULL},
	{"intel", "FRONTEND", 4, 0x1c6, 0x11, "cpu/FRONTEND/", NULL},
	{"intel", "OLD", 4, 1, 0, "cpu/OLD/", NULL},
	{"intel", "UNC_M_READS", 20, 0x304, 0, "uncore_imc/UNC_M_READS/", NULL},
	{"intel", "imc_1/UNC_M_READS/", 21, 0x304, 0, "uncore_imc_1/UNC_M_READS/", NULL},
	{"intel", "uncore_imc_1/unc_m_reads/", 21, 0x304, 0, "uncore_imc_1/UNC_M_READS/", NULL},
	{"intel", "UNC_CHA_INSERTS", 22, 0xc816fe00000135, 0, "uncore_cha_0/UNC_CHA_INSERTS/", NULL},
	{"intel", "UNC_CHA_RAW", 22, 0xc816fe02000135, 0x40433, "uncore_cha_0/UNC_CHA_RAW/", NULL},
	{"intel", "cha/UNC_CHA_INSERTS,config1=0x12cc0233/", 22, 0xc816fe00000135, 0x12cc0233,
	 "uncore_cha_0/UNC_CHA_INSERTS,config1=0x12cc0233/", NULL},
	{"intel", "UNC_CHA_INSERTS/thresh=1/", 22, 0xc816fe01000135, 0, "uncore_cha_0/UNC_CHA_INSERTS,thresh=0x1/",
	 NULL},
	{"neoverse", "DDRC_READS", 30, 0x5, 0, "hisi_sccl,ddrc/DDRC_READS/", NULL},
	{"intel", "UNC_ARB_CYCLES", 23, 0x1000080, 0, "uncore_arb/UNC_ARB_CYCLES/", NULL},
	{"intel", "UNC_FREE_CYCLES", 24, 0x2000001, 0, "uncore_imc_free/UNC_FREE_CYCLES/", NULL},
	{"intel", "UNC_IIO_DATA", ABSENT, 0, 0, "uncore_iio/UNC_IIO_DATA/",
	 "EventCode=0x83\nUMask=0x4\nUnit=IIO\nPortMask=0x01\nFCMask=0x07\nScaleUnit=nothing\n"},
	{"intel", "L3_LOOKUP", ABSENT, 0, 0, "amd_l3/L3_LOOKUP/",
	 "EventCode=0x04\nUMask=0xff\nUnit=L3PMC\nEnAllSlices=0x1\nSliceId=0x3\n"},
	{"intel", "WIDE", ABSENT, 0, 0, "cpu/WIDE/", "EventCode=0x1001e\n"},
	{"none", "INST_RETIRED.ANY:u", ABSENT, 0, 0, "cpu/INST_RETIRED.ANY/", "UMask=0x1\nCounter=Fixed counter 0\n"},
	{"none", "cpu/event=WIDE,cmask=1/", ABSENT, 0, 0, "cpu/event=WIDE,cmask=1/", "EventCode=0x1001e\n"},
	{"none", "WIDE/cmask=1/", ABSENT, 0, 0, "cpu/WIDE,cmask=1/", "EventCode=0x1001e\n"},
	{"none", "imc_0/UNC_M_READS/", ABSENT, 0, 0, "imc_0/UNC_M_READS/",
	 "EventCode=0x4\nUMask=0x3\nUnit=iMC\nPerPkg=1\nScaleUnit=64Bytes\n"},
	{"none", "DF", ABSENT, 0, 0, "amd_df/DF/", "EventCode=0x1f\nUnit=DFPMC\n"},
	{"none", "BOTH", ABSENT, 0, 0, "cpu_core/BOTH/", "EventCode=0x11\nUMask=0x1\nUnit=cpu_core\n"},
	{"neoverse", "cpu/WIDE/", ABSENT, 0, 0, "cpu/WIDE/", "EventCode=0x1001e\n"},
	{"neoverse", "INST_RETIRED.ANY", ABSENT, 0, 0, "armv8_pmuv3_0/INST_RETIRED.ANY/",
	 "UMask=0x1\nCounter=Fixed counter 0\n"},
	{"hybrid", "BOTH", 4, 0x111, 0, "cpu_core/BOTH/", NULL},
	{"hybrid", "cpu_atom/BOTH/", 10, 0x222, 0, "cpu_atom/BOTH/", NULL},
	{"hybrid", "BOTH/cmask=1/", 4, 0x1000111, 0, "cpu_core/BOTH,cmask=0x1/", NULL},
};

static const struct expected arm_table[] = {
	{"neoverse", "STALL_BACKEND_MEM", 8, 0x4005, 0, "armv8_pmuv3_0/STALL_BACKEND_MEM/", NULL},
	{"neoverse", "cpu_cycles", 8, 0x11, 0, "armv8_pmuv3_0/CPU_CYCLES/", NULL},
	{"neoverse", "OWN", 8, 0x10c, 0, "armv8_pmuv3_0/OWN/", NULL},
	{"neoverse", "RENAMED", 8, 0x123, 0, "armv8_pmuv3_0/RENAMED/", NULL},
	{"neoverse", "armv8_pmuv3_0/OWN/", 8, 0x10c, 0, "armv8_pmuv3_0/OWN/", NULL},
	{"none", "STALL_BACKEND_MEM", ABSENT, 0, 0, "cpu/STALL_BACKEND_MEM/", "ArchStdEvent=STALL_BACKEND_MEM\n"},
	{"intel", "STALL_BACKEND_MEM", ABSENT, 0, 0, "cpu/STALL_BACKEND_MEM/", "ArchStdEvent=STALL_BACKEND_MEM\n"},
};

static void test_table(const char *root, struct vendor_events *events, const struct expected *x, size_t n)
{
	for (; n-- > 0; x++) {
		auto_free char *pmus = xasprintf("%s/%s", root, x->machine);
		auto_free char *what = xasprintf("%s on %s", x->name, x->machine);
		struct event event = {0};
		struct error e = {0};
		int taken = vendor_resolve(pmus, events, x->name, &event, &e);
		const char *slash = strrchr(x->name, '/');
		size_t length = slash ? (size_t)(slash - x->name) + 1 : strcspn(x->name, ":");

		if (!ok(taken == (int)length, what)) {
			printf("# %d: %s\n", taken, e.text);
			continue;
		}
		is_number(event.attr.type, x->type, "… type");
		is_number(event.attr.config, x->config, "… config");
		is_number(event.attr.config1, x->config1, "… config1");
		is_string(event.full_name, x->full_name, "… full name");
		if (x->fields)
			is_string(event.fields, x->fields, "… its fields, which cannot be encoded here");
		else
			ok(!event.fields, "… encoded here");
		event_free(&event);
	}
}

static void resolves(const char *root, const char *machine, struct vendor_events *events, const char *name,
		     struct event *event)
{
	auto_free char *pmus = xasprintf("%s/%s", root, machine);
	struct error e = {0};

	ok(vendor_resolve(pmus, events, name, event, &e) > 0, name);
}

/* Other properties that an event gets from its file. */
static void test_fields(const char *root, struct vendor_events *events)
{
	struct event event = {0};

	resolves(root, "intel", events, "UNC_M_READS", &event);
	ok(event.scale == 64, "ScaleUnit is a factor");
	is_string(event.unit, "Bytes", "… and a unit");
	is_string(event.instances, "uncore_imc_0,uncore_imc_1", "all PMUs of the unit");
	is_string(event.cpus, "0", "… with their CPUs");
	ok(event.source == EVENT_VENDOR, "the file's event");
	ok(event.origin && strstr(event.origin, "/files/uncore.json, line 1"), "… its file and line");
	ok(!event.remark && !event.any_core, "… without a remark");
	event_free(&event);
	resolves(root, "intel", events, "UNC_CHA_RAW", &event);
	ok(event.scale == 1, "a ScaleUnit without a number does not change the count");
	is_string(event.unit, "nanoseconds", "… in that unit");
	event_free(&event);
	resolves(root, "intel", events, "old", &event);
	is_string(event.remark, "OLD is deprecated", "a deprecated event");
	event_free(&event);
	resolves(root, "intel", events, "older", &event);
	is_string(event.remark, "OLDER: This is deprecated: use OLD", "… that names the alternative");
	event_free(&event);
	resolves(root, "hybrid", events, "BOTH", &event);
	ok(event.any_core, "an event that names no kind of core");
	event_free(&event);
	resolves(root, "hybrid", events, "cpu_core/BOTH/", &event);
	ok(!event.any_core, "… and an event that names one");
	event_free(&event);
}

static void fails_on(const char *root, const char *machine, struct vendor_events *events, const char *name, int code,
		     const char *text)
{
	auto_free char *pmus = xasprintf("%s/%s", root, machine);
	struct event event = {0};
	struct error e = {0};
	int ret = vendor_resolve(pmus, events, name, &event, &e);

	is_number(ret, -code, name);
	if (code && !ok(strstr(e.text, text) != NULL, "… why"))
		printf("# %s\n", e.text);
	ok(!event.full_name && !event.pmu && !event.origin, "… nothing is left");
}

static void fails(const char *root, struct vendor_events *events, const char *name, int code, const char *text)
{
	fails_on(root, "intel", events, name, code, text);
}

static void test_errors(const char *root, struct vendor_events *events)
{
	fails(root, events, "NO.CODE", EINVAL, "event NO.CODE has no EventCode");
	fails(root, events, "WRONG.CODE", EINVAL, "core.json, line 12: EventCode of event WRONG.CODE is '0xzz', which");
	fails(root, events, "WRONG.HUGE", EINVAL, "is not a number");
	fails(root, events, "STALLS.L3/cmask=0x100/", ERANGE, "value 0x100 of term 'cmask' is too large");
	fails(root, events, "STALLS.L3/nonsense=1/", ENOENT, "has no term 'nonsense'");
	fails(root, events, "cpu/STALLS.L3,OCR.READS/", EINVAL, "'OCR.READS' is a second event");
	fails(root, events, "cpu/UNC_M_READS/", ENOENT, "PMU 'cpu' has no term or event 'UNC_M_READS'");
	fails(root, events, "NO.SUCH", 0, "");
	fails(root, events, "no/such/", 0, "");
	fails(root, events, "mem:0x1/2:rw", 0, "");
	fails(root, events, "", 0, "");
	fails(root, events, "/x/", 0, "");
	fails(root, events, "OLD/unclosed", 0, "");
	fails(root, events, "WRONG.SCALE", EINVAL, "ScaleUnit '1e999B', is not a finite number");
	fails(root, events, "cha/event=0,UNC_IIO_DATA/", ENOENT, "no term or event 'UNC_IIO_DATA'");
}

/* Events that --explain describes are otherwise refused; errors in the name or the user's terms are reported also
 * there. */
static void test_absent(const char *root, struct vendor_events *events)
{
	fails_on(root, "none", events, "WRONG.CODE", EINVAL, "EventCode of event WRONG.CODE is '0xzz', which");
	fails_on(root, "none", events, "imc_0/event=0x0/", 0, "");
	fails_on(root, "none", events, "cstate_core/c6-residency/", 0, "");
	events->describe = false;
	fails_on(root, "none", events, "UNC_IIO_DATA", ENODEV, "PMU 'uncore_iio' is not on this machine");
	fails_on(root, "none", events, "OLD", ENODEV, "PMU 'cpu' is not on this machine");
	fails_on(root, "none", events, "cpu/OLD/", 0, "");
	fails_on(root, "neoverse", events, "INST_RETIRED.ANY", ENODEV, "for another CPU than this machine's");
	fails(root, events, "WIDE", EINVAL, "value 0x1001e of term 'event' is too large");
	events->describe = true;
}

static void take(void *arg, const struct event_entry *entry)
{
	strings_add(arg, "%s|%s|%s", entry->name, entry->pmu ? entry->pmu : "", entry->description);
}

/* An ArchStdEvent without a code: another CPU's file is still described. */
static void test_no_code(const char *root, struct vendor_events *events)
{
	static const char what[] = "arm.json, line 8: ArchStdEvent NO_SUCH_EVENT has no code";
	struct strings all = {0};
	struct event event = {0};
	struct error e;

	fails_on(root, "neoverse", events, "NO_SUCH_EVENT", ENODATA, what);
	fails_on(root, "neoverse", events, "armv8_pmuv3_0/NO_SUCH_EVENT/", ENODATA, what);
	resolves(root, "intel", events, "NO_SUCH_EVENT", &event);
	is_string(event.fields, "ArchStdEvent=NO_SUCH_EVENT\n", "… on another machine");
	event_free(&event);
	is_number(vendor_each(events, take, &all, &e), 0, "all of Arm's can be listed");
	ok(strings_has(&all, "RENAMED||") && !strings_has(&all, "NO_SUCH_EVENT||"), "… except events without a code");
	strings_free(&all);
}

static void test_list(struct vendor_events *events)
{
	struct suggest near = {.word = "UNC_M_RAEDS"};
	struct strings all = {0};
	struct error e;
	char buf[200];

	is_number(vendor_each(events, take, &all, &e), 0, "all can be listed");
	ok(strings_has(&all, "STALLS.L3||Stalls"), "an event of the cores");
	ok(strings_has(&all, "UNC_M_READS|uncore_imc|"), "an event of a unit");
	ok(strings_has(&all, "OLD|| (deprecated)"), "a deprecated event");
	is_number(all.n, 28, "no metric among them");
	strings_free(&all);
	is_number(vendor_each(events, event_offer, &near, &e), 0, "all can be offered");
	is_string(suggest_finish(&near, buf, sizeof(buf)), "did you mean UNC_M_READS?", "a similar name");
}

static struct vendor_events events_of(struct vendor_files *files, const char *root, const char *directory)
{
	auto_free char *path = xasprintf("%s/%s", root, directory);
	struct error e;

	is_number(vendor_files_add(files, path, &e), 0, directory);
	return (struct vendor_events){.files = files, .describe = true};
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;
	struct vendor_files files = {0}, arm_files = {0};
	struct vendor_events events, arm;

	unsetenv("PFMSTAT_METRICS");
	scratch_make(root);
	put_files(root);
	put_machines(root);
	events = events_of(&files, root, "files");
	arm = events_of(&arm_files, root, "arm");
	test_table(root, &events, table, ARRAY_SIZE(table));
	test_table(root, &arm, arm_table, ARRAY_SIZE(arm_table));
	test_fields(root, &events);
	test_errors(root, &events);
	test_list(&events);
	test_absent(root, &events);
	test_no_code(root, &arm);
	vendor_events_free(&events);
	vendor_events_free(&arm);
	vendor_files_free(&files);
	vendor_files_free(&arm_files);
	scratch_remove(root);
	return tap_done();
}
