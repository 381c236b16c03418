/* Any text as a tracepoint's id and format: it resolves or is refused with a reason, and its fields can be listed. */
#include "fuzz.h"
#include "scratch.h"
#include "trace/tracefs.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char root[] = SCRATCH_TEMPLATE;

static void remove_root(void)
{
	scratch_remove(root);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const files[] = {"id", "format"};

	(void)argc;
	(void)argv;
	scratch_make(root);
	atexit(remove_root);
	scratch_put(root, "events/s/e/filter", "none\n");
	for (size_t i = 0; i < 2; i++) {
		auto_free char *path = xasprintf("%s/events/s/e/%s", root, files[i]);

		if (symlink(fuzz_file((const unsigned char *)"", 0), path) < 0)
			abort();
	}
	return 0;
}

static void take(void *arg, const struct event_entry *entry)
{
	size_t *n = arg;

	check(strcmp(entry->name, "s:e") == 0);
	*n += strlen(entry->description);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct tracefs tracefs = {.root = xstrdup(root)};
	struct event event;
	struct error e = {0};
	size_t n = 0;
	int taken;

	fuzz_file(data, size);
	taken = tracefs_resolve(&tracefs, "s:e", &event, &e);
	check(taken >= 0 || e.text[0]);
	tracefs_each(&tracefs, NULL, take, &n);
	if (taken > 0)
		event_free(&event);
	tracefs_unmount(&tracefs);
	return 0;
}
