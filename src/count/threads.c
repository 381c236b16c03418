#include "count/threads.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/descriptors.h"
#include "lib/ring.h"

/* Where threads end all the time, no list can be shown to be complete: so many looks in a row that find nothing new are
 * enough. */
#define ENOUGH_LOOKS 50

/* What a thread needs at most to start another: CPU time, and ns from begin to end if it has to wait. */
#define START_CPU_NS 2000000u
#define START_NS     20000000u

/* Between two looks; for one thread to settle; for all that start meanwhile. */
#define PAUSE_NS    100000
#define SETTLE_NS   50000000u
#define PATIENCE_NS 1000000000u

static struct opened_thread *find_opened(const struct threads *t, pid_t tid)
{
	uint32_t place = t->place ? t->place[tid] : 0;

	return place ? &t->opened[place - 1] : NULL;
}

/* 0 (also when it has ended meanwhile) or -errno. */
static int open_thread(struct threads *t, struct thread thread, struct error *e)
{
	struct opened_thread opened = {.thread = thread};
	int error = t->tracker ? fork_tracker_add(t->tracker, thread.tid) : 0;

	if (error < 0 && error != -ESRCH) {
		auto_free char *what = xasprintf("cannot follow the threads that %d starts", thread.tid);

		return ring_explain(error, what, e);
	}
	opened.begin = clock_now();
	if (error == 0)
		error = counters_open(t->counters, &(struct slot){.pid = thread.tid, .cpu = -1}, e);
	opened.end = clock_now();
	if (error == 0) {
		if (!counters_slot_is_open(t->counters, t->n))
			opened.settled = opened.end; /* there is nothing to inherit */
		if (!t->place)
			t->place = xcalloc(PID_MAX_LIMIT, sizeof(*t->place));
		*ARRAY_PUSH(t->opened, t->n) = opened;
		t->place[thread.tid] = (uint32_t)t->n;
	}
	return error == -ESRCH ? 0 : error;
}

/* A thread that has ended has settled, too, but what if it was starting another? If that is the only one, and the
 * counters go on, they were inherited. */
static void settle_gone(const struct threads *t, size_t i)
{
	struct opened_thread *opened = &t->opened[i];
	const struct task_forks *forks = fork_tracker_find(t->tracker, opened->thread.tid);
	const struct task_forks *last =
		forks && forks->last_fork > opened->end ? fork_tracker_find(t->tracker, forks->last_child) : NULL;
	uint64_t enabled;

	if (!last || last->previous > opened->end || clock_now() > opened->gone + START_NS)
		opened->settled = opened->gone;
	else if (counters_enabled_ns(t->counters, i, &enabled) && enabled > opened->enabled)
		opened->settled = opened->end;
}

/* A thread that was just starting another when its counters were opened may not have passed them on: the kernel copies
 * them first and makes the new thread visible last (kernel/fork.c: copy_process). Once it has been on a CPU for long
 * enough, or sleeps, that is over, and whatever it starts later inherits them. A thread that gets no CPU may be
 * anywhere: it is not waited for. */
