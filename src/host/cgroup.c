#include "host/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "host/cgroupfs.h"
#include "lib/text.h"

/* ---- opening ---- */

static bool cgroup_is_same(const struct cgroup *a, const struct cgroup *b)
{
	return (a->fd < 0) == (b->fd < 0) && a->device == b->device && a->inode == b->inode;
}

static int cgroup_open(struct cgroup *cgroup, const char *path, struct error *e)
{
	struct stat st;

	cgroup->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->fd < 0 || fstat(cgroup->fd, &st) < 0)
		return error_set(e, errno, "cannot open the cgroup %s: %s", path, strerror(errno));
	cgroup->device = st.st_dev;
	cgroup->inode = st.st_ino;
	return 0;
}

/* Returns the index of the cgroup in the set, which it adds if needed, or -errno. path NULL: no cgroup. */
static int set_add(struct cgroup_set *set, const char *name, const char *path, struct error *e)
{
	struct cgroup cgroup = {.fd = -1};
	int error = path ? cgroup_open(&cgroup, path, e) : 0;
	size_t at = 0;

	while (at < set->n && !cgroup_is_same(&set->v[at], &cgroup))
		at++;
	if (error == 0 && at == set->n) {
		cgroup.name = xstrdup(name);
		cgroup.path = path ? xstrdup(path) : NULL;
		*ARRAY_PUSH(set->v, set->n) = cgroup;
	} else if (cgroup.fd >= 0) {
		close(cgroup.fd);
	}
	return error < 0 ? error : (int)at;
}

/* The names in the lists, in order, as indices of cgroups. */
struct cgroup_indices {
	size_t *v;
	size_t n;
};

static int add_name(struct cgroup_set *set, struct cgroup_indices *indices, const char *root, enum cgroup_kind kind,
		    const char *name, struct error *e)
{
	auto_strings struct strings paths = {0};
	bool pattern;
	int at;

	if (!*name && set->for_each)
		return error_set(e, EINVAL, "a name in the list of cgroups is empty");
	if (!*name) {
		*ARRAY_PUSH(indices->v, indices->n) = (size_t)set_add(set, "", NULL, e);
		return 0;
	}
	at = kind ? cgroup_names_find(root, "", kind, name, &paths, e) : cgroupfs_match(root, name, &paths, e);
	pattern = paths.n > 1 || (!kind && cgroupfs_is_pattern(name));
	for (size_t i = 0; i < paths.n && at >= 0; i++) {
		at = set_add(set, pattern ? cgroupfs_name(root, paths.v[i]) : name, paths.v[i], e);
		if (at >= 0)
			*ARRAY_PUSH(indices->v, indices->n) = (size_t)at;
	}
	return at < 0 ? at : 0;
}

static int add_list(struct cgroup_set *set, struct cgroup_indices *indices, const char *root,
		    const struct cgroup_list *list, struct error *e)
{
	const char *rest = list->names;
	int error = 0;

	for (char *name; error == 0 && (name = text_item(&rest, false)); free(name))
		error = add_name(set, indices, root, list->kind, name, e);
	return error;
}

/* The index of each event's cgroup; SIZE_MAX if none was named. */
struct cgroup_assignment {
	size_t *v;
	size_t n;
	size_t first; /* first event of the next list */
	size_t next;  /* where the list continues if no event is before it */
};

static int assign_list(struct cgroup_assignment *assignment, const struct cgroup_list *list,
		       const struct cgroup_indices *indices, struct error *e)
{
	size_t end = list->before ? list->before : assignment->n;
	size_t first = assignment->first < end ? assignment->first : assignment->next;

	if (first >= end)
		return error_set(e, EINVAL, "-G must follow an event");
	if (first + indices->n > end)
		return error_set(e, EINVAL,
				 "-G names %zu cgroups for %zu event%s: each applies to the event in the same position",
				 indices->n, end - first, end - first == 1 ? "" : "s");
	for (size_t i = first; i < (indices->n == 1 ? end : first + indices->n); i++)
		assignment->v[i] = indices->v[indices->n == 1 ? 0 : i - first];
	assignment->first = end;
	assignment->next = first + indices->n;
	return 0;
}

