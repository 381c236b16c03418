/* PMUs read from a tree made here: an Intel-like core PMU, two kinds of core, uncore PMUs, and files as no kernel
 * writes them. The encodings expected are worked out by hand from the format files. */
#include "pmu/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/util.h"
#include "pmu/pmu.h"
#include "scratch.h"
#include "tap.h"

static void put_core(const char *root)
{
	scratch_put(root, "cpu/type", "4\n");
	scratch_put(root, "cpu/format/event", "config:0-7,32-35\n");
	scratch_put(root, "cpu/format/umask", "config:8-15\n");
	scratch_put(root, "cpu/format/edge", "config:18\n");
	scratch_put(root, "cpu/format/inv", "config:23\n");
	scratch_put(root, "cpu/format/cmask", "config:24-31\n");
	scratch_put(root, "cpu/format/ldlat", "config1:0-15\n");
	scratch_put(root, "cpu/format/offcore_rsp", "config1:0-63\n");
	scratch_put(root, "cpu/format/filter", "config2:4,8-9\n");
	scratch_put(root, "cpu/format/newer", "config3:0-63\n");
	scratch_put(root, "cpu/format/newest", "config4:4-11\n");
	scratch_put(root, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	scratch_put(root, "cpu/events/topdown-fetch-bubbles", "event=0x9c,umask=0x1\n");
	scratch_put(root, "cpu/events/topdown-fetch-bubbles.scale", "2\n");
	scratch_put(root, "cpu/events/topdown-fetch-bubbles.snapshot", "1\n");
	scratch_put(root, "cpu/events/topdown-fetch-bubbles.per-pkg", "1\n");
}

static void put_others(const char *root)
{
	scratch_put(root, "power/type", "9\n");
	scratch_put(root, "power/cpumask", "0,8\n");
	scratch_put(root, "power/format/event", "config:0-7\n");
	scratch_put(root, "power/events/energy-pkg", "event=0x02\n");
	scratch_put(root, "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	scratch_put(root, "power/events/energy-pkg.unit", "Joules\n");
	for (int i = 0; i < 12; i++) {
		auto_free char *type = xasprintf("uncore_imc_%d/type", i);
		auto_free char *format = xasprintf("uncore_imc_%d/format/event", i);
		auto_free char *number = xasprintf("%d\n", 20 + i);

		scratch_put(root, type, number);
		scratch_put(root, format, "config:0-7\n");
		if (i < 11) {
			auto_free char *cpumask = xasprintf("uncore_imc_%d/cpumask", i);

			scratch_put(root, cpumask, i < 10 ? "0,8\n" : "1\n");
		}
	}
	scratch_put(root, "uncore_imc_0/events/reads", "event=0x4\n");
	scratch_put(root, "uncore_imc_0/events/reads.scale", "64\n");
	scratch_put(root, "uncore_imc_free_running_0/type", "33\n");
	scratch_put(root, "uncore_pcu/type", "34\n");
	scratch_put(root, "hv_24x7/type", "40\n");
	scratch_put(root, "hv_24x7/format/core", "config:16-31\n");
	scratch_put(root, "hv_24x7/format/domain", "config:0-3\n");
	scratch_put(root, "hv_24x7/events/HPM_INST__PHYS", "domain=0x2,core=?\n");
}

static void put_garbled(const char *root)
{
	static const struct {
		const char *name, *text;
	} formats[] = {{"none", ""},           {"wide", "config:0-64"},
		       {"back", "config:7-0"}, {"word", "config:a"},
		       {"colon", "config"},    {"tail", "config:0-7,"},
		       {"open", "config:0-"},  {"other", "config9:0-7"},
		       {"space", "config: 0"}, {"huge", "config:0-99999999999999999999"}};

	scratch_put(root, "bad/type", "50\n");
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		auto_free char *path = xasprintf("bad/format/%s", formats[i].name);

		scratch_put(root, path, formats[i].text);
	}
	scratch_put(root, "bad/format/event", "config:0-7\n");
	scratch_put(root, "bad/events/noterm", "nothing=1\n");
	scratch_put(root, "bad/events/wideterm", "event=0x100\n");
	scratch_put(root, "bad/events/empty", "\n");
	scratch_put(root, "bad/events/commas", "event=1,,\n");
	scratch_put(root, "bad/events/fine", "event=1\n");
	scratch_put(root, "bad/events/fine.scale", "nan\n");
	scratch_put(root, "bad/events/dot", "event=1\n");
	scratch_put(root, "bad/events/dot.scale", "1,5\n");
	scratch_put(root, "badtype/type", "-4\n");
	scratch_put(root, "badtype2/type", "4294967296\n");
	scratch_put(root, "badcpus/type", "51\n");
	scratch_put(root, "badcpus/cpumask", "all of them\n");
	scratch_put(root, "badcpus2/type", "53\n");
	scratch_put(root, "badcpus2/cpumask", "3-\n");
	scratch_put(root, "typeless/cpus", "0\n");
	scratch_put(root, "typeless/events/alone", "event=1\n");
	scratch_put(root, "emptycpus/type", "52\n");
	scratch_put(root, "emptycpus/cpumask", "\n");
	scratch_put(root, "../secret/type", "99\n");
}

struct expected {
	const char *name;
	int taken;
	unsigned type;
	uint64_t config, config1, config2;
	const char *full_name;
};

static void test_encodings(const char *root)
{
	static const struct expected table[] = {
		{"cpu/event=0x3c,umask=0/", 23, 4, 0x3c, 0, 0, "cpu/event=0x3c,umask=0x0/"},
		{"cpu/event=0x3c/u:p", 15, 4, 0x3c, 0, 0, "cpu/event=0x3c/"},
		{"cpu/event=0x13c/", 16, 4, 0x10000003c, 0, 0, "cpu/event=0x13c/"},
		{"cpu/event=0xfff,umask=0xff/", 27, 4, 0xf0000ffff, 0, 0, "cpu/event=0xfff,umask=0xff/"},
		{"cpu/event=60,edge,inv=1,cmask=010/", 34, 4, 0x0a84003c, 0, 0,
		 "cpu/event=0x3c,edge=0x1,inv=0x1,cmask=0xa/"},
		{"cpu/offcore_rsp=0xffffffffffffffff/", 35, 4, 0, UINT64_MAX, 0, "cpu/offcore_rsp=0xffffffffffffffff/"},
		{"cpu/filter=7/", 13, 4, 0, 0, 0x310, "cpu/filter=0x7/"},
		{"cpu/filter=2/", 13, 4, 0, 0, 0x100, "cpu/filter=0x2/"},
		{"cpu/config=0x1234,config1=2,config2=3/", 38, 4, 0x1234, 2, 3,
		 "cpu/config=0x1234,config1=0x2,config2=0x3/"},
		{"cpu/mem-loads/", 14, 4, 0x1cd, 3, 0, "cpu/mem-loads/"},
		{"cpu/event=mem-loads/", 20, 4, 0x1cd, 3, 0, "cpu/mem-loads/"},
		{"cpu/mem-loads,ldlat=30/P", 23, 4, 0x1cd, 30, 0, "cpu/mem-loads,ldlat=0x1e/"},
		{"cpu/event=0xff,event=1/", 23, 4, 1, 0, 0, "cpu/event=0xff,event=0x1/"},
		{"cpu/r1a8/", 9, 4, 0x1a8, 0, 0, "cpu/config=0x1a8/"},
		{"cpu/event=1,period=1000,freq=9/", 31, 4, 1, 0, 0, "cpu/event=0x1/"},
		{"cpu//", 5, 4, 0, 0, 0, "cpu//"},
		{"mem-loads", 9, 4, 0x1cd, 3, 0, "cpu/mem-loads/"},
		{"mem-loads:u", 9, 4, 0x1cd, 3, 0, "cpu/mem-loads/"},
		{"hv_24x7/HPM_INST__PHYS,core=3/", 30, 40, 0x30002, 0, 0, "hv_24x7/HPM_INST__PHYS,core=0x3/"},
		{"bad/empty/", 0, 0, 0, 0, 0, NULL},
	};

	for (const struct expected *x = table; x->full_name; x++) {
		struct event event = {0};
		struct error e = {0};

		is_number(sysfs_resolve(root, x->name, &event, &e), x->taken, x->name);
		is_number(event.attr.type, x->type, "… type");
		is_number(event.attr.config, x->config, "… config");
		is_number(event.attr.config1, x->config1, "… config1");
		is_number(event.attr.config2, x->config2, "… config2");
		is_string(event.full_name, x->full_name, "… full name");
		ok(event.source == EVENT_SYSFS && event.attr.exclude_guest && !event.name,
		   "… and the other fields are unchanged");
		event_free(&event);
	}
}

static void test_measures(const char *root)
{
	struct event event = {0};
	struct error e = {0};

	is_number(sysfs_resolve(root, "power/energy-pkg/", &event, &e), 17, "an event with scale and unit");
	ok(event.scale == 1.0 / 4294967296.0, "RAPL's scale is 2^-32");
	is_string(event.unit, "Joules", "unit");
	is_string(event.cpus, "0,8", "cpumask");
	is_string(event.pmu, "power", "pmu");
	event_free(&event);

	is_number(sysfs_resolve(root, "energy-pkg:u", &event, &e), 10, "the only PMU that has an event of this name");
	is_string(event.pmu, "power", "… is found");
	event_free(&event);

	sysfs_resolve(root, "topdown-fetch-bubbles", &event, &e);
	ok(event.scale == 2.0, "scale of a bare name");
	is_string(event.unit, "", "no unit");
	ok(!event.cpus, "a core PMU without a list of CPUs counts anywhere");
	event_free(&event);

	is_number(sysfs_resolve(root, "emptycpus/config=1/", &event, &e), 19, "an empty cpumask");
	ok(!event.cpus, "… is none");
	event_free(&event);

	is_number(sysfs_resolve(root, "cpu/event=1,name='a, b/c'/u", &event, &e), 26, "name='…'");
	is_string(event.name, "a, b/c", "… sets the displayed name");
	is_string(event.full_name, "cpu/event=0x1/", "… and leaves the encoding");
	event_free(&event);
}

struct wrong {
	const char *name, *text, *hint;
	size_t at, length;
};

static const struct wrong wrong[] = {
	{"cpu/event=0x3c,umask=0x100/", "the largest is 0xff", "", 21, 5},
	{"cpu/edge=2/", "the largest is 0x1", "", 9, 1},
	{"cpu/event=0x1000/", "the largest is 0xfff", "", 10, 6},
	{"cpu/event=1,umsk=1/", "no term 'umsk'", "did you mean umask", 12, 4},
	{"cpu/mem-load/", "no term or event 'mem-load'", "did you mean mem-loads?", 4, 8},
	{"cpu/EVENT=1/", "no term 'EVENT'", "did you mean event?", 4, 5},
	{"cpu/event=0xzz/", "is not a number", "", 10, 4},
	{"cpu/event=/", "is not a number", "", 10, 0},
	{"cpu/event=-1/", "is not a number", "", 10, 2},
	{"cpu/event=?/", "is not a number", "", 10, 1},
	{"cpu/event=1x/", "is not a number", "", 10, 2},
	{"cpu/config=0x10000000000000000/", "64 bits", "", 11, 19},
	{"cpu/event=1,,umask=1/", "a term is missing", "", 12, 0},
	{"cpu/event=1,/", "a term is missing", "", 12, 0},
	{"cpu/name=/", "needs a value", "", 4, 5},
	{"cpu/period=x/", "is not a number", "", 11, 1},
	{"cpu/cpu=cpi/", "needs a CPU, a range of CPUs or a PMU", "", 8, 3},
	{"cpu/cpu=2-1/", "needs a CPU, a range of CPUs or a PMU", "", 8, 3},
	{"cpu/cpu/", "needs a CPU, a range of CPUs or a PMU", "", 4, 3},
	{"mem-loads/umsk=1/", "no term 'umsk'", "did you mean umask", 10, 4},
	{"cpu/mem-loads,topdown-fetch-bubbles/", "second event", "", 14, 21},
	{"cpu/mem-loads.scale/", "no term or event", "", 4, 15},
	{"cpu/topdown-fetch-bubbles.scale/", "no term or event", "", 4, 27},
	{"cpu/event=0x3c", "closing '/'", "", 3, 1},
	{"cpu/../power/type/", "no term or event '..'", "", 4, 2},
	{"hv_24x7/HPM_INST__PHYS/", "'core' needs a value", "hv_24x7/HPM_INST__PHYS,core=1/", 8, 14},
	{"cpi/event=1/", "no PMU 'cpi'", "did you mean cpu", 0, 3},
	{"CPU/event=1/", "no PMU 'CPU'", "did you mean cpu", 0, 3},
	{"../secret/", "no PMU '..'", "", 0, 2},
	{"./type/", "no PMU '.'", "", 0, 1},
	{"imc/nonsense=1/", "PMU 'uncore_imc_0' has no term 'nonsense'", "terms of uncore_imc_0: event", 4, 8},
	{"im/event=1/", "no PMU 'im'", "", 0, 2},
	{"uncore_imc_*/event=4/", "PMUs of several kinds", "uncore_imc_11, uncore_imc_free_running_0", 0, 12},
	{"uncore_/event=1/", "no PMU 'uncore_'", "", 0, 7},
	{"badtype/event=1/", "type of PMU 'badtype'", "", 0, 7},
	{"badtype2/event=1/", "type of PMU 'badtype2'", "", 0, 8},
	{"badcpus/config=1/", "list of CPUs", "", 0, 7},
	{"badcpus2/config=1/", "list of CPUs", "", 0, 8},
	{"alone", "no PMU 'typeless'", "", 0, 5},
	{"bad/none/", "garbled", "", 4, 4},
	{"bad/wide=1/", "garbled", "", 4, 6},
	{"bad/back=1/", "garbled", "", 4, 6},
	{"bad/word=1/", "garbled", "", 4, 6},
	{"bad/colon=1/", "garbled", "", 4, 7},
	{"bad/tail=1/", "garbled", "", 4, 6},
	{"bad/open=1/", "garbled", "", 4, 6},
	{"bad/other=1/", "garbled", "", 4, 7},
	{"bad/space=1/", "garbled", "", 4, 7},
	{"bad/huge=1/", "garbled", "", 4, 6},
	{"bad/noterm/", "definition of event 'noterm'", "", 4, 6},
	{"bad/wideterm/", "the largest is 0xff", "", 4, 8},
	{"bad/commas/", "definition of event 'commas'", "", 4, 6},
	{"bad/fine/", "scale", "", 4, 4},
	{"bad/dot/", "scale", "", 4, 3},
};

static void test_errors(const char *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		const struct wrong *x = &wrong[i];
		struct event event = {0};
		struct error e = {.code = 7, .text = "stale"};
		int ret = sysfs_resolve(root, x->name, &event, &e);

		if (!ok(ret < 0 && ret == -e.code && strstr(e.text, x->text) && strstr(e.hint, x->hint), x->name))
			printf("# %d '%s' / '%s'\n", ret, e.text, e.hint);
		is_number(e.at, x->at, "… token");
		is_number(e.length, x->length, "… length");
		ok(!event.full_name && !event.pmu && !event.unit, "… event untouched");
	}
}

