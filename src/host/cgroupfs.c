#include "host/cgroupfs.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/text.h"

/* Names are looked for near a mistyped one among so many directories at the most. */
#define WALK_MOST 5000

/* ---- where they are ---- */

/* A mount point's blanks are written in octal there. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++)
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

static bool has_option(const char *options, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = options; (at = strstr(at, name)); at += length)
		if ((at == options || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

/* proc_pid_mountinfo(5): id parent device root mount-point options tag... - type source options */
static char *mount_point(char *line, bool *v1)
{
	char *behind = strstr(line, " - "), *save = NULL, *field = NULL, *type, *options;

	if (!behind)
		return NULL;
	*behind = '\0';
	type = strtok_r(behind + 3, " ", &save);
	strtok_r(NULL, " ", &save);
	options = strtok_r(NULL, " ", &save);
	if (!type || !options || strncmp(type, "cgroup", 6) != 0)
		return NULL;
	*v1 = !type[6];
	if (*v1 ? !has_option(options, "perf_event") : strcmp(type, "cgroup2") != 0)
		return NULL;
	for (int i = 0; i < 5; i++)
		field = strtok_r(i ? NULL : line, " ", &save);
	if (field)
		unescape(field);
	return field;
}

char *cgroupfs_root(const char *mountinfo)
{
	auto_free char *copy = xstrdup(mountinfo);
	char *found = NULL, *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		bool v1;
		char *point = mount_point(line, &v1);

		if (!point || (found && !v1))
			continue;
		free(found);
		found = xstrdup(point);
		if (v1)
			break;
	}
	return found;
}

/* Of any length. */
static char *read_all(const char *path)
{
	auto_fclose FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (in && getdelim(&text, &size, '\0', in) < 0)
		text[0] = '\0';
	return text ? text : xstrdup("");
}

bool cgroupfs_is_v1(void)
{
	auto_free char *text = read_all("/proc/self/cgroup");
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *end = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!end)
			continue;
		*end = '\0';
		if (has_option(controllers + 1, "perf_event"))
			return true;
	}
	return false;
}

int cgroupfs_find(char **root, struct error *e)
{
	auto_free char *mountinfo = read_all("/proc/self/mountinfo");

	*root = cgroupfs_root(mountinfo);
	if (*root)
		return 0;
	error_set(e, ENOENT, "no cgroup file system is mounted here");
	error_hint(e, "as root: mount -t cgroup2 none /sys/fs/cgroup");
	return -ENOENT;
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

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[");
}

struct walk {
	const char *root, *word;
	struct suggest suggest;
	char *same; /* a cgroup further below of this very name */
	size_t seen;
};

static void walk_below(struct walk *w, const char *path)
{
	struct strings names = {0};

	if (w->seen < WALK_MOST)
		directory_list(path, &names);
	for (size_t i = 0; i < names.n && w->seen < WALK_MOST; i++) {
		auto_free char *below = xasprintf("%s/%s", path, names.v[i]);
		struct stat st;

		if (lstat(below, &st) < 0 || !S_ISDIR(st.st_mode))
			continue;
		w->seen++;
		suggest_offer(&w->suggest, cgroupfs_name(w->root, below));
		if (!w->same && strcmp(names.v[i], w->word) == 0)
			w->same = xstrdup(cgroupfs_name(w->root, below));
		walk_below(w, below);
	}
	strings_free(&names);
}

static int complain(const char *root, const char *name, struct error *e)
{
	struct walk w = {.root = root, .word = name};
	auto_free char *safe = text_safe(name);
	char near[256];

	while (*w.word == '/')
		w.word++;
	w.suggest.word = w.word;
	error_set(e, ENOENT, "no cgroup %s '%s' below %s", is_pattern(name) ? "matches" : "is called", safe, root);
	if (!is_pattern(name))
		walk_below(&w, root);
	suggest_finish(&w.suggest, near, sizeof(near));
	if (w.same)
		error_hint(e, "did you mean %s?", w.same);
	else if (*near)
		error_hint(e, "%s", near);
	free(w.same);
	return -ENOENT;
}

/* The root's own brackets and stars stand for themselves. */
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

	/* cgroups' names may hold backslashes, as systemd's do */
	if (glob(pattern, GLOB_ONLYDIR | GLOB_NOESCAPE, NULL, &matches) != 0)
		return;
	for (size_t i = 0; i < matches.gl_pathc; i++) {
		struct stat st;

		if (stat(matches.gl_pathv[i], &st) == 0 && S_ISDIR(st.st_mode))
			strings_add(paths, "%s", matches.gl_pathv[i]);
	}
	globfree(&matches);
}

int cgroupfs_match(const char *root, const char *name, struct strings *paths, struct error *e)
{
	auto_free char *path = is_below(root, name) ? xstrdup(name) : xasprintf("%s/%s", root, name);
	size_t before = paths->n;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		strings_add(paths, "%s", path);
	else if (is_pattern(name))
		match_pattern(root, name, paths);
	return paths->n > before ? 0 : complain(root, name, e);
}
