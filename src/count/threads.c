#include "count/threads.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host/census.h"
#include "lib/descriptors.h"

/* So many looks in a row that find nothing to do will do where none can be shown to be complete, since threads end
 * all the time. */
#define ENOUGH_LOOKS 50

/* What a thread takes at the most to start another: on a CPU, and from begin to end when it has to wait. */
#define START_CPU_NS 2000000u
#define START_NS     20000000u

/* Between two looks at what has to come by itself; how long after its opening a thread is waited for, and how long all
 * that are born meanwhile. */
#define PAUSE_NS    100000
#define SETTLE_NS   50000000u
#define PATIENCE_NS 1000000000u

static bool list_all(struct thread_set *set, const pid_t *processes, size_t n)
{
	bool complete = true;

	for (size_t i = 0; i < n; i++)
		complete &= census_threads(set, processes[i]);
	return complete;
}

static struct opened_thread *find_opened(const struct threads *t, pid_t tid)
{
	uint32_t place = t->place ? t->place[tid] : 0;

	return place ? &t->opened[place - 1] : NULL;
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
	if (error == 0) {
		if (!t->place)
			t->place = xcalloc(PID_MAX_LIMIT, sizeof(*t->place));
		*ARRAY_PUSH(t->opened, t->n) = opened;
		t->place[thread.tid] = (uint32_t)t->n;
	}
	return error == -ESRCH ? 0 : error;
}

/* A thread that was about to start another when its counters were opened has none to give to that one: the kernel
 * copies them first, and lets the new thread be seen last (kernel/fork.c: copy_process). Once it has been on a CPU for
 * long enough, or waits for something else, that is over, and what it starts from then on inherits them. A thread that
 * gets no CPU may be anywhere: it is not waited for. */
static bool settle(struct threads *t, size_t i)
{
	struct opened_thread *opened = &t->opened[i];
	struct resident r;
	uint64_t enabled = 0, now;
	bool ended, busy, known;

	if (opened->settled || opened->gone || !counters_slot_is_open(t->counters, i))
		return true;
	ended = census_look(opened->thread.tid, &r) < 0 || r.state == 'Z' || r.state == 'X';
	busy = !ended && (r.state == 'R' || r.state == 'D');
	known = !(ended || busy) || counters_enabled_ns(t->counters, i, &enabled);
	now = clock_now(); /* after what was looked at: what it was starting has been told of by now */
	if (ended && known) {
		opened->enabled = enabled;
		opened->gone = now;
	} else if (known && (!busy || enabled > START_CPU_NS || (r.state == 'D' && now > opened->end + START_NS))) {
		opened->settled = now;
	} else if (now > opened->end + SETTLE_NS) {
		opened->settled = now;
		opened->doubtful = true;
	}
	return opened->settled || opened->gone;
}

static bool settle_all(struct threads *t)
{
	bool settled = true;

	for (size_t i = 0; i < t->n; i++)
		settled &= settle(t, i);
	return settled;
}

