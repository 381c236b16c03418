#include "host/cgroupfs.h"

#include <errno.h>
#include <glob.h>
#include <mntent.h>
#include <regex.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"

/* The number of directories in which a mistyped name is searched. */
#define SEARCHED_MOST 5000

#define CONTROLLER "perf_event"

/* ---- mount points ---- */

int cgroupfs_find(const char *mounts, char **root, struct error *e)
{
	FILE *table = setmntent(mounts, "re");
	char *v1 = NULL, *v2 = NULL;

	if (!table) {
		error_set(e, errno, "cannot read from %s where cgroups are mounted: %s", mounts, strerror(errno));
		return error_hint(e, "as root: mount -t proc proc /proc");
	}
	for (const struct mntent *m; (m = getmntent(table));) {
		if (!v2 && strcmp(m->mnt_type, "cgroup2") == 0)
			v2 = xstrdup(m->mnt_dir);
		if (!v1 && strcmp(m->mnt_type, "cgroup") == 0 && hasmntopt(m, CONTROLLER))
			v1 = xstrdup(m->mnt_dir);
	}
	endmntent(table);
	*root = v1 ? v1 : v2;
	if (*root) {
		free(v1 ? v2 : NULL);
		return 0;
	}
	error_set(e, ENOENT, "no cgroup file system is mounted here");
	return error_hint(e, "as root: mount -t cgroup2 none /sys/fs/cgroup");
}

bool cgroupfs_is_v1(void)
{
	auto_fclose FILE *in = fopen("/proc/self/cgroup", "re");
	auto_free char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (in && !found && getline(&line, &size, in) > 0) {
		char controllers[256]; /* a list like a mount's options; empty in version 2 */

		found = sscanf(line, "%*[^:]:%255[^:]", controllers) == 1 &&
			hasmntopt(&(const struct mntent){.mnt_opts = controllers}, CONTROLLER);
	}
	return found;
}

char *cgroupfs_of_task(pid_t tid)
{
	auto_free char *path = xasprintf("/proc/%d/cgroup", (int)tid), *line = NULL;
	auto_fclose FILE *in = fopen(path, "re");
	size_t size = 0;
	char *v1 = NULL, *v2 = NULL;

	while (in && !v1 && getline(&line, &size, in) > 0) {
		char *controllers = strchr(line, ':'), *name = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!name)
			continue;
		*name++ = '\0';
		name[strcspn(name, "\n")] = '\0';
		if (!controllers[1])
			v2 = xstrdup(cgroupfs_name("/", name));
		else if (hasmntopt(&(const struct mntent){.mnt_opts = controllers + 1}, CONTROLLER))
			v1 = xstrdup(cgroupfs_name("/", name));
	}
	if (v1) {
		free(v2);
		return v1;
	}
	return v2;
}

/* ---- names ---- */

const char *cgroupfs_name(const char *root, const char *path)
{
	size_t length = strlen(root);

	while (length && root[length - 1] == '/')
		length--;
	if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
		return path;
	path += length;
	while (path[0] == '/' && path[1])
		path++;
	return *path ? path : "/";
}

static bool is_below(const char *root, const char *name)
{
	return cgroupfs_name(root, name) != name;
}

/* True for regular expressions, perf's patterns, that cannot be patterns of the shell, which pfmstat uses. */
static bool is_regex(const char *name)
{
	return name[0] == '^' || (name[0] && name[strlen(name) - 1] == '$');
}

bool cgroupfs_is_pattern(const char *name)
{
	return strpbrk(name, "*?[") || is_regex(name);
}

void cgroupfs_children(const char *path, struct strings *paths)
{
	auto_strings struct strings names = {0};

	directory_list(path, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *child = xasprintf("%s/%s", path, names.v[i]);
		struct stat st;

		if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode))
			strings_add(paths, "%s", child);
	}
}

struct name_search {
	const char *root, *word;
	struct suggest suggest;
	char *same; /* a cgroup further below that has exactly this name */
	size_t seen;
};

