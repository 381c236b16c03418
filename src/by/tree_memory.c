#include "by/tree_memory.h"

#include <stdlib.h>

#include "lib/util.h"

/* ---- address spaces ---- */

static size_t find_space(struct tree_memory *t, uint32_t id)
{
	size_t i = SIZE_MAX;

	while ((i = index_find(&t->space_index, id, i)) != SIZE_MAX)
		if (t->spaces[i].id == id)
			return i;
	index_add(&t->space_index, id);
	ARRAY_PUSH(t->spaces, t->n_spaces)->id = id;
	return t->n_spaces - 1;
}

static void set_size(struct tree_memory *t, struct address_space *space, enum memory_kind kind, uint64_t size)
{
	t->now += size - space->sizes[kind];
	space->sizes[kind] = size;
}

static void use(struct tree_memory *t, struct memory_user *user, size_t space)
{
	struct address_space *old = user->space == SIZE_MAX ? NULL : &t->spaces[user->space];

	if (user->space == space)
		return;
	if (space != SIZE_MAX)
		t->spaces[space].users++;
	user->space = space;
	if (!old || --old->users)
		return;
	/* since Linux 6.16, there are no records of the memory that a process frees at its end */
	for (enum memory_kind kind = 0; kind < MEMORY_KINDS; kind++)
		set_size(t, old, kind, 0);
}

/* ---- processes ---- */

/* Returns NULL for a process that has ended, or is unknown. */
static struct memory_user *find_user(const struct tree_memory *t, pid_t pid)
{
	size_t i = SIZE_MAX;

	while ((i = index_find(&t->user_index, (uint64_t)pid, i)) != SIZE_MAX)
		if (t->users[i].pid == pid && t->users[i].threads)
			return &t->users[i];
	return NULL;
}

void tree_memory_start(struct tree_memory *t, pid_t pid)
{
	index_add(&t->user_index, (uint64_t)pid);
	*ARRAY_PUSH(t->users, t->n_users) =
		(struct memory_user){.pid = pid, .threads = 1, .space = SIZE_MAX, .made = SIZE_MAX};
	t->threads++;
}

void tree_memory_fork(struct tree_memory *t, pid_t pid, pid_t parent, pid_t parent_tid)
{
	struct memory_user *from = find_user(t, parent);

	if (pid == parent) {
		if (from) {
			from->threads++;
			t->threads++;
		}
		return;
	}
	tree_memory_start(t, pid);
	from = find_user(t, parent);
	if (from && from->made_by == parent_tid) {
		use(t, &t->users[t->n_users - 1], from->made);
		from->made = SIZE_MAX;
	}
}

void tree_memory_exit(struct tree_memory *t, pid_t pid)
{
	struct memory_user *user = find_user(t, pid);

	if (!user)
		return;
	t->threads--;
	if (--user->threads == 0)
		use(t, user, SIZE_MAX);
}

void tree_memory_size(struct tree_memory *t, pid_t pid, pid_t tid, uint32_t space, bool own, enum memory_kind kind,
		      uint64_t size, uint64_t time)
{
	struct memory_user *user = find_user(t, pid);
	size_t i;

	if (t->lost || kind >= MEMORY_KINDS || kind == MEMORY_SWAPPED)
		return;
	i = find_space(t, space);
	if (user && own) {
		user->made = user->made == i ? SIZE_MAX : user->made;
		use(t, user, i);
	} else if (user && !t->spaces[i].users) {
		user->made = i;
		user->made_by = tid;
	}
	set_size(t, &t->spaces[i], kind, size);
	if (t->now <= t->peak)
		return;
	t->peak = t->now;
	t->peak_time = time;
	t->peak_threads = t->threads;
}

void tree_memory_lose(struct tree_memory *t)
{
	t->lost = true;
}

void tree_memory_free(struct tree_memory *t)
{
	free(t->spaces);
	free(t->users);
	index_free(&t->space_index);
	index_free(&t->user_index);
	*t = (struct tree_memory){.n_spaces = 0};
}
