#include "lib/directory.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

static int name_compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int directory_list(const char *path, struct strings *names)
{
	DIR *dir = opendir(path);
	size_t first = names->n;

	if (!dir)
		return -errno;
	for (const struct dirent *d; (d = readdir(dir)) != NULL;)
		if (d->d_name[0] != '.')
			strings_add(names, "%s", d->d_name);
	closedir(dir);
	if (names->n > first)
		qsort(names->v + first, names->n - first, sizeof(*names->v), name_compare);
	return 0;
}
