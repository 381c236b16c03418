#include "trace/probe_path.h"

#include <link.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/util.h"
#include "os/program.h"

struct library_search {
	const char *name;
	char *found;
};

static int library_search_beside(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library_search *s = arg;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash)
		return 0;
	s->found = xasprintf("%.*s/%s", (int)(slash - info->dlpi_name), info->dlpi_name, s->name);
	if (access(s->found, F_OK) == 0)
		return 1;
	free(s->found);
	s->found = NULL;
	return 0;
}

/* Where the systems have them, for a program without libraries of its own: of the machine's own word size first. */
static char *library_find_usual(const char *name)
{
	static const char *const directories[] = {"/usr/lib64", "/lib64", "/usr/lib", "/lib"};
	struct utsname system;

	uname(&system);
	for (size_t i = 0; i < ARRAY_SIZE(directories) * 2; i++) {
		const char *directory = directories[i / 2];
		auto_free char *path = i % 2 ? xasprintf("%s/%s", directory, name)
					     : xasprintf("%s/%s-linux-gnu/%s", directory, system.machine, name);

		if (access(path, F_OK) == 0)
			return xstrdup(path);
	}
	return NULL;
}

/* In the directories that this program's own libraries were loaded from, which are the system's. NULL: not there. */
static char *library_find(const char *name)
{
	struct library_search s = {.name = name};

	if (!strstr(name, ".so"))
		return NULL;
	dl_iterate_phdr(library_search_beside, &s);
	return s.found ? s.found : library_find_usual(name);
}

static char *path_absolute(const char *path)
{
	auto_free char *here = NULL;

	if (*path == '/')
		return xstrdup(path);
	here = getcwd(NULL, 0);
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return here ? xasprintf("%s/%s", strcmp(here, "/") ? here : "", path) : xstrdup(path);
}

char *probe_path_find(const char *path)
{
	bool bare = !strchr(path, '/');
	auto_free char *found = bare ? program_find(path) : NULL;

	if (bare && !found && access(path, F_OK))
		found = library_find(path);
	return path_absolute(found ? found : path);
}