/* Let them go on. No descriptor tells when, and nothing is counted yet. */
static void pause_briefly(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static void close_at(struct threads *t, size_t i)
{
	counters_close_slot(t->counters, i);
	t->place[t->opened[i].thread.tid] = 0;
	t->n--;
	memmove(&t->opened[i], &t->opened[i + 1], (t->n - i) * sizeof(*t->opened));
	for (; i < t->n; i++)
		t->place[t->opened[i].thread.tid] = (uint32_t)i + 1;
}

void threads_close_process(struct threads *t, pid_t process)
{
	for (size_t i = t->n; i-- > 0;)
		if (t->opened[i].thread.process == process)
			close_at(t, i);
}

static bool is_of(const struct threads *t, size_t i, pid_t process, bool open)
{
	return t->opened[i].thread.process == process && (!open || counters_slot_is_open(t->counters, i));
}

bool threads_has(const struct threads *t, pid_t process, bool open)
{
	size_t first = t->place ? t->place[process] : 0; /* usually there, so that not all are looked through */

	if (first && is_of(t, first - 1, process, open))
		return true;
	for (size_t i = 0; i < t->n; i++)
		if (is_of(t, i, process, open))
			return true;
	return false;
}

/* Has a thread inherited counters? */
enum heritage {
	NO_HERITAGE,
	HERITAGE,
	PART_HERITAGE,    /* or perhaps none: its starter's were being opened at that moment */
	UNKNOWN_HERITAGE, /* so far */
};

/* Who has ended before it was settled: if it has started no other, its counters go on only if that one inherited them.
 */
static enum heritage judge_orphan(struct threads *t, struct opened_thread *parent, const struct birth *birth)
{
	uint64_t enabled;

	if (births_count(t->births, birth->parent, birth->time, UINT64_MAX) > 0)
		return PART_HERITAGE;
	if (counters_enabled_ns(t->counters, (size_t)(parent - t->opened), &enabled) && enabled > parent->enabled) {
		parent->settled = parent->end;
		return HERITAGE;
	}
	return clock_now() > parent->gone + START_NS ? PART_HERITAGE : UNKNOWN_HERITAGE;
}

/* A birth by a thread with counters: as old as the counters, or older, or certainly younger? The first one that is told
 * of may have been in the making when they were opened. */
static enum heritage judge(struct threads *t, struct opened_thread *parent, const struct birth *birth)
{
	if (birth->time < parent->begin)
		return NO_HERITAGE;
	if (birth->time <= parent->end)
		return PART_HERITAGE;
	if (parent->settled && birth->time > parent->settled)
		return HERITAGE;
	if (births_count(t->births, birth->parent, parent->end, birth->time) > 0)
		return HERITAGE;
	if (parent->gone)
		return judge_orphan(t, parent, birth);
	return parent->settled ? PART_HERITAGE : UNKNOWN_HERITAGE;
}

/* Its birth says by whom it was started; the starter has counters if it was opened, or has inherited them itself. */
static enum heritage heritage_of(struct threads *t, pid_t tid, struct opened_thread **from)
{
	const struct birth *birth = births_find(t->births, tid);
	uint64_t before = UINT64_MAX;

	while (birth && !birth->cut && birth->time < before) {
		*from = find_opened(t, birth->parent);
		if (*from)
			return judge(t, *from, birth);
		before = birth->time;
		birth = births_find(t->births, birth->parent);
	}
	return NO_HERITAGE;
}

/* What was opened before its birth could be known is closed when it turns out to have inherited counters. (Dead ones,
 * too: what they started meanwhile has inherited both.) 1 if anything was closed. */
static int confirm(struct threads *t)
{
	int done = 0;

	for (size_t i = t->n; i-- > 0;) {
		struct opened_thread *from, *opened = &t->opened[i];
		enum heritage heritage;

		if (!opened->unconfirmed)
			continue;
		heritage = heritage_of(t, opened->thread.tid, &from);
		opened->unconfirmed = heritage == UNKNOWN_HERITAGE;
		if (heritage == NO_HERITAGE || heritage == UNKNOWN_HERITAGE)
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
	struct opened_thread *from;
	size_t had = t->n;
	int error;

	if (find_opened(t, thread.tid))
		return 0;
	switch (heritage_of(t, thread.tid, &from)) {
	case HERITAGE:
		return 0;
	case UNKNOWN_HERITAGE:
		return 1;
	case PART_HERITAGE: /* nothing counts yet, so nothing is lost: the next look opens it anew */
		close_at(t, (size_t)(from - t->opened));
		return 1;
	case NO_HERITAGE:
		break;
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

/* Trackers take a descriptor for each thread and CPU. */
static int reserve_for_births(const struct threads *t)
{
	size_t each = counters_slot_size(t->counters, &(struct slot){.cpu = -1});
	struct error ignored;

	return descriptors_reserve(t->n * (each + (size_t)sysconf(_SC_NPROCESSORS_CONF)), "", "", &ignored);
}

/* Look until all are settled, and then nothing is left to do. */
static int open_following_births(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	uint64_t end = clock_now() + PATIENCE_NS;
	int done = 1, idle = 0;

	if (reserve_for_births(t) < 0) {
		t->incomplete = true;
		return 0;
	}
	while (t->n)
		close_at(t, t->n - 1);
	t->births = births_new();
	while (done >= 0 && idle < ENOUGH_LOOKS) {
		bool complete, settled = settle_all(t);

		done = look(t, processes, n, &complete, e);
		if (done == 0 && complete && settled)
			break;
		if (done == 0 && !settled)
			pause_briefly();
		idle = done || !settled ? 0 : idle + 1;
		if (clock_now() > end) {
			t->incomplete = true;
			break;
		}
	}
	t->incomplete |= births_is_incomplete(t->births);
	births_free(t->births);
	t->births = NULL;
	return done < 0 ? done : 0;
}

/* Of each process one thread: whether it may be counted is a matter of the process. */
static int open_samples(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	int error = 0;

	for (size_t i = 0; i < n && error == 0; i++) {
		struct thread_set found = {0};
		size_t had = t->n;

		census_threads(&found, processes[i]);
		for (size_t k = 0; k < found.n && error == 0 && t->n == had; k++)
			error = threads_open(t, found.v[k], e);
		free(found.v);
	}
	return error;
}

int threads_open_processes(struct threads *t, const pid_t *processes, size_t n, struct error *e)
{
	struct thread_set found = {0};
	bool settled;
	int error = 0;

	if (!counters_are_inherited(t->counters))
		return open_samples(t, processes, n, e);
	list_all(&found, processes, n);
	for (size_t i = 0; i < found.n && error == 0; i++)
		error = threads_open(t, found.v[i], e);
	if (error < 0) {
		free(found.v);
		return error;
	}
	found.n = 0;
	while (!settle_all(t))
		pause_briefly();
	/* usually nothing was started meanwhile, and births need not be known */
	settled = list_all(&found, processes, n);
	for (size_t i = 0; i < found.n && settled; i++)
		settled = find_opened(t, found.v[i].tid);
	free(found.v);
	return settled ? 0 : open_following_births(t, processes, n, e);
}

size_t threads_doubtful(const struct threads *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->opened[i].doubtful;
	return n;
}

void threads_free(struct threads *t)
{
	free(t->opened);
	free(t->place);
	births_free(t->births);
	*t = (struct threads){0};
}