/* PMUs named by the common part of their names count together. */
static void test_instances(const char *root)
{
	static const char *const all[] = {"imc/reads/", "uncore_imc/reads/", "uncore_imc_[0-9]*/reads/"};
	struct event event = {0};
	struct error e = {0};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		ok(sysfs_resolve(root, all[i], &event, &e) > 0, all[i]);
		is_string(event.instances,
			  "uncore_imc_0,uncore_imc_1,uncore_imc_2,uncore_imc_3,uncore_imc_4,uncore_imc_5,uncore_imc_6,"
			  "uncore_imc_7,uncore_imc_8,uncore_imc_9,uncore_imc_10,uncore_imc_11",
			  "… all twelve, and no other");
		is_string(event.full_name, all[i], "… under their common name");
		is_number(event.attr.type, 20, "… with the type of the first");
		is_number(event.attr.config, 4, "… and its encoding");
		is_string(event.cpus, "0,8,1", "… on the CPUs of all");
		ok(event.scale == 64, "… scaled");
		event_free(&event);
	}
	is_number(sysfs_resolve(root, "imc_3/config=1/", &event, &e), 15, "one of them");
	is_string(event.pmu, "uncore_imc_3", "… by its name");
	ok(!event.instances, "… alone");
	event_free(&event);
	is_number(sysfs_resolve(root, "pcu/config=1/", &event, &e), 13, "a kind with one PMU");
	is_string(event.full_name, "uncore_pcu/config=0x1/", "… is that PMU");
	ok(!event.instances, "… alone");
	event_free(&event);
}

