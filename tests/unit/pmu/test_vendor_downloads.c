/* Intel's files as they are downloaded: their filters and counters of units, and one file for each kind of core. The
 * bits expected are worked out by hand. */
#include "pmu/vendor.h"

#include <errno.h>

#include "scratch.h"
#include "tap.h"

static const char units_json[] =
	"{\"Header\":{\"Info\":\"events\"},\"Events\":[\n"
	"{\"EventName\":\"MISS.ALL\",\"EventCode\":\"0x35\",\"UMask\":\"0x21\",\"Unit\":\"CHA\",\"Filter\":\"na\","
	"\"FILTER_VALUE\":\"0\",\"CounterType\":\"PGMABLE\"},\n"
	"{\"EventName\":\"MISS.READS\",\"EventCode\":\"0x35\",\"UMask\":\"0x21\",\"Unit\":\"CHA\","
	"\"Filter\":\"Filter1\",\"FILTER_VALUE\":\"0x40433\"},\n"
	"{\"EventName\":\"MISS.NONE\",\"EventCode\":\"0x35\",\"UMask\":\"0x21\",\"Unit\":\"CHA\","
	"\"Filter\":\"Filter1\",\"FILTER_VALUE\":\"0\"},\n"
	"{\"EventName\":\"MISS.ODD\",\"EventCode\":\"0x35\",\"Unit\":\"CHA\",\"Filter\":\"Filter2\","
	"\"FILTER_VALUE\":\"0x1\"},\n"
	"{\"EventName\":\"LOOKUPS\",\"EventCode\":\"0x34\",\"UMask\":\"0x11\",\"Unit\":\"CHA\","
	"\"Filter\":\"CBoFilter0[23:17]\"},\n"
	"{\"EventName\":\"PORT\",\"EventCode\":\"0x83\",\"Unit\":\"CHA\",\"Filter\":\"fc, chnl\",\"PortMask\":\"0x1\","
	"\"FCMask\":\"0x7\"},\n"
	"{\"EventName\":\"NO.PORT\",\"EventCode\":\"0x83\",\"Unit\":\"CHA\",\"Filter\":\"fc, chnl\"},\n"
	"{\"EventName\":\"FREE\",\"EventCode\":\"0x00\",\"Unit\":\"CHA\",\"Counter\":\"0\","
	"\"CounterType\":\"FREERUN\"},\n"
	"{\"EventName\":\"FREE.CODED\",\"EventCode\":\"0xff\",\"UMask\":\"0x10\",\"Unit\":\"cha_free_running\","
	"\"CounterType\":\"FREERUN\"},\n"
	"{\"EventName\":\"FIXED\",\"EventCode\":\"0x00\",\"UMask\":\"0x01\",\"Unit\":\"CHA\",\"Counter\":\"FIXED\"},\n"
	"{\"EventName\":\"REGISTER\",\"EventCode\":\"0x1\",\"MSRIndex\":\"0x123\",\"MSRValue\":\"0x1\"},\n"
	"{\"EventName\":\"NO.REGISTER\",\"EventCode\":\"0x1\",\"MSRIndex\":\"0x123\",\"MSRValue\":\"0x0\"}]}\n";

static const char big_json[] = "{\"Events\":[{\"EventName\":\"SAME\",\"EventCode\":\"0xc0\"},\n"
			       "{\"EventName\":\"OTHER\",\"EventCode\":\"0xd1\",\"UMask\":\"0x1\"},\n"
			       "{\"EventName\":\"BIG\",\"EventCode\":\"0x11\"},\n"
			       "{\"EventName\":\"GIVEN\",\"EventCode\":\"0x12\",\"Unit\":\"core\"},\n"
			       "{\"ArchStdEvent\":\"STANDARD\",\"EventCode\":\"0x13\"}]}\n";

static const char small_json[] = "{\"Events\":[{\"EventName\":\"SAME\",\"EventCode\":\"0xc0\"},\n"
				 "{\"EventName\":\"other\",\"EventCode\":\"0xd1\",\"UMask\":\"0x80\"},\n"
				 "{\"EventName\":\"SMALL\",\"EventCode\":\"0x22\"}]}\n";

