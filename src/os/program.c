#include "os/program.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/xattr.h>

#include "lib/util.h"

static bool file_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *program_find(const char *name)
{
	const char *dir = getenv("PATH");

	for (size_t n; dir; dir = dir[n] ? dir + n + 1 : NULL) {
		char *path;

		n = strcspn(dir, ":");
		path = n ? xasprintf("%.*s/%s", (int)n, dir, name)
			 : xasprintf("./%s", name); /* an empty component is the current directory */
		if (file_is_program(path))
			return path;
		free(path);
	}
	return NULL;
}

static bool file_is_script(const char *path)
{
	char start[3];

	return file_read(path, start, sizeof(start)) == 2 && memcmp(start, "#!", 2) == 0;
}

/* Set-ID bits and capabilities have no effect on a nosuid file system or with no_new_privs. */
static bool marks_are_void(const char *path)
{
	struct statvfs fs;

	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOSUID));
}

/* The kernel's rule (begin_new_exec): a process that is no longer dumpable after its exec loses its counters. This
 * happens if the real and the effective ids become different, if capabilities are gained, or if the file is not
 * readable. */
static const char *mark_of_file(const char *path, const struct stat *st)
{
	if ((st->st_mode & S_ISUID) && st->st_uid != getuid())
		return "it is set-user-ID";
	if ((st->st_mode & S_ISGID) && (st->st_mode & S_IXGRP) && st->st_gid != getgid())
		return "it is set-group-ID";
	if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "its file has capabilities";
	return NULL;
}

static const char *exec_loss_of_file(const char *path)
{
	const char *mark;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	if (access(path, R_OK))
		return "it may be executed but not read";
	mark = mark_of_file(path, &st);
	return mark && !file_is_script(path) && !marks_are_void(path) ? mark : NULL;
}

const char *program_exec_loss_reason(const char *name)
{
	auto_free char *path = strchr(name, '/') ? xstrdup(name) : program_find(name);

	return path && file_is_program(path) ? exec_loss_of_file(path) : NULL;
}

/* Searches the systems' usual directories, starting with the directories of the machine's word size. Returns NULL if it
 * is in none of them. */
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

char *program_find_file(const char *path)
{
	bool bare = !strchr(path, '/');
	auto_free char *found = bare ? program_find(path) : NULL;

	if (bare && !found && access(path, F_OK))
		found = library_find(path);
	return path_absolute(found ? found : path);
}