static void is_sum(const char *root, const char *name, const char *instances)
{
	struct event event = {0};
	struct error e = {0};

	if (!ok(sysfs_resolve(root, name, &event, &e) > 0, name))
		printf("# %s\n", e.text);
	is_string(event.instances ? event.instances : event.pmu, instances, "… counts on");
	event_free(&event);
}

/* Instances' numbers are decimal or hexadecimal, at the end and within. */
static void test_kinds(const char *dir)
{
	static const char *const pmus[] = {"smmuv3_pmcg_3f062",
					   "smmuv3_pmcg_12345",
					   "smmuv3_pmcg_ab000",
					   "smmuv3_pmcg_x",
					   "hisi_sccl1_ddrc0",
					   "hisi_sccl1_ddrc1",
					   "hisi_sccl3_ddrc0",
					   "hisi_sccl1_l3c0",
					   "cpum_cf",
					   "drw_1",
					   "drw_2"};
	auto_free char *root = xasprintf("%s/kinds", dir);
	struct event event = {0};
	struct error e = {0};

	for (size_t i = 0; i < ARRAY_SIZE(pmus); i++) {
		auto_free char *type = xasprintf("%s/type", pmus[i]), *format = xasprintf("%s/format/event", pmus[i]);
		auto_free char *number = xasprintf("%zu\n", 40 + i);

		scratch_put(root, type, number);
		scratch_put(root, format, strcmp(pmus[i], "drw_2") == 0 ? "config:0-15\n" : "config:0-7\n");
	}
	is_sum(root, "smmuv3_pmcg/event=1/", "smmuv3_pmcg_3f062,smmuv3_pmcg_12345,smmuv3_pmcg_ab000");
	is_sum(root, "smmuv3_pmcg_[0-9a]*/event=1/", "smmuv3_pmcg_3f062,smmuv3_pmcg_12345,smmuv3_pmcg_ab000");
	is_sum(root, "hisi_sccl*_ddrc0/event=1/", "hisi_sccl1_ddrc0,hisi_sccl3_ddrc0");
	is_sum(root, "hisi_sccl1_ddrc/event=1/", "hisi_sccl1_ddrc0,hisi_sccl1_ddrc1");
	scratch_put(root, "smmuv3_pmcg_3f062/events/transactions", "event=1\n");
	scratch_put(root, "smmuv3_pmcg_12345/events/transactions", "event=1\n");
	is_sum(root, "transactions", "smmuv3_pmcg_3f062,smmuv3_pmcg_12345");
	is_sum(root, "transactions/cpu=0/", "smmuv3_pmcg_3f062,smmuv3_pmcg_12345");
	scratch_put(root, "hisi_sccl1_l3c0/events/transactions", "event=1\n");
	is_number(sysfs_resolve(root, "transactions", &event, &e), -EINVAL, "an event of two kinds");
	is_number(sysfs_resolve(root, "hisi_*/event=1/", &event, &e), -EINVAL, "units of two names");
	is_number(sysfs_resolve(root, "smmuv3_pmcg_*/event=1/", &event, &e), -EINVAL, "a name that is not a number");
	is_number(sysfs_resolve(root, "cpum/event=1/", &event, &e), -ENOENT, "two letters are not a number");
	is_number(sysfs_resolve(root, "drw/event=1/", &event, &e), -EINVAL, "PMUs with different terms");
	ok(strstr(e.text, "PMUs of several kinds"), "… are of several kinds");
}

