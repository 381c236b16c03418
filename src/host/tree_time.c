#include "host/tree_time.h"

#include <stdio.h>
#include <stdlib.h>

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
			*ARRAY_PUSH(*children, *n) = (struct tree_child){pid, times.start};
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
	for (size_t i = 0; i < t->n_earlier; i++)
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

void tree_time_begin(struct tree_time *t)
{
	bool good = true;

	t->has_begun = true;
	for (size_t i = 0; i < t->n && good; i++)
		good = list_children(t->ids[i], THREADS_MOST, &t->earlier, &t->n_earlier);
	for (size_t i = 0; i < t->n_earlier && good; i++)
		good = list_children(t->earlier[i].pid, THREADS_MOST, &t->earlier, &t->n_earlier);
	if (!good || !read_processes(t, &t->own_before, &t->children_before))
		t->n = 0;
}

/* Returns the time of the descendants that have started since the beginning. */
static uint64_t read_descendants(const struct tree_time *t)
{
	struct tree_child *children = NULL;
	struct proc_times times;
	uint64_t ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		(void)list_children(t->ids[i], SIZE_MAX, &children, &n);
	for (size_t i = 0; i < n; i++) {
		if (is_earlier(t, &children[i]) || procfs_read_times(children[i].pid, &times) < 0)
			continue;
		ns += times.own + times.children;
		(void)list_children(children[i].pid, SIZE_MAX, &children, &n);
	}
	free(children);
	return ns;
}

void tree_time_read(struct tree_time *t)
{
	uint64_t error = t->has_begun ? TIMES * procfs_tick() * t->n : 0, own, children;
	struct proc_times times;

	if (t->known || t->n == 0 || !read_processes(t, &own, &children))
		return;
	for (size_t i = 0; i < t->n_earlier; i++)
		if (procfs_read_times(t->earlier[i].pid, &times) < 0 || times.start != t->earlier[i].start)
			return;
	children += read_descendants(t);
	children -= t->children_before;
	t->children_ns = children > error ? children - error : 0;
	t->ns = own - t->own_before + t->children_ns;
	t->known = true;
}

void tree_time_free(struct tree_time *t)
{
	free(t->earlier);
	*t = (struct tree_time){.n = 0};
}
