#include "threads.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

void threads_list(struct thread_set *set, pid_t process)
{
	char path[64];
	const struct dirent *entry;
	DIR *dir;
	long tid;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (parse_long(entry->d_name, 1, INT_MAX, &tid) == 0)
			*ARRAY_PUSH(set->v, set->n) = (struct thread){(pid_t)tid, process};
	if (dir)
		closedir(dir);
}

static struct thread_set list_all(const pid_t *processes, size_t n)
{
	struct thread_set set = {0};

	for (size_t i = 0; i < n; i++)
		threads_list(&set, processes[i]);
	return set;
}

static const struct opened_thread *find_opened(const struct threads *t, pid_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->opened[i].thread.tid == tid)
			return &t->opened[i];
	return NULL;
}

int threads_open(struct threads *t, struct thread thread, struct error *e)
{
	struct opened_thread opened = {.thread = thread};
	int error = t->births ? births_track(t->births, thread.tid) : 0;

	if (error < 0 && error != -ESRCH)
		return error_set(e, -error, "cannot follow the threads that %d starts: %s", thread.tid,
				 strerror(-error));
	opened.begin = clock_now();
	if (error == 0)
		error = counters_open(t->counters, &(struct slot){.pid = thread.tid, .cpu = -1}, e);
	opened.end = clock_now();
	if (error == 0)
		*ARRAY_PUSH(t->opened, t->n) = opened;
	return error == -ESRCH ? 0 : error;
}

static void close_at(struct threads *t, size_t i)
{
	counters_close_slot(t->counters, i);
	t->n--;
	memmove(&t->opened[i], &t->opened[i + 1], (t->n - i) * sizeof(*t->opened));
}

void threads_close_process(struct threads *t, pid_t process)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->opened[i].thread.process == process)
			close_at(t, i);
}

bool threads_has_open(const struct threads *t, pid_t process)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->opened[i].thread.process == process && counters_slot_is_open(t->counters, i))
			return true;
	return false;
}

/* Was it started by a thread whose counters it has inherited? Its birth says by whom; the starter has counters if it
 * was opened before that, or has inherited them itself. clash: the starter's own were being opened at that moment, so
 * that some may have been inherited and some not. */
static bool has_inherited(const struct threads *t, pid_t tid, const struct opened_thread **clash)
{
	const struct birth *birth = births_find(t->births, tid);
	uint64_t before = UINT64_MAX;

	while (birth && birth->time < before) {
		const struct opened_thread *parent = find_opened(t, birth->parent);

		if (parent && birth->time >= parent->begin && birth->time <= parent->end)
			*clash = parent;
		if (parent)
			return birth->time > parent->end;
		before = birth->time;
		birth = births_find(t->births, birth->parent);
	}
	return false;
}

static bool set_has(const struct thread_set *set, pid_t tid)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].tid == tid)
			return true;
	return false;
}

/* See to one thread: 0 if it is counted once as it is, 1 if something had to be done, or -errno. A thread shows in
 * /proc a moment before its birth is recorded, so one without a birth is opened only when the next look finds it still
 * so. */
static int see_to(struct threads *t, struct thread thread, struct thread_set *uncertain, struct error *e)
{
	const struct opened_thread *clash = NULL;
	int error = 0;

	if (find_opened(t, thread.tid) || has_inherited(t, thread.tid, &clash))
		return 0;
	if (clash) /* nothing counts yet, so nothing is lost: the next look opens it anew */
		close_at(t, (size_t)(clash - t->opened));
	else if (births_find(t->births, thread.tid) || set_has(&t->uncertain, thread.tid))
		error = threads_open(t, thread, e);
	else
		*ARRAY_PUSH(uncertain->v, uncertain->n) = thread;
	return error < 0 ? error : 1;
}

/* One look: 1 if anything had to be done, 0 if it found every thread counted once, or -errno. */
static int look(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	struct thread_set found = list_all(processes, n), uncertain = {0};
	int done = 0;

	births_read(t->births);
	for (size_t i = 0; i < found.n && done >= 0; i++) {
		int did = see_to(t, found.v[i], &uncertain, e);

		done = did ? did : done;
	}
	free(found.v);
	free(t->uncertain.v);
	t->uncertain = uncertain;
	return done;
}

static int open_following_births(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	int done;

	while (t->n)
		close_at(t, t->n - 1);
	t->births = births_new();
	do
		done = look(t, processes, n, e);
	while (done > 0);
	t->incomplete = births_is_incomplete(t->births);
	births_free(t->births);
	t->births = NULL;
	return done;
}

int threads_open_processes(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	struct thread_set found = list_all(processes, n);
	bool settled = true;
	int error = 0;

	for (size_t i = 0; i < found.n && error == 0; i++)
		error = threads_open(t, found.v[i], e);
	free(found.v);
	if (error < 0)
		return error;
	/* usually nothing was started meanwhile, and births need not be known */
	found = list_all(processes, n);
	for (size_t i = 0; i < found.n && settled; i++)
		settled = find_opened(t, found.v[i].tid);
	free(found.v);
	return settled ? 0 : open_following_births(t, processes, n, e);
}

void threads_free(struct threads *t)
{
	free(t->opened);
	free(t->uncertain.v);
	births_free(t->births);
	*t = (struct threads){0};
}
