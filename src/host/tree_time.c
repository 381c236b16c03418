#include "host/tree_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/procfs.h"
#include "lib/util.h"

/* The kernel rounds each of four times down to ticks. */
#define TIMES 4

/* At the beginning: each thread has a file that lists its children. */
#define THREADS_MOST 8

/* Pushes the children of a thread with the times when they started. Needs CONFIG_PROC_CHILDREN. */
static void list_children_of(pid_t process, pid_t thread, struct tree_child **children, size_t *n)
{
	auto_free char *path = xasprintf("/proc/%d/task/%d/children", (int)process, (int)thread), *word = NULL;
	auto_fclose FILE *f = fopen(path, "re");
	struct proc_times times;
	size_t size = 0;

	while (f && getdelim(&word, &size, ' ', f) > 0) {
		pid_t pid = (pid_t)strtol(word, NULL, 10);

		if (procfs_read_times(pid, &times) == 0)
			*ARRAY_PUSH(*children, *n) = (struct tree_child){.pid = pid, .start = times.start};
	}
}

/* Returns false, and lists none, if the process has more threads than most_threads. */
static bool list_children(pid_t process, size_t most_threads, struct tree_child **children, size_t *n)
{
	struct thread_set threads = {0};
	bool few;

	procfs_list_threads(&threads, process);
	few = threads.n <= most_threads;
	for (size_t i = 0; i < threads.n && few; i++)
		list_children_of(process, threads.v[i], children, n);
	free(threads.v);
	return few;
}

static bool is_earlier(const struct tree_time *t, const struct tree_child *child)
{
	for (size_t i = 0; t && i < t->n_earlier; i++)
		if (t->earlier[i].pid == child->pid && t->earlier[i].start == child->start)
			return true;
	return false;
}

/* Returns false if one has ended. */
static bool read_processes(const struct tree_time *t, uint64_t *own, uint64_t *children)
{
	struct proc_times times;

	*own = *children = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (procfs_read_times(t->ids[i], &times) < 0)
			return false;
		*own += times.own;
		*children += times.children;
	}
	return true;
}

/* Returns the time of the descendants that run, without the earlier children and theirs. */
static uint64_t read_descendants(const pid_t *ids, size_t n_ids, const struct tree_time *without)
{
	struct tree_child *children = NULL;
	struct proc_times times;
	uint64_t ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_ids; i++)
		(void)list_children(ids[i], SIZE_MAX, &children, &n);
	for (size_t i = 0; i < n; i++) {
		if (is_earlier(without, &children[i]) || procfs_read_times(children[i].pid, &times) < 0)
			continue;
		ns += times.own + times.children;
		(void)list_children(children[i].pid, SIZE_MAX, &children, &n);
	}
	free(children);
	return ns;
}

/* Ends an earlier child. It may have used all CPUs since it was read last, but not more than waited_more: the time of
 * the children for which the processes have waited since then, which includes its time. */
static void end_earlier(struct tree_child *c, uint64_t now, uint64_t waited_more)
{
	uint64_t rounded = TIMES * procfs_tick();
	uint64_t most = c->ns + (now - c->read_at) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) + rounded;

	c->ended = true;
	if (most > waited_more + rounded)
		most = waited_more + rounded;
	if (c->ns < most)
		c->ns = most;
}

/* Reads the time of the earlier children. Returns an upper limit of the time of the ended ones. waited: the time of the
 * children for which the processes have waited; it includes the time of the ended ones. */
static uint64_t read_earlier(struct tree_time *t, uint64_t waited)
{
	uint64_t now = clock_now(), ended = 0, own, latest;
	struct proc_times times;

	for (size_t i = 0; i < t->n_earlier; i++) {
		struct tree_child *c = &t->earlier[i];

		if (!c->ended && procfs_read_times(c->pid, &times) == 0 && times.start == c->start) {
			c->ns = times.own + times.children + read_descendants(&c->pid, 1, NULL);
			c->read_at = now;
		} else if (!c->ended) { /* perhaps after `waited` was read */
			if (!read_processes(t, &own, &latest))
				latest = UINT64_MAX / 2;
			end_earlier(c, now, latest - t->waited);
		}
		ended += c->ended ? c->ns : 0;
	}
	t->waited = waited;
	return ended;
}

void tree_time_begin(struct tree_time *t)
{
	bool good = true;

	t->has_begun = true;
	for (size_t i = 0; i < t->n && good; i++)
		good = list_children(t->ids[i], THREADS_MOST, &t->earlier, &t->n_earlier);
	if (!good || !read_processes(t, &t->own_before, &t->children_before)) {
		t->n = 0;
		return;
	}
	t->waited = t->children_before;
	read_earlier(t, t->children_before);
}

void tree_time_read(struct tree_time *t)
{
	uint64_t left_out = t->has_begun ? TIMES * procfs_tick() * t->n : 0, own, waited, children, ns;

	if (t->n == 0 || !read_processes(t, &own, &waited))
		return;
	children = waited + read_descendants(t->ids, t->n, t) - t->children_before;
	left_out += read_earlier(t, waited);
	children = children > left_out ? children - left_out : 0;
	ns = own - t->own_before + children;
	if (t->known && ns < t->ns)
		return; /* a descendant has ended, and nobody waited for it */
	t->children_ns = children;
	t->ns = ns;
	t->known = true;
}

void tree_time_free(struct tree_time *t)
{
	free(t->earlier);
	*t = (struct tree_time){.n = 0};
}
