#include "threads.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* So many looks in a row that find nothing to do will do where none can be shown to be complete, since threads end
 * all the time. */
#define ENOUGH_LOOKS 50

/* The process had as many threads, after they were listed, as were found, and each of them was there still. */
static bool list_is_complete(int dir, const struct thread *found, size_t n)
{
	struct stat st;

	if (fstat(dir, &st) < 0 || st.st_nlink != n + 2) /* a link for each, ".", and its name */
		return false;
	for (size_t i = 0; i < n; i++)
		if (syscall(SYS_tgkill, found[i].process, found[i].tid, 0) < 0 && errno == ESRCH)
			return false;
	return true;
}

bool threads_list(struct thread_set *set, pid_t process)
{
	size_t had = set->n;
	const struct dirent *entry;
	char path[64];
	bool complete;
	DIR *dir;
	long tid;

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	dir = opendir(path);
	if (!dir)
		return true;
	while ((entry = readdir(dir)))
		if (parse_long(entry->d_name, 1, INT_MAX, &tid) == 0)
			*ARRAY_PUSH(set->v, set->n) = (struct thread){(pid_t)tid, process};
	complete = list_is_complete(dirfd(dir), set->v + had, set->n - had);
	closedir(dir);
	return complete;
}

static bool list_all(struct thread_set *set, const pid_t *processes, size_t n)
{
	bool complete = true;

	for (size_t i = 0; i < n; i++)
		complete &= threads_list(set, processes[i]);
	return complete;
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

/* What was opened before its birth could be known is closed when it turns out to have inherited counters. (Dead ones,
 * too: what they started meanwhile has inherited both.) 1 if anything was closed. */
static int confirm(struct threads *t)
{
	int done = 0;

	for (size_t i = t->n; i-- > 0;) {
		const struct opened_thread *clash = NULL;
		struct opened_thread *opened = &t->opened[i];

		if (!opened->unconfirmed)
			continue;
		opened->unconfirmed = false;
		if (!has_inherited(t, opened->thread.tid, &clash) && !clash)
			continue;
		close_at(t, i);
		done = 1;
	}
	return done;
}

/* See to one thread: 0 if it is counted once as it is, 1 if something had to be done, or -errno. A thread shows in
 * /proc a moment before its birth is recorded; it may not live until that is known, so it is opened at once and
 * confirmed by the next look. */
static int see_to(struct threads *t, struct thread thread, struct error *e)
{
	const struct opened_thread *clash = NULL;
	size_t had = t->n;
	int error;

	if (find_opened(t, thread.tid) || has_inherited(t, thread.tid, &clash))
		return 0;
	if (clash) { /* nothing counts yet, so nothing is lost: the next look opens it anew */
		close_at(t, (size_t)(clash - t->opened));
		return 1;
	}
	error = threads_open(t, thread, e);
	if (error == 0 && t->n > had)
		t->opened[had].unconfirmed = !births_find(t->births, thread.tid);
	else /* it has ended, without counters: what it has started did not inherit any */
		births_cut(t->births, thread.tid);
	return error < 0 ? error : 1;
}

/* One look: 1 if anything had to be done, 0 if it found every thread counted once, or -errno. */
static int look(struct threads *t, const pid_t *processes, size_t n, bool *complete, struct error *e)
{
	struct thread_set found = {0};
	int done;

	*complete = list_all(&found, processes, n);
	births_read(t->births);
	done = confirm(t);
	for (size_t i = 0; i < found.n && done >= 0; i++) {
		int did = see_to(t, found.v[i], e);

		done = did ? did : done;
	}
	free(found.v);
	return done;
}

static int open_following_births(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	int done = 0;

	while (t->n)
		close_at(t, t->n - 1);
	t->births = births_new();
	for (int idle = 0; idle < ENOUGH_LOOKS && done >= 0; idle = done ? 0 : idle + 1) {
		bool complete;

		done = look(t, processes, n, &complete, e);
		if (done == 0 && complete)
			break;
	}
	t->incomplete = births_is_incomplete(t->births);
	births_free(t->births);
	t->births = NULL;
	return done;
}

int threads_open_processes(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	struct thread_set found = {0};
	bool settled;
	int error = 0;

	list_all(&found, processes, n);
	for (size_t i = 0; i < found.n && error == 0; i++)
		error = threads_open(t, found.v[i], e);
	found.n = 0;
	/* usually nothing was started meanwhile, and births need not be known */
	settled = list_all(&found, processes, n);
	for (size_t i = 0; i < found.n && settled; i++)
		settled = find_opened(t, found.v[i].tid);
	free(found.v);
	return error < 0 || settled ? error : open_following_births(t, processes, n, e);
}

void threads_free(struct threads *t)
{
	free(t->opened);
	births_free(t->births);
	*t = (struct threads){0};
}
