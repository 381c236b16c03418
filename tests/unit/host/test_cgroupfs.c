#include "host/cgroupfs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "tap.h"

#define V1    "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n"
#define PERF  "none /cg/perf\\040event cgroup rw,relatime,net_cls,perf_event 0 0\n"
#define V2    "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nsdelegate 0 0\n"
#define OTHER "proc /proc proc rw 0 0\n"

static void check_root(const char *mounts, const char *expected, const char *what)
{
	char directory[] = SCRATCH_TEMPLATE;
	auto_free char *path = NULL, *root = NULL;
	struct error e;
	int error;

	scratch_make(directory);
	scratch_put(directory, "mounts", mounts);
	path = xasprintf("%s/mounts", directory);
	error = cgroupfs_find(path, &root, &e);
	ok(expected ? error == 0 && strcmp(root, expected) == 0 : error == -ENOENT && !root, what);
	scratch_remove(directory);
}

static void test_match(void)
{
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *alpha = NULL, *beta = NULL;
	struct strings paths = {0};
	struct error e = {0};

	scratch_make(root);
	alpha = xasprintf("%s/alpha", root);
	beta = xasprintf("%s/alpha/beta\\x2d", root);
	mkdir(alpha, 0755);
	mkdir(beta, 0755);
	ok(cgroupfs_match(root, "alpha", &paths, &e) == 0 && strcmp(paths.v[0], alpha) == 0, "a name");
	ok(cgroupfs_match(root, beta, &paths, &e) == 0 && strcmp(paths.v[1], beta) == 0, "a path");
	ok(cgroupfs_match(root, "alpha/*\\x2d", &paths, &e) == 0 && strcmp(paths.v[2], beta) == 0,
	   "a pattern, in which a backslash is a backslash");
	ok(cgroupfs_match(root, "alpha/../alpha", &paths, &e) == -ENOENT &&
		   cgroupfs_match(root, "../*", &paths, &e) == -ENOENT && paths.n == 3,
	   "nothing leads out of the hierarchy");
	ok(cgroupfs_match(root, "aplha", &paths, &e) == -ENOENT && strstr(e.hint, "alpha"), "a near name");
	ok(cgroupfs_match(root, "^alp.*b", &paths, &e) == 0 && paths.n == 4 && strcmp(paths.v[3], beta) == 0,
	   "a regular expression for a part of the path");
	ok(cgroupfs_match(root, "ha$", &paths, &e) == 0 && paths.n == 5 && strcmp(paths.v[4], alpha) == 0,
	   "a regular expression with an end");
	ok(cgroupfs_match(root, "a.*a", &paths, &e) == 0 && paths.n == 7,
	   "a regular expression that matches nothing as a pattern");
	ok(cgroupfs_match(root, "^a\\(", &paths, &e) == -EINVAL && paths.n == 7, "an invalid regular expression");
	ok(cgroupfs_match(root, "^beta", &paths, &e) == -ENOENT, "none matches");
	ok(strcmp(cgroupfs_name(root, beta), "alpha/beta\\x2d") == 0, "a path without the root");
	ok(strcmp(cgroupfs_name(root, root), "/") == 0, "the root");
	scratch_remove(root);
	strings_free(&paths);
}

int main(void)
{
	check_root(OTHER V1 V2, "/sys/fs/cgroup/unified", "version 2");
	check_root(V1 V2 PERF, "/cg/perf event", "version 1, where the controller is; a blank in the path");
	check_root(PERF V2, "/cg/perf event", "in any order");
	check_root(OTHER V1, NULL, "none");
	check_root("", NULL, "an empty file");
	test_match();
	return tap_done();
}
