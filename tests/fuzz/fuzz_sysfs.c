/* Any text in the files of PMUs: their events resolve, and by their full names to the same, or are refused with a
 * reason; and all of them can be listed. The rest of the input is an event's name. */
#include <errno.h>
#include <math.h>

#include "lib/cpuset.h"
#include "pmu/sysfs.h"
#include "tree.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static const char *const files[] = {
	"one/type",        "one/cpumask",           "one/format/event",     "one/format/umask",
	"one/events/busy", "one/events/busy.scale", "one/events/busy.unit", "one/perf_event_mux_interval_ms",
	"cpu_two/type",    "cpu_two/cpus",          "cpu_two/format/event", "cpu_two/events/slow",
};

static struct fuzz_tree tree;

static void remove_tree(void)
{
	scratch_remove(tree.root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_tree_make(&tree, files, ARRAY_SIZE(files));
	atexit(remove_tree);
	return 0;
}

/* Its full name means the same. A term whose value the user must give also has it there. */
static void check_again(const struct event *event)
{
	struct event again;
	struct error e = {0};
	int taken = sysfs_resolve(tree.root, event->full_name, &again, &e);

	if (taken <= 0)
		fprintf(stderr, "'%s': %s\n", event->full_name, e.text);
	check(taken == (int)strlen(event->full_name));
	check(again.attr.type == event->attr.type && again.attr.config == event->attr.config);
	check(again.attr.config1 == event->attr.config1 && again.attr.config2 == event->attr.config2);
	check(strcmp(again.full_name, event->full_name) == 0 && strcmp(again.unit, event->unit) == 0);
	event_free(&again);
}

static void try_name(const char *name)
{
	struct event event;
	struct error e = {0};
	int taken = sysfs_resolve(tree.root, name, &event, &e);

	if (taken < 0)
		check(e.text[0] && e.at + e.length <= strlen(name));
	if (taken <= 0)
		return;
	check((size_t)taken <= strlen(name));
	check(isfinite(event.scale) && event.scale != 0 && event.unit && event.pmu);
	if (event.cpus) {
		struct cpuset cpus = {0};

		check(cpuset_parse(&cpus, event.cpus, &e) == 0 && cpus.n > 0);
		cpuset_free(&cpus);
	}
	check_again(&event);
	event_free(&event);
}

static void take(void *arg, const struct event_entry *entry)
{
	size_t *n = arg;

	check(strcmp(entry->name, "one/busy/") == 0 || strcmp(entry->name, "cpu_two/slow/") == 0);
	*n += strlen(entry->description);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const char *const names[] = {
		"one/busy/", "one/busy,umask=2/u",   "one/event=1,umask=0x3/", "one/umask,name='x'/",
		"slow:k",    "cpu_two/slow,event=7/"};
	auto_free char *name = NULL;
	struct suggest near = {.word = "bsy"};
	char text[400];
	size_t n = 0;
	uint32_t type;

	if (size > 16384)
		return -1;
	name = fuzz_tree_fill(&tree, data, size);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		try_name(names[i]);
	try_name(name);
	sysfs_each(tree.root, take, &n);
	sysfs_each(tree.root, event_offer, &near);
	suggest_finish(&near, text, sizeof(text));
	if (pmu_type(tree.root, "one", &type) == 0)
		check(sysfs_mux_interval(tree.root, type) >= 1);
	return 0;
}
