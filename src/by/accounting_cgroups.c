/* The cgroups of tasks, for rows of cgroups. A record has the kernel's id of a cgroup, which is also its file handle.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "by/accounting_internal.h"
#include "host/cgroupfs.h"

static size_t find_id(const struct accounting *b, uint64_t id)
{
	size_t i = index_find(&b->cgroup_index, id, SIZE_MAX);

	while (i != SIZE_MAX && b->cgroups[i].id != id)
		i = index_find(&b->cgroup_index, id, i);
	return i;
}

/* Returns its index. */
static size_t add_cgroup(struct accounting *b, uint64_t id, const char *name)
{
	size_t i = find_id(b, id);

	if (i != SIZE_MAX)
		return i;
	index_add(&b->cgroup_index, id);
	*ARRAY_PUSH(b->cgroups, b->n_cgroups) = (struct named_cgroup){.id = id, .name = xstrdup(name)};
	return b->n_cgroups - 1;
}

/* Returns 0 if it has been removed. */
static uint64_t id_of(const char *path)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + sizeof(uint64_t)];
	} u = {.handle.handle_bytes = sizeof(uint64_t)};
	uint64_t id = 0;
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &u.handle, &mount, 0) == 0)
		memcpy(&id, u.handle.f_handle, sizeof(id));
	return id;
}

static void add_below(struct accounting *b, const char *root, const char *path)
{
	auto_strings struct strings children = {0};
	uint64_t id = id_of(path);

	if (id)
		add_cgroup(b, id, cgroupfs_name(root, path));
	cgroupfs_children(path, &children);
	for (size_t i = 0; i < children.n; i++)
		add_below(b, root, children.v[i]);
}

void accounting_add_cgroups(struct accounting *b)
{
	auto_free char *root = NULL;
	struct error ignored;

	if (cgroupfs_find("/proc/self/mounts", &root, &ignored) == 0)
		add_below(b, root, root);
}

void accounting_take_cgroup(struct accounting *b, const struct trace_record *r)
{
	add_cgroup(b, r->cgroup, cgroupfs_name("/", r->name));
}

uint64_t accounting_read_cgroup(const struct accounting *b, pid_t tid)
{
	auto_free char *name = b->options.by == AGGR_CGROUP ? cgroupfs_of_task(tid) : NULL;

	for (size_t i = 0; name && i < b->n_cgroups; i++)
		if (strcmp(b->cgroups[i].name, name) == 0)
			return b->cgroups[i].id;
	return 0;
}

void accounting_take_move(struct accounting *b, const struct trace_record *r)
{
	const struct task *moved = tree_find_task(&b->tree, r->tid);

	for (size_t i = 0; moved && i < b->tree.capacity; i++) {
		struct task *task = &b->tree.tasks[i];

		if (!task->tid || task->process != moved->process)
			continue;
		task->cgroup = r->cgroup;
		task->moved = r->time;
	}
}

/* True if the task may have been in another cgroup during a part of the work. */
static bool has_moved(const struct accounting *b, struct task *task, uint64_t id, const struct trace_record *r)
{
	bool unknown = task->cgroup && task->cgroup != id;

	if (unknown)
		task->moved = r->time; /* other groups have records of the same work */
	task->cgroup = id;
	return task->moved > b->cpus[r->cpu].groups[r->group].since;
}

size_t accounting_cgroup_unit(struct accounting *b, size_t unit, const struct trace_record *r)
{
	struct task *task = tree_find_task(&b->tree, r->tid);
	/* pfmstat's own last work is in no record of the kernel */
	uint64_t id = r->cgroup || !task ? r->cgroup : task->cgroup;
	size_t cgroup;

	if (unit == UNIT_OUTSIDE || unit == 0 || unit == b->idle)
		return unit;
	if (!id)
		return 0;
	if (task && has_moved(b, task, id, r)) {
		b->moved = true;
		return 0;
	}
	cgroup = find_id(b, id);
	if (cgroup == SIZE_MAX) {
		auto_free char *name = xasprintf("cgroup:%llu", (unsigned long long)id);

		cgroup = add_cgroup(b, id, name);
	}
	if (!b->cgroups[cgroup].unit) {
		b->cgroups[cgroup].unit = accounting_add_unit(b, TREE_NONE, 0, "");
		b->units[b->cgroups[cgroup].unit].cgroup = cgroup + 1;
	}
	return b->cgroups[cgroup].unit;
}

void accounting_free_cgroups(struct accounting *b)
{
	for (size_t i = 0; i < b->n_cgroups; i++)
		free(b->cgroups[i].name);
	free(b->cgroups);
	index_free(&b->cgroup_index);
}
