/* The files of --metrics and of PFMSTAT_METRICS: which are read, in which order, and errors of unreadable ones. */
#include "pmu/vendor_files.h"

#include <errno.h>
#include <sys/stat.h>

#include "scratch.h"
#include "tap.h"

static int name_add(void *arg, const struct vendor_object *object, struct error *e)
{
	const char *name = vendor_object_get(object, "EventName");

	(void)e;
	if (name)
		strings_add(arg, "%s", name);
	return name && strcmp(name, "STOP") == 0 ? -ECANCELED : 0;
}

/* The names of all events, or the error. */
static char *names_of(struct vendor_files *files)
{
	auto_strings struct strings names = {0};
	struct error e = {0};
	char *all;

	if (vendor_files_each(files, name_add, &names, &e) < 0 && e.code)
		return xasprintf("%d %s", e.code, e.text);
	all = strings_join(&names, " ");
	return all ? all : xstrdup("");
}

static void is_read(struct vendor_files *files, const char *expected, const char *what)
{
	auto_free char *got = names_of(files);

	is_string(got, expected, what);
}

static void add(struct vendor_files *files, const char *root, const char *path, int expected)
{
	auto_free char *full = xasprintf("%s/%s", root, path);
	struct error e = {0};

	is_number(vendor_files_add(files, full, &e), expected, path);
}

static void test_order(const char *root)
{
	auto_free char *paths = xasprintf("%s/c.json::%s/a", root, root);
	struct vendor_files files = {0}, empty = {0}, stopped = {0};
	auto_free char *fifo = NULL;
	char *again;

	unsetenv("PFMSTAT_METRICS");
	is_read(&empty, "", "no files");
	scratch_put(root, "a/10.json", "[{\"EventName\":\"A10\"},{\"MetricName\":\"m\"}]");
	scratch_put(root, "a/9.json", "{\"Events\":[{\"EventName\":\"A9\",\"EventName\":\"A9again\"}]}");
	scratch_put(root, "a/notes.txt", "not JSON");
	fifo = xasprintf("%s/a/fifo.json", root);
	is_number(mkfifo(fifo, 0600), 0, "a FIFO, whose open would wait for a writer");
	scratch_put(root, "a/.hidden.json", "not JSON");
	scratch_put(root, "a/sub/other.json", "not JSON");
	scratch_put(root, "a/sub.json/other.json", "not JSON");
	scratch_put(root, "b", "[{\"EventName\":\"B\"}]");
	scratch_put(root, "c.json", "[{\"EventName\":\"C\"},{\"EventName\":\"STOP\"},{\"EventName\":\"D\"}]");
	add(&files, root, "b", 0);
	add(&files, root, "a", 0);
	add(&files, root, "none", -ENOENT);
	is_read(&files, "B A9again A10", "in the given order; a directory's files by name");
	setenv("PFMSTAT_METRICS", paths, 1);
	is_read(&files, "B A9again A10", "each is read once only");
	is_read(&stopped, "C STOP", "the environment's; the caller can stop");
	again = names_of(&stopped);
	is_string(again, "C STOP", "and begin again");
	free(again);
	vendor_files_free(&files);
	vendor_files_free(&empty);
	vendor_files_free(&stopped);
}

static void test_errors(const char *root)
{
	auto_free char *missing = xasprintf("%s/none", root);
	auto_free char *expected_missing = xasprintf("%d cannot read '%s': No such file or directory", ENOENT, missing);
	auto_free char *malformed =
		xasprintf("%d %s/bad.json, line 2, column 5: 'x' where a value is expected", EINVAL, root);
	auto_free char *endless =
		xasprintf("%d /dev/zero, line 1, column 1: byte 0x00 where '{' or '[' is expected", EINVAL);
	struct vendor_files files = {0}, zero = {0};
	struct error e = {0};

	setenv("PFMSTAT_METRICS", missing, 1);
	is_read(&files, expected_missing, "the environment names a missing file");
	unsetenv("PFMSTAT_METRICS");
	scratch_put(root, "bad.json", "[{\"EventName\":\"A\"},\n    x]");
	add(&files, root, "bad.json", 0);
	is_read(&files, malformed, "file, line and column");
	is_number(vendor_files_add(&zero, "/dev/zero", &e), 0, "/dev/zero");
	is_read(&zero, endless, "an endless file");
	vendor_files_free(&files);
	vendor_files_free(&zero);
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;

	scratch_make(root);
	test_order(root);
	test_errors(root);
	scratch_remove(root);
	return tap_done();
}