static const char same_json[] = "[{\"EventName\":\"OTHER\",\"EventCode\":\"0xd1\",\"UMask\":\"0x01\"}]\n";

static const char map[] = "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
			  "GenuineIntel-6-97,V1,/cpu/big.json,hybridcore,0x40,0x000001,Core\r\n"
			  "GenuineIntel-6-97,V1,/cpu/small.json,hybridcore,0x20,0x000001,Atom\r\n"
			  "GenuineIntel-6-BE,V1,/cpu/small.json,core,,,\r\n"
			  "GenuineIntel-6-97,V1,/cpu/uncore.json,uncore,,,\n";

static void put_core(const char *root, const char *pmu, const char *type, bool cpus)
{
	auto_free char *type_file = xasprintf("%s/type", pmu), *cpus_file = xasprintf("%s/cpus", pmu);
	auto_free char *event = xasprintf("%s/format/event", pmu), *umask = xasprintf("%s/format/umask", pmu);

	scratch_put(root, type_file, type);
	scratch_put(root, event, "config:0-7\n");
	scratch_put(root, umask, "config:8-15\n");
	if (cpus)
		scratch_put(root, cpus_file, "0\n");
}

static void put_all(const char *root)
{
	scratch_put(root, "units/units.json", units_json);
	scratch_put(root, "loose/big.json", big_json);
	scratch_put(root, "loose/small.json", small_json);
	scratch_put(root, "big/big.json", big_json);
	scratch_put(root, "same/big.json", big_json);
	scratch_put(root, "same/same.json", same_json);
	scratch_put(root, "intel/mapfile.csv", map);
	scratch_put(root, "intel/cpu/events/big.json", big_json);
	scratch_put(root, "intel/cpu/events/small.json", small_json);
	put_core(root, "one/cpu", "4", false);
	put_core(root, "one/uncore_cha_0", "20", false);
	scratch_put(root, "one/uncore_cha_0/format/ch_mask", "config:36-43\n");
	scratch_put(root, "one/uncore_cha_0/format/fc_mask", "config:44-46\n");
	put_core(root, "one/uncore_cha_free_running_0", "21", false);
	put_core(root, "hybrid/cpu_core", "4", true);
	put_core(root, "hybrid/cpu_atom", "10", true);
}

/* Each name on a machine, with --metrics=DIRECTORY or more of them: its type, config and config1, or why it is refused.
 */
