#include "host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroupfs.h"

/* ---- opening ---- */

/* The index of the same one in the set, or of no cgroup (fd -1); the set's size: it is not there yet. */
static size_t find(const struct cgroup_set *set, const struct cgroup *cgroup)
{
	size_t i = 0;

	while (i < set->n && !((set->v[i].fd < 0) == (cgroup->fd < 0) && set->v[i].device == cgroup->device &&
			       set->v[i].inode == cgroup->inode))
		i++;
	return i;
}

static int open_directory(struct cgroup *cgroup, const char *path, struct error *e)
{
	struct stat st;

	cgroup->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->fd < 0 || fstat(cgroup->fd, &st) < 0)
		return error_set(e, errno, "cannot open the cgroup %s: %s", path, strerror(errno));
	cgroup->device = st.st_dev;
	cgroup->inode = st.st_ino;
	return 0;
}

/* Its index; -errno. */
static int add(struct cgroup_set *set, const char *name, const char *path, struct error *e)
{
	struct cgroup cgroup = {.fd = -1};
	int error = path ? open_directory(&cgroup, path, e) : 0;
	size_t at = find(set, &cgroup);

	if (error == 0 && at == set->n) {
		cgroup.name = xstrdup(name);
		cgroup.path = path ? xstrdup(path) : NULL;
		*ARRAY_PUSH(set->v, set->n) = cgroup;
	} else if (cgroup.fd >= 0) {
		close(cgroup.fd);
	}
	return error < 0 ? error : (int)at;
}

/* The entries of the lists in order, as indices. */
struct entries {
	size_t *v;
	size_t n;
};

static int add_entry(struct cgroup_set *set, struct entries *entries, const char *root, const char *name,
		     struct error *e)
{
	struct strings paths = {0};
	int error = *name ? cgroupfs_match(root, name, &paths, e) : 0, at = 0;
	bool pattern = paths.n > 1 || strpbrk(name, "*?[");

	if (!*name && set->for_each)
		error = error_set(e, EINVAL, "--for-each-cgroup: a name in the list is empty");
	for (size_t i = 0; i < paths.n && error == 0 && at >= 0; i++) {
		at = add(set, pattern ? cgroupfs_name(root, paths.v[i]) : name, paths.v[i], e);
		if (at >= 0)
			*ARRAY_PUSH(entries->v, entries->n) = (size_t)at;
	}
	if (!*name && error == 0)
		*ARRAY_PUSH(entries->v, entries->n) = (size_t)add(set, "", NULL, e);
	strings_free(&paths);
	return error < 0 ? error : at < 0 ? at : 0;
}

static int add_list(struct cgroup_set *set, struct entries *entries, const char *root, const char *list,
		    struct error *e)
{
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		auto_free char *name = xstrndup(at, length);
		int error = add_entry(set, entries, root, name, e);

		if (error < 0)
			return error;
		at += length;
		if (!*at)
			return 0;
	}
}

/* The n-th cgroup is for the n-th event; the events behind the last one are for none. */
static int assign(struct cgroup_set *set, const struct entries *entries, size_t n_events, struct error *e)
{
	size_t n = entries->n;

	if (n == 1)
		return 0;
	if (n > n_events)
		return error_set(e, EINVAL, "-G names %zu cgroups for %zu events: each is for the event in its place",
				 n, n_events);
	if (n < n_events && add(set, "", NULL, e) < 0)
		return -e->code;
	for (size_t i = 0; i < set->n; i++)
		set->v[i].events = xcalloc(n_events, sizeof(bool));
	for (size_t i = 0; i < n_events; i++) {
		size_t none = 0;

		while (i >= n && set->v[none].path)
			none++;
		set->v[i < n ? entries->v[i] : none].events[i] = true;
	}
	return 0;
}

int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, struct error *e)
{
	struct entries entries = {0};
	auto_free char *root = NULL;
	int error = cgroupfs_find(&root, e);

	set->for_each = options->for_each;
	for (size_t i = 0; i < options->lists.n && error == 0; i++)
		error = add_list(set, &entries, root, options->lists.v[i], e);
	if (error == 0 && !set->for_each)
		error = assign(set, &entries, n_events, e);
	free(entries.v);
	return error;
}

/* ---- what is to be said of them ---- */

static char *first_word(char *text)
{
	text[strcspn(text, " ")] = '\0';
	return text;
}

char *cgroup_obstacle(const struct cgroup *cgroup)
{
	const char *name = cgroup->name;
	char text[4096];

	if (!cgroup->path)
		return NULL;
	if (faccessat(cgroup->fd, "cgroup.procs", F_OK, 0) < 0)
		return xasprintf("the cgroup %s has gone", name);
	if (faccessat(cgroup->fd, "cgroup.controllers", F_OK, 0) < 0)
		return xasprintf("the hierarchy of the cgroup %s is without the perf_event controller", name);
	if (cgroupfs_is_v1())
		return xasprintf(
			"the perf_event controller is in a cgroup hierarchy of version 1, and %s is of version "
			"2; to mend it: mount -t cgroup -o perf_event none DIRECTORY, and name a cgroup there",
			name);
	if (file_readf(text, sizeof(text), "%s/../cgroup.subtree_control", cgroup->path) != 0)
		return NULL;
	if (file_readf(text, sizeof(text), "%s/../cgroup.controllers", cgroup->path) <= 0)
		return xasprintf("the cgroup above %s has no controller that it could enable", name);
	return xasprintf(
		"the kernel counts the cgroup %s once the one above it has enabled a controller; to mend it, as "
		"root: echo +%s >%s/../cgroup.subtree_control",
		name, strstr(text, "pids") ? "pids" : first_word(text), cgroup->path);
}

/* Version 1 does not say whether there are tasks further below. */
static bool has_tasks(const char *path)
{
	struct strings names = {0};
	char text[64];
	bool found = file_readf(text, sizeof(text), "%s/cgroup.procs", path) > 0;

	if (!found)
		directory_list(path, &names);
	for (size_t i = 0; i < names.n && !found; i++) {
		auto_free char *below = xasprintf("%s/%s", path, names.v[i]);
		struct stat st;

		found = lstat(below, &st) == 0 && S_ISDIR(st.st_mode) && has_tasks(below);
	}
	strings_free(&names);
	return found;
}

static bool is_populated(const struct cgroup *cgroup)
{
	char text[256];

	if (file_readf(text, sizeof(text), "%s/cgroup.events", cgroup->path) > 0)
		return !strstr(text, "populated 0");
	return has_tasks(cgroup->path);
}

char *cgroup_remark(const struct cgroup *cgroup)
{
	if (!cgroup->path)
		return NULL;
	if (faccessat(cgroup->fd, "cgroup.procs", F_OK, 0) < 0)
		return xasprintf("the cgroup %s was removed meanwhile: it was counted until then", cgroup->name);
	return is_populated(cgroup) ? NULL : xasprintf("the cgroup %s has no tasks by now", cgroup->name);
}

void cgroup_set_close(struct cgroup_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct cgroup *cgroup = &set->v[i];

		if (cgroup->fd >= 0)
			close(cgroup->fd);
		free(cgroup->name);
		free(cgroup->path);
		free(cgroup->events);
	}
	free(set->v);
	*set = (struct cgroup_set){0};
}
