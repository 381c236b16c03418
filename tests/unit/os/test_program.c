/* Which file a command's name means: execvp(3) reads an empty part of PATH as the current directory. */
#include "os/program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util.h"
#include "scratch.h"
#include "tap.h"

static void finds(const char *path, const char *expected)
{
	auto_free char *found = NULL;

	setenv("PATH", path, true);
	found = program_find("true-or-false");
	if (expected)
		is_string(found, expected, path);
	else
		ok(!found, path);
}

int main(void)
{
	char root[] = SCRATCH_TEMPLATE;
	auto_free char *file = NULL, *last = NULL;

	scratch_make(root);
	scratch_put(root, "true-or-false", "#!/bin/sh\n");
	file = xasprintf("%s/true-or-false", root);
	if (chmod(file, 0755) < 0 || chdir(root) < 0)
		abort();
	finds(":/nowhere", "./true-or-false");
	finds("/nowhere::/nowhere", "./true-or-false");
	finds("/nowhere:", "./true-or-false");
	finds("", "./true-or-false");
	last = xasprintf("/nowhere:%s", root);
	finds(last, file);
	finds("/nowhere", NULL);
	scratch_remove(root);
	return tap_done();
}