/* perf's terms for all PMUs. */
static void test_common_terms(const char *root)
{
	static const struct {
		const char *name, *only_cpus, *remark;
	} cases[] = {
		{"cpu/event=1,cpu=3/", "3", NULL},
		{"cpu/cpu=2,event=1,cpu=0/", "0,2", NULL},
		{"cpu/event=1,cpu=1-2,cpu=4/", "1-2,4", NULL},
		{"cpu/event=1,cpu=power/", "0,8", NULL},
		{"power/energy-pkg,cpu=8/", "8", NULL},
		{"cpu/event=1,cpu=hv_24x7/", NULL, NULL}, /* which counts on any CPU */
		{"mem-loads/cpu=5/", "5", NULL},
		{"reads/cpu=1/", "1", NULL},
		{"cpu/event=1,period=1000,metric-id=a!b/", NULL,
		 "term period is ignored: it has no effect on counting\n"
		 "term metric-id is ignored: it has no effect on counting"},
		{"cpu/event=1,call-graph=fp,no-inherit/", NULL,
		 "term call-graph is ignored: it has no effect on counting\n"
		 "term no-inherit is ignored: -i counts all events without children"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct event event = {0};
		struct error e = {0};

		if (!ok(sysfs_resolve(root, cases[i].name, &event, &e) > 0, cases[i].name))
			printf("# %s\n", e.text);
		if (cases[i].only_cpus)
			is_string(event.only_cpus, cases[i].only_cpus, "… only on these CPUs");
		else
			ok(!event.only_cpus, "… on any CPU");
		if (cases[i].remark)
			is_string(event.remark, cases[i].remark, "… with remarks");
		else
			ok(!event.remark, "… without a remark");
		event_free(&event);
	}
}

static void test_not_ours(const char *root)
{
	static const char *const names[] = {"mem:0x404040/4:rw",
					    "uprobe:/bin/bash:readline",
					    "/bin/ls/",
					    "spr::INST_RETIRED:ANY_P",
					    "..",
					    "",
					    "sched:x",
					    "no-such-event",
					    "mem-loads.scale"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct event event = {0};
		struct error e = {0};

		is_number(sysfs_resolve(root, names[i], &event, &e), 0, names[i]);
	}
}

static void test_hybrid(const char *root)
{
	struct event event = {0};
	struct error e = {0};

	scratch_put(root, "cpu_core/type", "4\n");
	scratch_put(root, "cpu_core/cpus", "0-3\n");
	scratch_put(root, "cpu_core/format/event", "config:0-7\n");
	scratch_put(root, "cpu_core/events/slots", "event=0x00\n");
	scratch_put(root, "cpu_core/events/both", "event=0x01\n");
	scratch_put(root, "cpu_atom/type", "10\n");
	scratch_put(root, "cpu_atom/cpus", "4-7\n");
	scratch_put(root, "cpu_atom/format/event", "config:0-7\n");
	scratch_put(root, "cpu_atom/events/both", "event=0x02\n");

	is_number(sysfs_resolve(root, "slots:u", &event, &e), 5, "an event of one kind of core");
	is_string(event.full_name, "cpu_core/slots/", "… by its full name");
	is_string(event.cpus, "0-3", "… on its CPUs");
	event_free(&event);
	is_number(sysfs_resolve(root, "both", &event, &e), -EINVAL, "an event of both kinds is refused");
	ok(strstr(e.hint, "cpu_atom/both/\ncpu_core/both/"), "… with both full names");
	is_number(sysfs_resolve(root, "cpu_atom/both/", &event, &e), 14, "… each of which works");
	is_number(event.attr.type, 10, "… type");
	is_number(event.attr.config, 2, "… config");
	event_free(&event);
}

/* Which PMU an event means, for events that share counters. */
static uint64_t pmu_of(const char *root, const char *name)
{
	struct event event = {0};
	struct error e = {0};
	uint64_t type = UINT64_MAX;

	if (sysfs_resolve(root, name, &event, &e) > 0)
		type = event_pmu_type(&event);
	event_free(&event);
	return type;
}

static void test_only_core(const char *dir)
{
	auto_free char *one = xasprintf("%s/one", dir), *two = xasprintf("%s/two", dir);

	scratch_put(one, "armv8_pmuv3_0/type", "8\n");
	scratch_put(one, "armv8_pmuv3_0/cpus", "0-3\n");
	scratch_put(one, "arm_dsu_0/type", "9\n");
	scratch_put(one, "arm_dsu_0/cpumask", "0\n");
	is_number(pmu_of(one, "armv8_pmuv3_0/config=8/"), PERF_TYPE_RAW, "the only core PMU is that of raw events");
	is_number(pmu_of(one, "arm_dsu_0/config=8/"), 9, "... and another is itself");
	scratch_put(two, "armv8_cortex_a57/type", "8\n");
	scratch_put(two, "armv8_cortex_a57/cpus", "0-1\n");
	scratch_put(two, "armv8_cortex_a53/type", "9\n");
	scratch_put(two, "armv8_cortex_a53/cpus", "2-3\n");
	is_number(pmu_of(two, "armv8_cortex_a57/config=8/"), 8, "one of two core PMUs is itself");
	is_number(pmu_of(two, "armv8_cortex_a53/config=8/"), 9, "... and so is the other");
}

static void test_newer(const char *root)
{
	struct event event = {0};
	struct error e = {0};
	int ret = sysfs_resolve(root, "cpu/newer=5/", &event, &e);

	is_number(ret, 12, "config3");
	is_number(event.attr.config3, 5, "config3's value");
	event_free(&event);
	ret = sysfs_resolve(root, "cpu/config=1,config4=3,newest=5/", &event, &e);
	is_number(ret, 32, "config4");
	is_number(event.attr.config4, 0x53, "config4's value, of a field and as a word");
	event_free(&event);
}

static void collect(void *arg, const struct event_entry *entry)
{
	strings_add(arg, "%s|%s", entry->name, entry->description);
}

static void test_lists(const char *root)
{
	struct strings all = {0};
	struct suggest near = {.word = "mem-laods"}, full = {.word = "powr/energy-pkg/"};
	char buf[256];

	sysfs_each(root, collect, &all);
	ok(strings_has(&all, "power/energy-pkg/|event=0x02, in Joules"), "a listed event with its unit");
	ok(strings_has(&all, "cpu/mem-loads/|event=0xcd,umask=0x1,ldlat=3"), "a listed event");
	is_number(all.n, 5, ".scale, .unit and similar files are not events");
	strings_free(&all);
	sysfs_each(root, event_offer, &near);
	is_string(suggest_finish(&near, buf, sizeof(buf)), "did you mean mem-loads?", "a similar bare name");
	sysfs_each(root, event_offer, &full);
	is_string(suggest_finish(&full, buf, sizeof(buf)), "did you mean power/energy-pkg/?", "a similar full name");
}

/* The length of rotations. The kernel's PMUs show HZ: all have the default unless root changed one. */
static unsigned default_interval(void)
{
	struct strings names = {0};
	unsigned interval = 0;

	directory_list(SYSFS_ROOT, &names);
	for (size_t i = 0; i < names.n; i++) {
		char text[32];

		if (file_readf(text, sizeof(text), SYSFS_ROOT "/%s/perf_event_mux_interval_ms", names.v[i]) <= 0)
			continue;
		if (interval && interval != (unsigned)atoi(text))
			return 0;
		interval = (unsigned)atoi(text);
	}
	strings_free(&names);
	return interval;
}

static void test_rotation_intervals(const char *root)
{
	auto_free char *x86 = xasprintf("%s/x86", root), *arm = xasprintf("%s/arm", root);
	auto_free char *hybrid = xasprintf("%s/hybrid", root), *plain = xasprintf("%s/plain", root);
	unsigned interval = default_interval();

	scratch_put(x86, "cpu/type", "4\n");
	scratch_put(x86, "cpu/perf_event_mux_interval_ms", "11\n");
	scratch_put(x86, "uncore_imc_0/type", "20\n");
	scratch_put(x86, "uncore_imc_0/perf_event_mux_interval_ms", "12\n");
	is_number(sysfs_mux_interval(x86, PERF_TYPE_RAW), 11, "rotations on the core PMU");
	is_number(sysfs_mux_interval(x86, 20), 12, "... on another PMU, by its type");
	scratch_put(arm, "armv8_pmuv3_0/type", "8\n");
	scratch_put(arm, "armv8_pmuv3_0/cpus", "0-3\n");
	scratch_put(arm, "armv8_pmuv3_0/perf_event_mux_interval_ms", "13\n");
	scratch_put(arm, "arm_dsu_0/type", "9\n");
	scratch_put(arm, "arm_dsu_0/perf_event_mux_interval_ms", "14\n");
	is_number(sysfs_mux_interval(arm, PERF_TYPE_RAW), 13, "... on the core PMU that has a dynamic type");
	is_number(sysfs_mux_interval(arm, 8), 13, "... also by that type");
	scratch_put(hybrid, "cpu_atom/type", "10\n");
	scratch_put(hybrid, "cpu_atom/cpus", "4-7\n");
	scratch_put(hybrid, "cpu_atom/perf_event_mux_interval_ms", "15\n");
	scratch_put(hybrid, "cpu_core/type", "4\n");
	scratch_put(hybrid, "cpu_core/cpus", "0-3\n");
	scratch_put(hybrid, "cpu_core/perf_event_mux_interval_ms", "16\n");
	is_number(sysfs_mux_interval(hybrid, 10), 15, "... on one of two core PMUs");
	is_number(sysfs_mux_interval(hybrid, PERF_TYPE_RAW), 16, "... on the PMU with the type of raw events");
	scratch_put(plain, "cpu/type", "4\n");
	if (interval) {
		is_number(sysfs_mux_interval(plain, PERF_TYPE_RAW), interval, "a PMU without the file has the default");
		is_number(sysfs_mux_interval(plain, 99), interval, "... and so has a missing PMU");
		is_number(sysfs_mux_interval(SYSFS_ROOT, PERF_TYPE_SOFTWARE), interval,
			  "... and so have the kernel's PMUs");
	}
}

/* The kernel's tree: every PMU has a type that leads back to it, every event it names can be encoded. */
static void check_listed(void *arg, const struct event_entry *entry)
{
	struct event event = {0};
	struct error e = {0};
	int ret = sysfs_resolve(SYSFS_ROOT, entry->name, &event, &e);

	if (ret != (int)strlen(entry->name) && !strstr(entry->description, "=?")) {
		printf("# %s: %s\n", entry->name, e.text);
		++*(int *)arg;
	}
	if (ret > 0)
		event_free(&event);
}

/* Arm's drivers list implemented events, and also open the others. */
static void test_implemented(const char *root)
{
	auto_free char *arm = xasprintf("%s/implemented", root), *none = xasprintf("%s/none", root);
	uint64_t events;

	scratch_put(arm, "armv8_cortex_a57/type", "8\n");
	scratch_put(arm, "armv8_cortex_a57/cpus", "0-1\n");
	scratch_put(arm, "armv8_cortex_a57/events/inst_retired", "event=0x008\n");
	scratch_put(arm, "armv8_cortex_a57/events/cpu_cycles", "event=0x0011\n");
	scratch_put(arm, "armv8_cortex_a57/events/stall", "event=0x3c\n");
	scratch_put(arm, "armv8_cortex_a57/events/mem_access_checked", "event=0x4024\n");
	scratch_put(arm, "armv8_cortex_a53/type", "7\n");
	scratch_put(arm, "armv8_cortex_a53/cpus", "2-3\n");
	scratch_put(arm, "armv8_cortex_a53/events/inst_retired", "event=0x008\n");
	scratch_put(arm, "smmuv3_pmcg_0/type", "9\n");
	scratch_put(arm, "smmuv3_pmcg_0/events/cycles", "event=0x0\n");
	is_number(pmu_implemented(arm, 8, &events), 0, "a core PMU of Arm");
	ok(events == (1ULL << 0x08 | 1ULL << 0x11 | 1ULL << 0x3c), "... lists these");
	is_number(pmu_implemented(arm, 7, &events), 0, "the other one");
	ok(events == 1ULL << 0x08, "... lists that");
	is_number(pmu_implemented(arm, PERF_TYPE_RAW, &events), 0, "one of them, for raw events");
	ok(events & 1ULL << 0x08, "... lists instructions");
	is_number(pmu_implemented(arm, 9, &events), -ENOENT, "no core PMU");
	scratch_put(none, "cpu/type", "4\n");
	scratch_put(none, "cpu/events/instructions", "event=0xc0\n");
	is_number(pmu_implemented(none, PERF_TYPE_RAW, &events), -ENOENT,
		  "PMUs of other architectures do not list them");
}

static void test_kernel(void)
{
	char name[64], cpus[PMU_TEXT_MAX];
	uint32_t type = 0;
	int failed = 0;

	is_number(pmu_type(SYSFS_ROOT, "software", &type), 0, "the kernel has a software PMU");
	is_number(type, PERF_TYPE_SOFTWARE, "… of the type in the ABI");
	is_number(pmu_name(SYSFS_ROOT, PERF_TYPE_SOFTWARE, name, sizeof(name)), 0, "… which leads back");
	is_string(name, "software", "… to its name");
	is_number(pmu_type(SYSFS_ROOT, "no_such_pmu", &type), -ENOENT, "a missing PMU");
	is_number(pmu_type(SYSFS_ROOT, "../devices/software", &type), -ENOENT, "a path is not a PMU's name");
	is_number(pmu_name(SYSFS_ROOT, 0xfffffff0, name, sizeof(name)), -ENOENT, "a missing type");
	is_number(pmu_cpus(SYSFS_ROOT, "software", cpus, sizeof(cpus)), -ENOENT, "the software PMU counts anywhere");
	sysfs_each(SYSFS_ROOT, check_listed, &failed);
	is_number(failed, 0, "every event that the kernel's PMUs list resolves");
}

int main(void)
{
	char dir[] = SCRATCH_TEMPLATE;
	auto_free char *root = NULL;
	struct event event = {0};
	struct error e = {0};

	if (!mkdtemp(dir))
		return 1;
	root = xasprintf("%s/devices", dir);
	is_number(sysfs_resolve(root, "cpu/event=1/", &event, &e), -ENOENT, "no sysfs");
	ok(strstr(e.hint, "sysfs may not be mounted"), "… says so");
	is_number(sysfs_resolve(root, "mem-loads", &event, &e), 0, "… and no PMU has a bare name");
	put_core(root);
	put_others(root);
	test_lists(root);
	put_garbled(root);
	test_encodings(root);
	test_measures(root);
	test_errors(root);
	test_instances(root);
	test_kinds(dir);
	test_common_terms(root);
	test_not_ours(root);
	test_newer(root);
	test_hybrid(root);
	test_rotation_intervals(dir);
	test_only_core(dir);
	test_implemented(dir);
	test_kernel();
	scratch_remove(dir);
	return tap_done();
}
