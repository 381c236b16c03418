#include "count/threads.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "count/fork_tracker.h"
#include "host/procfs.h"
#include "host/topology.h"
#include "lib/descriptors.h"
#include "lib/kernel.h"
#include "lib/ring.h"

#define PID_MAX_LIMIT (4 * 1024 * 1024) /* include/linux/threads.h: no id is as large */

/* What a thread needs at most to start another: CPU time, and ns from begin to end if it has to wait. */
#define START_CPU_NS 2000000u
#define START_NS     20000000u

/* Between two looks; for one thread to settle; for all that start meanwhile. */
#define PAUSE_NS    100000
#define SETTLE_NS   90000000u
#define PATIENCE_NS 1000000000u

/* Times: CLOCK_MONOTONIC, ns; 0: not so far, or not known. */
struct opening {
	uint64_t begin, end; /* when the counters were being opened */
	uint64_t settled;    /* by then the thread had started whatever it was starting at the end */
	uint64_t runnable;   /* since then it has not been seen to wait for anything but a CPU */
	uint64_t gone;       /* it was found to have ended */
	uint64_t enabled;    /* ns that its counters, including inherited ones, had been enabled for by then */
	bool doubtful;       /* it was not seen to settle: what it was starting may have no counters */
};

struct thread {
	size_t slot;   /* 1 + its index among the slots; 0: no counters are open on it */
	pid_t process; /* in whose list it was found */
	struct opening opening;
	uint64_t tracked; /* when it had been added to the tracker */
	/* from FORK records: */
	pid_t parent;
	uint64_t started;   /* by its parent */
	uint64_t previous;  /* the parent's fork before that */
	uint64_t last_fork; /* its own */
};

struct threads {
	struct counters *counters;
	struct fork_tracker *tracker; /* NULL: not needed so far */
	struct thread *v;
	size_t n;
	uint32_t *place; /* by tid: 1 + the index in v; 0: none. Only used pages take memory */
	bool incomplete; /* too fast to follow: some may be missing, or counted twice */
};

/* Good until this is asked for a tid that it was not asked for before. */
static struct thread *thread_of(struct threads *t, pid_t tid)
{
	if (!t->place[tid]) {
		ARRAY_PUSH(t->v, t->n);
		t->place[tid] = (uint32_t)t->n;
	}
	return &t->v[t->place[tid] - 1];
}

static pid_t tid_of_slot(const struct threads *t, size_t slot)
{
	return counters_slot(t->counters, slot)->pid;
}

/* ---- one thread ---- */

static int track(struct threads *t, pid_t tid, struct error *e)
{
	struct thread *thread = thread_of(t, tid);
	auto_free char *what = NULL;
	int error;

	if (!t->tracker || thread->tracked > thread->started)
		return 0;
	error = fork_tracker_add(t->tracker, tid);
	thread->tracked = clock_now();
	if (error == 0 || error == -ESRCH)
		return error;
	what = xasprintf("cannot follow the threads that %d starts", tid);
	return ring_explain(error, what, e);
}

/* 0 (also when it has ended meanwhile) or -errno. */
static int open_thread(struct threads *t, pid_t tid, struct error *e)
{
	struct thread *thread = thread_of(t, tid);
	int error = track(t, tid, e);

	thread->opening = (struct opening){.begin = clock_now()};
	if (error == 0)
		error = counters_open(t->counters, &(struct slot){.pid = tid, .cpu = -1}, e);
	if (error == -ESRCH)
		thread->opening.gone = clock_now();
	if (error < 0)
		return error == -ESRCH ? 0 : error;
	thread->slot = counters_slots(t->counters);
	thread->opening.end = clock_now();
	if (!counters_slot_is_open(t->counters, thread->slot - 1))
		thread->opening.settled = thread->opening.end; /* there is nothing to inherit */
	return 0;
}

static void close_slot(struct threads *t, size_t slot)
{
	thread_of(t, tid_of_slot(t, slot))->slot = 0;
	counters_close_slot(t->counters, slot);
	for (; slot < counters_slots(t->counters); slot++)
		thread_of(t, tid_of_slot(t, slot))->slot = slot + 1;
}

/* A thread waits, uninterruptibly: may it be starting another? That may take long, as while a large process is moved to
 * another cgroup (kernel/cgroup: cgroup_threadgroup_rwsem). vfork is not among the calls: it waits for a child that is
 * there already. */
static bool may_be_starting(pid_t tid, const struct opening *opening)
{
	long number = -1;
	int error = procfs_read_syscall(tid, &number);

	if (error == 0 && (number == SYS_clone || number == SYS_clone3))
		return true;
	return error == -EAGAIN || clock_now() <= opening->end + START_NS;
}

/* A thread that was just starting another when its counters were opened may not have passed them on: the kernel copies
 * them first and makes the new thread visible last (kernel/fork.c: copy_process). Once it has been on a CPU for long
 * enough, or sleeps, that is over, and whatever it starts later inherits them. A thread that gets no CPU may be
 * anywhere: it is not waited for. */
