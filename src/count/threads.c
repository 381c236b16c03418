#include "count/threads.h"

#include <errno.h>
#include <stdlib.h>

#include "host/procfs.h"

#define TRIES_MOST 5

/* 0, also when it has ended, or -errno. */
static int open_thread(struct counters *counters, pid_t tid, struct error *e)
{
	int error = counters_open(counters, &(struct slot){.pid = tid, .cpu = -1}, e);

	return error == -ESRCH ? 0 : error;
}

static void list_threads(const struct target *processes, struct thread_set *set)
{
	for (size_t i = 0; i < processes->n; i++)
		procfs_list_threads(set, processes->ids[i]);
}

static int compare_ids(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How many threads of the later list are not in the earlier one. */
static size_t count_new(struct thread_set *earlier, const struct thread_set *later)
{
	size_t n = 0;

	qsort(earlier->v, earlier->n, sizeof(*earlier->v), compare_ids);
	for (size_t i = 0; i < later->n; i++)
		n += !bsearch(&later->v[i], earlier->v, earlier->n, sizeof(*earlier->v), compare_ids);
	return n;
}

/* Sets *started to the number of threads that started during it. 0 or -errno. */
static int open_once(struct counters *counters, const struct target *processes, size_t *started, struct error *e)
{
	struct thread_set before = {0}, after = {0};
	int error = 0;

	list_threads(processes, &before);
	for (size_t i = 0; i < before.n && error == 0; i++)
		error = open_thread(counters, before.v[i], e);
	list_threads(processes, &after);
	*started = count_new(&before, &after);
	free(before.v);
	free(after.v);
	return error;
}

static int open_processes(struct counters *counters, const struct target *processes, struct strings *notes,
			  struct error *e)
{
	size_t started = 0;
	int error = open_once(counters, processes, &started, e);

	for (unsigned tries = 1; tries < TRIES_MOST && error == 0 && started; tries++) {
		while (counters_slots(counters))
			counters_close_slot(counters, counters_slots(counters) - 1);
		error = open_once(counters, processes, &started, e);
	}
	if (error == 0 && started)
		strings_add(
			notes,
			"%zu thread%s started while pfmstat attached: the work of a thread that started at that moment "
			"may be missing",
			started, started == 1 ? "" : "s");
	return error;
}

/* Counters that are not inherited only show what may be counted, which is the same for all threads of a process. */
static int open_any_thread(struct counters *counters, pid_t process, struct error *e)
{
	size_t had = counters_slots(counters);
	struct thread_set found = {0};
	int error = 0;

	procfs_list_threads(&found, process);
	for (size_t i = 0; i < found.n && error == 0 && counters_slots(counters) == had; i++)
		error = open_thread(counters, found.v[i], e);
	free(found.v);
	return error;
}

int threads_open(struct counters *counters, const struct target *target, struct strings *notes, struct error *e)
{
	bool inherits = counters_are_inherited(counters) && counters_slot_size(counters, &(struct slot){.cpu = -1});
	int error = 0;

	if (target->kind == TARGET_PROCESS && inherits)
		return open_processes(counters, target, notes, e);
	for (size_t i = 0; i < target->n && error == 0; i++)
		error = target->kind == TARGET_THREAD ? open_thread(counters, target->ids[i], e)
						      : open_any_thread(counters, target->ids[i], e);
	return error;
}