static void search_below(struct name_search *search, const char *path)
{
	auto_strings struct strings children = {0};

	if (search->seen < SEARCHED_MOST)
		cgroupfs_children(path, &children);
	for (size_t i = 0; i < children.n && search->seen < SEARCHED_MOST; i++) {
		const char *child = children.v[i], *name = cgroupfs_name(search->root, child);

		search->seen++;
		suggest_offer(&search->suggest, name);
		if (!search->same && strcmp(strrchr(child, '/') + 1, search->word) == 0)
			search->same = xstrdup(name);
		search_below(search, child);
	}
}

static int no_such_cgroup(const char *root, const char *name, struct error *e)
{
	const char *word = name + strspn(name, "/");
	struct name_search search = {.root = root, .word = word, .suggest = {.word = word}};
	auto_free char *safe = text_safe(name);
	char near[256];

	error_set(e, ENOENT, "no cgroup %s '%s' below %s", cgroupfs_is_pattern(name) ? "matches" : "has the name", safe,
		  root);
	if (!cgroupfs_is_pattern(name))
		search_below(&search, root);
	suggest_finish(&search.suggest, near, sizeof(near));
	if (search.same)
		error_hint(e, "did you mean %s?", search.same);
	else if (*near)
		error_hint(e, "%s", near);
	free(search.same);
	return -ENOENT;
}

/* Returns a pattern that matches only the text itself. */
static char *quote_pattern(const char *text)
{
	char *quoted = xmalloc(3 * strlen(text) + 1), *to = quoted;

	for (; *text; text++)
		to += sprintf(to, strchr("*?[", *text) ? "[%c]" : "%c", *text);
	*to = '\0';
	return quoted;
}

static void match_pattern(const char *root, const char *name, struct strings *paths)
{
	auto_free char *quoted = quote_pattern(root);
	auto_free char *pattern = is_below(root, name) ? xstrdup(name) : xasprintf("%s/%s", quoted, name);
	glob_t matches;

	/* names of cgroups may contain backslashes, as systemd's do */
	if (glob(pattern, GLOB_NOESCAPE, NULL, &matches) != 0)
		return;
	for (size_t i = 0; i < matches.gl_pathc; i++) {
		struct stat st;

		if (stat(matches.gl_pathv[i], &st) == 0 && S_ISDIR(st.st_mode))
			strings_add(paths, "%s", matches.gl_pathv[i]);
	}
	globfree(&matches);
}

/* True if the name leads above the mount point: there are no cgroups, and its names may be private. */
static bool goes_up(const char *name)
{
	for (const char *at = name; (at = strstr(at, "..")); at += 2)
		if ((at == name || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

static void match_below(const regex_t *regex, const char *root, const char *path, struct strings *paths)
{
	auto_strings struct strings children = {0};

	cgroupfs_children(path, &children);
	for (size_t i = 0; i < children.n; i++) {
		if (regexec(regex, cgroupfs_name(root, children.v[i]), 0, NULL, 0) == 0)
			strings_add(paths, "%s", children.v[i]);
		match_below(regex, root, children.v[i], paths);
	}
}

/* Like in perf: a basic regular expression for any part of the path below the mount point. */
static int match_regex(const char *root, const char *name, struct strings *paths, struct error *e)
{
	char why[128];
	regex_t regex;
	int error = regcomp(&regex, name, REG_NOSUB);

	if (error) {
		regerror(error, &regex, why, sizeof(why));
		return error_set(e, EINVAL, "'%s' is not a valid regular expression: %s", name, why);
	}
	match_below(&regex, root, root, paths);
	regfree(&regex);
	return 0;
}

int cgroupfs_match(const char *root, const char *name, struct strings *paths, struct error *e)
{
	auto_free char *path = is_below(root, name) ? xstrdup(name) : xasprintf("%s/%s", root, name);
	size_t before = paths->n;
	struct stat st;
	int error = 0;

	if (goes_up(name))
		return no_such_cgroup(root, name, e);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		strings_add(paths, "%s", path);
	else if (cgroupfs_is_pattern(name) && !is_regex(name))
		match_pattern(root, name, paths);
	if (paths->n == before && (is_regex(name) || strstr(name, ".*")))
		error = match_regex(root, name, paths, e);
	if (error < 0)
		return error;
	return paths->n > before ? 0 : no_such_cgroup(root, name, e);
}