static bool settle(struct threads *t, size_t slot)
{
	pid_t tid = tid_of_slot(t, slot);
	struct thread *thread = thread_of(t, tid);
	struct opening *opening = &thread->opening;
	uint64_t enabled = 0, now;
	bool ended, busy, known, waits;
	char state;

	if (opening->gone || opening->settled)
		return true;
	state = procfs_read_state(thread->process, tid);
	ended = state == '\0' || state == 'Z' || state == 'X';
	waits = state == 'D' && may_be_starting(tid, opening);
	busy = waits || state == 'R';
	known = !(ended || busy) || counters_enabled_ns(t->counters, slot, &enabled);
	now = clock_now(); /* later than what was read: the record of what it was starting then has been written */
	if (waits || !opening->runnable)
		opening->runnable = now;
	if (ended && known) {
		opening->enabled = enabled;
		opening->gone = now;
	} else if (known && (!busy || enabled > START_CPU_NS)) {
		opening->settled = now;
	} else if (now > (waits ? opening->end + PATIENCE_NS : opening->runnable + SETTLE_NS)) {
		opening->settled = now;
		opening->doubtful = true;
	}
	return opening->settled || opening->gone;
}

static bool settle_all(struct threads *t)
{
	bool settled = true;

	for (size_t slot = 0; slot < counters_slots(t->counters); slot++)
		settled &= settle(t, slot);
	return settled;
}

