/* Any file as one of a CPU's vendor: it is refused with its place, or each of its events resolves or is refused with a
 * reason; on a machine with PMUs, and on one without. */
#include <errno.h>
#include <math.h>

#include "fuzz.h"
#include "pmu/vendor.h"
#include "scratch.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char root[] = SCRATCH_TEMPLATE;

static void remove_root(void)
{
	scratch_remove(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const formats[] = {"event", "config:0-7",  "umask", "config:8-15,32-55",
					      "cmask", "config:24-31"};

	(void)argc;
	(void)argv;
	scratch_make(root);
	atexit(remove_root);
	unsetenv("PFMSTAT_METRICS");
	scratch_put(root, "pmus/cpu/type", "4\n");
	scratch_put(root, "pmus/uncore_cha_0/type", "20\n");
	scratch_put(root, "pmus/uncore_cha_1/type", "21\n");
	for (size_t i = 0; i < ARRAY_SIZE(formats); i += 2) {
		auto_free char *core = xasprintf("pmus/cpu/format/%s", formats[i]);
		auto_free char *uncore = xasprintf("pmus/uncore_cha_0/format/%s", formats[i]);

		scratch_put(root, core, formats[i + 1]);
		scratch_put(root, uncore, formats[i + 1]);
	}
	scratch_put(root, "none/software/type", "1\n");
	return 0;
}

static void try_name(const char *pmus, struct vendor_events *events, const char *name)
{
	struct event event = {0};
	struct error e = {0};
	int taken = vendor_resolve(pmus, events, name, &event, &e);

	if (taken < 0)
		check(e.text[0]);
	if (taken <= 0) {
		check(!event.full_name && !event.pmu);
		return;
	}
	check((size_t)taken <= strlen(name) && event.full_name && event.pmu && event.unit);
	check(isfinite(event.scale) && event.scale != 0);
	check(event.fields || event.attr.type != UINT32_MAX);
	event_free(&event);
}

static void take(void *arg, const struct event_entry *entry)
{
	size_t *n = arg;

	check(*entry->name && entry->description);
	++*n;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	auto_free char *here = xasprintf("%s/pmus", root), *none = xasprintf("%s/none", root);
	struct vendor_files files = {0};
	struct vendor_events events = {.files = &files, .describe = true};
	struct error e = {0};
	size_t n = 0;

	if (size > 16384)
		return -1;
	check(vendor_files_add(&files, fuzz_file(data, size), &e) == 0);
	if (vendor_each(&events, take, &n, &e) < 0)
		check(strstr(e.text, ", line ") && strstr(e.text, ", column "));
	check(n <= events.n);
	for (size_t i = 0; i < events.n && i < 100; i++) {
		auto_free char *term = xasprintf("cpu/%s,cmask=1/u", events.v[i].name);

		try_name(here, &events, events.v[i].name);
		try_name(none, &events, events.v[i].name);
		try_name(none, &events, term);
	}
	vendor_events_free(&events);
	vendor_files_free(&files);
	return 0;
}