static const struct {
	const char *directories, *machine, *name;
	uint64_t config, config1;
	const char *pmu;     /* NULL if it is refused */
	const char *refusal; /* part of the error; NULL if it is resolved or not known */
} table[] = {
	{"units", "one", "MISS.ALL", 0x2135, 0, "uncore_cha_0", NULL},
	{"units", "one", "MISS.READS", 0x2135, 0x40433, "uncore_cha_0", NULL},
	{"units", "one", "MISS.NONE", 0, 0, NULL, "its Filter, 'Filter1', has no value in the file"},
	{"units", "one", "MISS.ODD", 0, 0, NULL, "its FILTER_VALUE, '0x1', is for an unknown filter"},
	{"units", "one", "LOOKUPS", 0, 0, NULL,
	 "line 6: event LOOKUPS cannot be encoded: its Filter, 'CBoFilter0[23:17]'"},
	{"units", "one", "PORT", 0x701000000083, 0, "uncore_cha_0", NULL},
	{"units", "one", "NO.PORT", 0, 0, NULL, "its Filter, 'fc, chnl', has no value"},
	{"units", "one", "FREE", 0, 0, NULL, "its CounterType, 'FREERUN', means a counter whose code"},
	{"units", "one", "FREE.CODED", 0x10ff, 0, "uncore_cha_free_running_0", NULL},
	{"units", "one", "FIXED", 0xff, 0, "uncore_cha_0", NULL},
	{"units", "one", "REGISTER", 0, 0, NULL, "its MSRIndex, '0x123', is a register that Linux does not set"},
	{"units", "one", "NO.REGISTER", 1, 0, "cpu", NULL},
	/* one file for each kind of core, and nothing that says which */
	{"loose", "hybrid", "OTHER", 0, 0, NULL, "event OTHER is event=0xd1,umask=0x1 in "},
	{"loose", "hybrid", "cpu_atom/other/", 0, 0, NULL, "loose/small.json, line 2"},
	{"loose", "hybrid", "cpu_core/BIG/", 0, 0, NULL, "the file does not say for which kind of core it is"},
	{"loose", "one", "OTHER", 0, 0, NULL, "the file does not say for which kind of core it is"},
	{"loose", "one", "SMALL", 0, 0, NULL, "the file does not say for which kind of core it is"},
	{"loose", "one", "GIVEN", 0x12, 0, "cpu", NULL},
	/* … with mapfile.csv */
	{"intel/cpu/events", "hybrid", "OTHER", 0x1d1, 0, "cpu_core", NULL},
	{"intel/cpu/events", "hybrid", "cpu_atom/OTHER/", 0x80d1, 0, "cpu_atom", NULL},
	{"intel/cpu/events", "hybrid", "cpu_core/BIG/", 0x11, 0, "cpu_core", NULL},
	{"intel/cpu/events", "hybrid", "SMALL", 0x22, 0, "cpu_atom", NULL},
	{"intel/cpu/events", "hybrid", "cpu_core/SMALL/", 0, 0, NULL, "no term or event 'SMALL'"},
	{"intel/cpu/events", "one", "OTHER", 0x80d1, 0, "cpu", NULL},
	{"intel/cpu/events", "one", "cpu/other/", 0x80d1, 0, "cpu", NULL},
	{"intel/cpu/events", "one", "BIG", 0, 0, NULL, "PMU 'cpu_core' is not on this machine"},
	/* one file alone */
	{"big", "one", "BIG", 0x11, 0, "cpu", NULL},
	{"big", "hybrid", "BIG", 0, 0, NULL, "does not say for which kind of core event BIG is"},
	{"big", "hybrid", "BIG/umask=1/", 0, 0, NULL, "does not say for which kind of core event BIG is"},
	{"big", "hybrid", "cpu_atom/BIG/", 0x11, 0, "cpu_atom", NULL},
	{"big", "hybrid", "GIVEN", 0x12, 0, "cpu_core", NULL},
	{"big", "hybrid", "STANDARD", 0x13, 0, "cpu_core", NULL},
	/* the same code, in one directory; another one, of a directory that is meant to override it */
	{"same", "one", "OTHER", 0x1d1, 0, "cpu", NULL},
	{"units:loose/small.json:big", "one", "OTHER", 0x80d1, 0, "cpu", NULL},
};

static void test_row(const char *root, size_t row)
{
	auto_free char *pmus = xasprintf("%s/%s", root, table[row].machine);
	auto_free char *what = xasprintf("%s of %s on %s", table[row].name, table[row].directories, table[row].machine);
	struct vendor_files files = {0};
	struct vendor_events events = {.files = &files};
	struct event event = {0};
	struct error e = {0};
	int taken;

	for (const char *s = table[row].directories; *s; s += strcspn(s, ":") + (s[strcspn(s, ":")] == ':')) {
		auto_free char *path = xasprintf("%s/%.*s", root, (int)strcspn(s, ":"), s);

		vendor_files_add(&files, path, &e);
	}
	taken = vendor_resolve(pmus, &events, table[row].name, &event, &e);
	if (!ok(table[row].pmu ? taken > 0 : taken < 0, what))
		printf("# %d: %s\n", taken, e.text);
	if (table[row].pmu && taken > 0) {
		is_string(event.pmu, table[row].pmu, "… PMU");
		is_number(event.attr.config, table[row].config, "… config");
		is_number(event.attr.config1, table[row].config1, "… config1");
	} else if (table[row].refusal && !ok(strstr(e.text, table[row].refusal) != NULL, "… why")) {
		printf("# %s\n", e.text);
	}
	event_free(&event);
	vendor_events_free(&events);
	vendor_files_free(&files);
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;

	unsetenv("PFMSTAT_METRICS");
	scratch_make(root);
	put_all(root);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		test_row(root, i);
	scratch_remove(root);
	return tap_done();
}