/* Let them go on. No descriptor tells when, and nothing is counted yet. */
static void pause_briefly(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* ---- which counters has a thread inherited? ---- */

enum inherit_state {
	INHERITED_NONE,
	INHERITED_ALL,
	INHERITED_MAYBE,
	INHERITED_UNKNOWN, /* until its parent has settled */
};

static void read_forks(struct threads *t)
{
	struct task_fork fork;

	while (t->tracker && fork_tracker_next(t->tracker, &fork)) {
		struct thread *parent, *child;

		if (fork.child <= 0 || fork.child >= PID_MAX_LIMIT || fork.parent <= 0 || fork.parent >= PID_MAX_LIMIT)
			continue;
		thread_of(t, fork.parent);
		child = thread_of(t, fork.child);
		parent = thread_of(t, fork.parent);
		if (fork.time <= child->started ||
		    (child->parent == fork.parent && child->started == parent->last_fork)) /* written twice */
			continue;
		child->parent = fork.parent;
		child->started = fork.time;
		child->previous = parent->last_fork < fork.time ? parent->last_fork : 0;
		parent->last_fork = parent->last_fork < fork.time ? fork.time : parent->last_fork;
	}
}

/* A parent has ended, and may have been starting this thread when its counters were opened. If that is the only one
 * that it started since, and its counters go on, they were inherited. */
static enum inherit_state judge_orphan(const struct threads *t, const struct thread *parent, const struct thread *child)
{
	const struct opening *opening = &parent->opening;
	uint64_t enabled;

	if (child->started < opening->end || child->started != parent->last_fork)
		return INHERITED_MAYBE;
	if (counters_enabled_ns(t->counters, parent->slot - 1, &enabled) && enabled > opening->enabled)
		return INHERITED_ALL;
	return clock_now() > opening->gone + START_NS ? INHERITED_MAYBE : INHERITED_UNKNOWN;
}

/* The first thread that a parent starts after its counters were opened may have been copied before. */
static enum inherit_state judge_fork(const struct threads *t, const struct thread *parent, const struct thread *child)
{
	const struct opening *opening = &parent->opening;

	if (child->started < opening->begin)
		return INHERITED_NONE;
	if (child->previous > opening->end || (opening->settled && child->started > opening->settled))
		return INHERITED_ALL;
	if (opening->gone)
		return judge_orphan(t, parent, child);
	return opening->settled ? INHERITED_MAYBE : INHERITED_UNKNOWN;
}

/* from: the slot of the thread that it has inherited them from, itself or by way of those in between. */
static enum inherit_state find_inherited(struct threads *t, pid_t tid, size_t *from)
{
	const struct thread *thread = thread_of(t, tid), *parent;
	uint64_t before = UINT64_MAX; /* ids are used again: a parent is older */

	for (; thread->started && thread->started < before; thread = parent) {
		parent = thread_of(t, thread->parent);
		*from = parent->slot - 1;
		if (parent->slot)
			return judge_fork(t, parent, thread);
		before = thread->started;
	}
	return INHERITED_NONE;
}

/* ---- all of them ---- */

/* 0 if a thread is counted once, 1 if something had to be done or is still to be known, or -errno. A thread shows in
 * /proc a moment before its fork is recorded, and may be gone by then: it is opened at once, and closed if it turns out
 * to have inherited counters. */
static int count_once(struct threads *t, pid_t tid, struct error *e)
{
	size_t slot = thread_of(t, tid)->slot, from;
	bool gone = thread_of(t, tid)->opening.gone;
	int error;

	switch (find_inherited(t, tid, &from)) {
	case INHERITED_ALL:
		if (slot)
			close_slot(t, slot - 1);
		return slot != 0;
	case INHERITED_MAYBE: /* the next look opens it anew */
		close_slot(t, from);
		return 1;
	case INHERITED_UNKNOWN:
		return 1;
	case INHERITED_NONE:
		break;
	}
	if (slot)
		return 0;
	error = open_thread(t, tid, e);
	/* a process' first thread that has ended stays in the list as long as others go on */
	return error < 0 ? error : !gone || thread_of(t, tid)->slot;
}

/* One look at the processes' threads, and at those that were opened if forks are known, as these may have ended: 1 if
 * there was anything to do or a thread may have been overlooked, 0 if each was counted once, or -errno. */
static int review_threads(struct threads *t, const struct target *processes, struct error *e)
{
	struct thread_set found = {0};
	int done = 0;

	for (size_t i = 0, n = 0; i < processes->n; i++) {
		done |= !procfs_list_threads(&found, processes->ids[i]);
		for (; n < found.n; n++)
			thread_of(t, found.v[n])->process = processes->ids[i];
	}
	for (size_t slot = 0; t->tracker && slot < counters_slots(t->counters); slot++)
		*ARRAY_PUSH(found.v, found.n) = tid_of_slot(t, slot);
	read_forks(t);
	for (size_t i = 0; i < found.n && done >= 0; i++) {
		int did = count_once(t, found.v[i], e);

		done = did ? did : done;
	}
	free(found.v);
	return done;
}

/* Begin again with the forks recorded: look until each thread is counted once and has settled. */
static int open_tracking_forks(struct threads *t, const struct target *processes, struct error *e)
{
	size_t events = counters_slot_size(t->counters, &(struct slot){.cpu = -1}), n = counters_slots(t->counters);
	auto_free char *what = xasprintf("the events on %zu threads, and those that they start meanwhile", n);
	uint64_t end = clock_now() + PATIENCE_NS;
	bool settled = false;
	int done = 1;

	/* a tracker takes a descriptor for each CPU */
	if (descriptors_reserve(n * (events + topology_count(TOPOLOGY_ROOT)), what, "count fewer events", e) < 0)
		return -e->code;
	while (n)
		close_slot(t, --n);
	t->tracker = fork_tracker_new();
	while (done >= 0 && (done || !settled) && !t->incomplete) {
		settled = settle_all(t);
		done = review_threads(t, processes, e);
		if (done == 0 && !settled)
			pause_briefly();
		t->incomplete = clock_now() > end;
	}
	t->incomplete |= fork_tracker_has_lost(t->tracker);
	return done < 0 ? done : 0;
}

static int open_processes(struct threads *t, const struct target *processes, struct error *e)
{
	int done = review_threads(t, processes, e);

	while (done >= 0 && !settle_all(t))
		pause_briefly();
	if (done >= 0)
		done = review_threads(t, processes, e);
	/* usually nothing was started meanwhile, and no forks need be known */
	return done > 0 ? open_tracking_forks(t, processes, e) : done;
}

/* Counters that are not inherited only tell what may be counted, which is a matter of the process: one of its threads
 * will do. */
static int open_any_thread(struct threads *t, pid_t process, struct error *e)
{
	size_t had = counters_slots(t->counters);
	struct thread_set found = {0};
	int error = 0;

	procfs_list_threads(&found, process);
	for (size_t i = 0; i < found.n && error == 0 && counters_slots(t->counters) == had; i++)
		error = open_thread(t, found.v[i], e);
	free(found.v);
	return error;
}

static void note_doubts(struct threads *t, struct strings *notes)
{
	size_t n = 0;

	for (size_t slot = 0; slot < counters_slots(t->counters); slot++)
		n += thread_of(t, tid_of_slot(t, slot))->opening.doubtful;
	if (t->incomplete)
		strings_add(notes, "threads were started faster than pfmstat could attach to them: some may be "
				   "missing, or counted twice");
	if (n)
		strings_add(notes,
			    "%zu thread%s hardly ran while pfmstat attached: a thread that %s starting at that moment "
			    "may be missing",
			    n, n == 1 ? "" : "s", n == 1 ? "it was" : "one of them was");
}

int threads_open(struct counters *counters, const struct target *target, struct strings *notes, struct error *e)
{
	struct threads t = {.counters = counters, .place = xcalloc(PID_MAX_LIMIT, sizeof(*t.place))};
	bool inherits = counters_are_inherited(counters) && counters_slot_size(counters, &(struct slot){.cpu = -1});
	int error = 0;

	if (target->kind == TARGET_PROCESS && inherits)
		error = open_processes(&t, target, e);
	else
		for (size_t i = 0; i < target->n && error == 0; i++)
			error = target->kind == TARGET_THREAD ? open_thread(&t, target->ids[i], e)
							      : open_any_thread(&t, target->ids[i], e);
	note_doubts(&t, notes);
	fork_tracker_free(t.tracker);
	free(t.v);
	free(t.place);
	return error;
}