static bool settle(struct threads *t, size_t i)
{
	struct opened_thread *opened = &t->opened[i];
	struct proc_stat stat;
	uint64_t enabled = 0, now;
	bool ended, busy, known;

	if (opened->gone && !opened->settled && t->tracker)
		settle_gone(t, i);
	if (opened->gone || opened->settled)
		return true;
	ended = procfs_read_stat(opened->thread.tid, &stat) < 0 || stat.state == 'Z' || stat.state == 'X';
	busy = !ended && (stat.state == 'R' || stat.state == 'D');
	known = !(ended || busy) || counters_enabled_ns(t->counters, i, &enabled);
	now = clock_now(); /* later than what was read: the record of what it was starting then has been written */
	if (ended && known) {
		opened->enabled = enabled;
		opened->gone = now;
	} else if (known && (!busy || enabled > START_CPU_NS || (stat.state == 'D' && now > opened->end + START_NS))) {
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

bool threads_has(const struct threads *t, pid_t process)
{
	bool has = find_opened(t, process); /* usually, which saves the search */

	for (const struct opened_thread *o = t->opened; o && o < t->opened + t->n && !has; o++)
		has = o->thread.process == process;
	return has;
}

/* Which counters has a thread inherited? */
enum inherit_state {
	INHERITED_NONE,
	INHERITED_ALL,
	INHERITED_MAYBE,
	INHERITED_UNKNOWN, /* until its parent has settled */
};

/* The first thread that a parent starts after its counters were opened may have been copied before. */
static enum inherit_state judge_fork(const struct opened_thread *parent, const struct task_forks *child)
{
	if (child->started < parent->begin)
		return INHERITED_NONE;
	if (child->previous > parent->end || (parent->settled && child->started > parent->settled))
		return INHERITED_ALL;
	return parent->settled ? INHERITED_MAYBE : INHERITED_UNKNOWN;
}

/* from: the thread that it has inherited them from, itself or by way of those in between. */
static enum inherit_state find_inherited(const struct threads *t, pid_t tid, struct opened_thread **from)
{
	const struct task_forks *task = t->tracker ? fork_tracker_find(t->tracker, tid) : NULL;
	uint64_t before = UINT64_MAX; /* ids are used again: a parent is older */

	while (task && task->started && task->started < before) {
		*from = find_opened(t, task->parent);
		if (*from)
			return judge_fork(*from, task);
		before = task->started;
		task = fork_tracker_find(t->tracker, task->parent);
	}
	return INHERITED_NONE;
}

/* 0 if a thread is counted once, 1 if something had to be done or is still to be known, or -errno. A thread shows in
 * /proc a moment before its fork is recorded, and may be gone by then: it is opened at once, and closed if it turns out
 * to have inherited counters. Nothing counts yet, so whatever is closed loses nothing. */
static int count_once(struct threads *t, struct thread thread, struct error *e)
{
	struct opened_thread *opened = find_opened(t, thread.tid), *from;
	int error;

	switch (find_inherited(t, thread.tid, &from)) {
	case INHERITED_ALL:
		if (opened)
			close_at(t, (size_t)(opened - t->opened));
		return opened != NULL;
	case INHERITED_MAYBE: /* the next look opens it anew */
		close_at(t, (size_t)(from - t->opened));
		return 1;
	case INHERITED_UNKNOWN:
		return 1;
	case INHERITED_NONE:
		break;
	}
	if (opened)
		return 0;
	error = open_thread(t, thread, e);
	return error < 0 ? error : 1;
}

/* One look at the processes' threads and at those that were opened, which may have ended: 1 if there was anything to
 * do, 0 if each was counted once, or -errno. Counters that are not inherited only tell what may be counted, which is a
 * matter of the process: one thread of each will do. */
static int review_threads(struct threads *t, const struct target *processes, bool *complete, struct error *e)
{
	bool each = counters_are_inherited(t->counters);
	struct thread_set found = {0};
	int done = 0;

	*complete = true;
	for (size_t i = 0; i < processes->n; i++)
		*complete &= procfs_list_threads(&found, processes->ids[i]);
	for (size_t i = 0; t->tracker && i < t->n; i++)
		*ARRAY_PUSH(found.v, found.n) = t->opened[i].thread;
	if (t->tracker)
		fork_tracker_read(t->tracker);
	for (size_t i = 0; i < found.n && done >= 0; i++) {
		int did = 0;

		if (each || !t->n || t->opened[t->n - 1].thread.process != found.v[i].process)
			did = count_once(t, found.v[i], e);
		done = did ? did : done;
	}
	free(found.v);
	return done;
}

/* Begin again with the forks recorded: look until each thread is counted once and has settled. */
static int open_tracking_forks(struct threads *t, const struct target *processes, struct error *e)
{
	size_t events = counters_slot_size(t->counters, &(struct slot){.cpu = -1});
	uint64_t end = clock_now() + PATIENCE_NS;
	bool complete = false, settled = false;
	struct error ignored;
	int done = 1, idle = 0;

	/* a tracker takes a descriptor for each CPU */
	t->incomplete =
		descriptors_reserve(t->n * (events + (size_t)sysconf(_SC_NPROCESSORS_CONF)), "", "", &ignored) < 0;
	if (t->incomplete)
		return 0;
	while (t->n)
		close_at(t, t->n - 1);
	t->tracker = fork_tracker_new();
	while (done >= 0 && !(done == 0 && complete && settled) && idle < ENOUGH_LOOKS && !t->incomplete) {
		settled = settle_all(t);
		done = review_threads(t, processes, &complete, e);
		if (done == 0 && !settled)
			pause_briefly();
		idle = done || !settled ? 0 : idle + 1;
		t->incomplete = clock_now() > end;
	}
	t->incomplete |= t->tracker->incomplete;
	return done < 0 ? done : 0;
}

static int open_processes(struct threads *t, const struct target *processes, struct error *e)
{
	bool complete;
	int done = review_threads(t, processes, &complete, e);

	if (done < 0 || !counters_are_inherited(t->counters))
		return done < 0 ? done : 0;
	while (!settle_all(t))
		pause_briefly();
	done = review_threads(t, processes, &complete, e);
	/* usually nothing was started meanwhile, and no forks need be known */
	return done < 0 || (done == 0 && complete) ? done : open_tracking_forks(t, processes, e);
}

int threads_open(struct threads *t, const struct target *target, struct error *e)
{
	int error = 0;

	if (target->kind == TARGET_PROCESS)
		return open_processes(t, target, e);
	for (size_t i = 0; i < target->n && error == 0; i++)
		error = open_thread(t, (struct thread){target->ids[i], target->ids[i]}, e);
	return error;
}

void threads_free(struct threads *t)
{
	free(t->opened);
	free(t->place);
	fork_tracker_free(t->tracker);
	*t = (struct threads){0};
}
