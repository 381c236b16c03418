/* A directory for one test, with the files that it makes. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util.h"

#define SCRATCH_TEMPLATE "/tmp/pfmstat-test-XXXXXX" /* for scratch_make */

/* The directory, by its template. A test that has none would assert nothing. */
static inline void scratch_make(char *root)
{
	if (!mkdtemp(root))
		abort();
}

/* A file below root, which is an absolute path, with the directories that lead to it. */
static inline void scratch_put(const char *root, const char *path, const char *text)
{
	auto_free char *full = xasprintf("%s/%s", root, path);
	FILE *f;

	for (char *slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) < 0)
		abort();
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* The directory with all that is in it. */
static inline void scratch_remove(const char *root)
{
	nftw(root, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
