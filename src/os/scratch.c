#include "os/scratch.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "lib/util.h"

#define TEMPORARY   "/tmp"
#define SPACE_LEAST 1000000 /* bytes; a program that could not write its file may have removed it */

char *scratch_make(const char *option, size_t most, struct error *e)
{
	const char *parent = getenv("TMPDIR");
	char *path;

	if (!parent || *parent != '/' || strlen(parent) > most)
		parent = TEMPORARY;
	path = xasprintf("%s/pfmstat-XXXXXX", parent);
	if (mkdtemp(path))
		return path;
	free(path);
	error_set(e, errno, "%s: cannot make a directory in '%s': %s", option, parent, strerror(errno));
	error_hint(e, "TMPDIR=DIRECTORY names another one");
	return NULL;
}

bool scratch_is_full(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 && fs.f_bavail * fs.f_frsize < SPACE_LEAST;
}

void scratch_remove(char *path)
{
	auto_strings struct strings names = {0};

	if (!path)
		return;
	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *file = xasprintf("%s/%s", path, names.v[i]);

		unlink(file);
	}
	rmdir(path);
	free(path);
}
