#include "trace/probe_path.h"

#include <string.h>
#include <sys/utsname.h>

#include "lib/util.h"
#include "os/program.h"

/* Searches the systems' usual directories, those of the machine's word size first. Returns NULL if none has it. */
static char *library_find(const char *name)
{
	static const char *const directories[] = {"/usr/lib64", "/lib64", "/usr/lib", "/lib"};
	struct utsname system;

	uname(&system);
	for (size_t i = 0; i < ARRAY_SIZE(directories) * 2 && strstr(name, ".so"); i++) {
		const char *directory = directories[i / 2];
		auto_free char *path = i % 2 ? xasprintf("%s/%s", directory, name)
					     : xasprintf("%s/%s-linux-gnu/%s", directory, system.machine, name);

		if (access(path, F_OK) == 0)
			return xstrdup(path);
	}
	return NULL;
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