/* Events without a cgroup count all tasks. */
static int assign_events(struct cgroup_set *set, const struct cgroup_assignment *assignment, size_t total,
			 struct error *e)
{
	int none = -1;
	bool one = true;

	for (size_t i = 0; i < assignment->n; i++) {
		one &= assignment->v[i] == 0;
		if (assignment->v[i] == SIZE_MAX && none < 0 && (none = set_add(set, "", NULL, e)) < 0)
			return none;
	}
	for (size_t i = 0; i < set->n && !(one && set->n == 1); i++)
		set->v[i].events = xcalloc(total, sizeof(bool));
	for (size_t i = 0; i < assignment->n && set->v[0].events; i++)
		set->v[assignment->v[i] == SIZE_MAX ? (size_t)none : assignment->v[i]].events[i] = true;
	return 0;
}

int cgroup_set_open(struct cgroup_set *set, const struct cgroup_options *options, size_t n_events, size_t total,
		    struct error *e)
{
	auto_free size_t *of = xcalloc(n_events + 1, sizeof(*of));
	struct cgroup_assignment assignment = {.v = of, .n = n_events};
	auto_free char *root = NULL;
	int error = cgroupfs_find("/proc/self/mounts", &root, e);

	set->for_each = options->for_each;
	for (size_t i = 0; i < n_events; i++)
		of[i] = SIZE_MAX;
	for (size_t i = 0; i < options->n && error == 0; i++) {
		struct cgroup_indices indices = {0};

		error = add_list(set, &indices, root, &options->lists[i], e);
		if (error == 0 && !set->for_each)
			error = assign_list(&assignment, &options->lists[i], &indices, e);
		free(indices.v);
	}
	return error < 0 || set->for_each ? error : assign_events(set, &assignment, total, e);
}

/* ---- explaining ---- */

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
	if (cgroup_is_removed(cgroup))
		return xasprintf("the cgroup %s is gone", name);
	if (faccessat(cgroup->fd, "cgroup.controllers", F_OK, 0) < 0)
		return xasprintf("the hierarchy of the cgroup %s has no perf_event controller", name);
	if (cgroupfs_is_v1())
		return xasprintf("the perf_event controller is in a version 1 hierarchy, but %s is in version 2; fix: "
				 "mount -t cgroup -o perf_event none DIRECTORY, and name a cgroup in it",
				 name);
	if (file_readf(text, sizeof(text), "%s/../cgroup.subtree_control", cgroup->path) != 0)
		return NULL;
	if (file_readf(text, sizeof(text), "%s/../cgroup.controllers", cgroup->path) <= 0)
		return xasprintf("the parent of the cgroup %s has no controller that it could enable", name);
	return xasprintf("the kernel counts the cgroup %s only if its parent has enabled a controller; fix, as root: "
			 "echo +%s >%s/../cgroup.subtree_control",
			 name, strstr(text, "pids") ? "pids" : first_word(text), cgroup->path);
}

/* Version 1 does not show whether child cgroups contain tasks. */
static bool has_tasks(const char *path)
{
	auto_strings struct strings children = {0};
	char text[64];
	bool found = file_readf(text, sizeof(text), "%s/cgroup.procs", path) > 0;

	if (!found)
		cgroupfs_children(path, &children);
	for (size_t i = 0; i < children.n && !found; i++)
		found = has_tasks(children.v[i]);
	return found;
}

bool cgroup_is_removed(const struct cgroup *cgroup)
{
	return cgroup->path && faccessat(cgroup->fd, "cgroup.procs", F_OK, 0) < 0;
}

char *cgroup_remark(const struct cgroup *cgroup, bool removed)
{
	char text[256];
	bool populated;

	if (!cgroup->path)
		return NULL;
	if (removed)
		return xasprintf("the cgroup %s was removed: it was counted until then", cgroup->name);
	populated = file_readf(text, sizeof(text), "%s/cgroup.events", cgroup->path) > 0 ? !strstr(text, "populated 0")
											 : has_tasks(cgroup->path);
	return populated ? NULL : xasprintf("the cgroup %s has no tasks now", cgroup->name);
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
