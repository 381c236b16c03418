#include "count/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/text.h"
#include "os/kernel.h"
#include "os/ring.h"

#define TRIES_MOST 5 /* to open all threads while none starts */

/* ---- ids that can be counted ---- */

/* False for the user's tasks: if the kernel refuses these, the rows show the reason. */
static bool task_is_forbidden(pid_t id, uid_t owner)
{
	auto_close int fd = -1;

	if (geteuid() == 0 || owner == geteuid())
		return false;
	fd = counters_open_end_watch(id);
	return fd == -EACCES || fd == -EPERM;
}

/* The caller frees the name. Avoids getpwuid, which loads libraries that a static program may lack. */
static char *user_name(uid_t id)
{
	auto_fclose FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *user;

	while (f && (user = fgetpwent(f)) != NULL)
		if (user->pw_uid == id)
			return xstrdup(user->pw_name);
	return xasprintf("user %u", id);
}

/* True if the task exists, lives, is of the expected kind and, if it is counted, may be counted. Otherwise adds a note
 * with the reason. */
static bool check_id(struct attach *a, pid_t id, enum target_kind kind, bool counted, struct strings *notes)
{
	const char *what = target_kind_name(kind);
	struct proc_status status = procfs_read_status(id);

	if (!status.state) {
		strings_add(notes, "there is no %s %d", what, id);
	} else if (kind == TARGET_PROCESS && status.process != id) {
		strings_add(notes, "%d is not a process but a thread of process %d: use -p %d, or -t %d", id,
			    status.process, status.process, id);
	} else if (status.state == 'Z' && (kind == TARGET_THREAD || !procfs_process_lives(id))) {
		strings_add(notes, "%s %d (%s) has already ended: it is a zombie that its parent has not reaped", what,
			    id, status.name);
	} else if (counted && task_is_forbidden(id, status.owner)) {
		auto_free char *user = user_name(status.owner);

		strings_add(notes,
			    "%s %d (%s) belongs to %s and is not counted; fix: run pfmstat as root or as that "
			    "user",
			    what, id, status.name, user);
		if (!a->forbidden)
			a->forbidden = xstrdup(notes->v[notes->n - 1]);
	} else {
		return true;
	}
	return false;
}

/* ---- the end of a task ---- */

/* Before Linux 5.3 (threads: 6.9) there is no pidfd. Instead, the mapped descriptor of an event of the task polls
 * POLLHUP when the task ends. The mapping stays until the program ends; without it the descriptor would poll POLLHUP at
 * once. */
static int open_watch_by_event(pid_t id)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = counters_open_end_watch(id);

	if (fd >= 0 && mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) {
		int error = ring_map_error();

		close(fd);
		return error;
	}
	return fd;
}

/* ---- their threads ---- */

/* Returns 0 (even if the thread has ended) or -errno. */
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

/* The number of threads in the later list that are not in the earlier one. */
static size_t count_new(struct thread_set *earlier, const struct thread_set *later)
{
	size_t n = 0;

	if (earlier->n == 0)
		return later->n;
	qsort(earlier->v, earlier->n, sizeof(*earlier->v), compare_ids);
	for (size_t i = 0; i < later->n; i++)
		n += !bsearch(&later->v[i], earlier->v, earlier->n, sizeof(*earlier->v), compare_ids);
	return n;
}

/* Sets *started to the number of threads that started during the attach. Returns 0 or -errno. */
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

/* Counters that are not inherited only show which events may be counted; this is the same for all threads of a
 * process. */
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

/* Opens counters on the target's threads, or on all threads of its processes. A thread that starts while the threads of
 * its process are opened may or may not inherit the counters of its creator. All are then opened again, a few times;
 * notes shows the number of such threads in the last try. Returns 0 or -errno. */
static int open_threads(struct counters *counters, const struct target *target, struct strings *notes, struct error *e)
{
	bool inherits = counters_are_inherited(counters) && counters_are_any(counters);
	int error = 0;

	if (target->kind == TARGET_PROCESS && inherits)
		return open_processes(counters, target, notes, e);
	for (size_t i = 0; i < target->n && error == 0; i++)
		error = target->kind == TARGET_THREAD ? open_thread(counters, target->ids[i], e)
						      : open_any_thread(counters, target->ids[i], e);
	return error;
}

/* ---- all of them ---- */

static int watch_targets(struct attach *a, const struct target *alive, struct error *e)
{
	for (size_t i = 0; i < alive->n; i++) {
		pid_t id = alive->ids[i];
		int fd = (int)syscall(SYS_pidfd_open, id, alive->kind == TARGET_THREAD ? PIDFD_THREAD : 0);

		if (fd < 0)
			fd = open_watch_by_event(id);
		if (fd == -ESRCH) /* it has just ended; its counts stay */
			continue;
		if (fd < 0) {
			auto_free char *what = xasprintf("cannot wait for %d to end", id);

			return ring_explain(fd, what, e);
		}
		*ARRAY_PUSH(a->watch, a->n_watch) = fd;
	}
	return 0;
}

int attach_open(struct attach *a, const struct target *target, struct counters *counters, struct strings *notes,
		struct error *e)
{
	struct target alive = {.kind = target->kind};
	bool counted = counters_are_any(counters); /* not with --null */
	size_t had_notes = notes->n;
	struct stat proc;
	int error;

	if (lstat("/proc/self", &proc) < 0) {
		error_set(e, ENOENT, "/proc is not mounted here: without it no process or thread can be found");
		return error_hint(e, "as root: mount -t proc proc /proc");
	}
	if (!procfs_is_ours()) {
		error_set(e, ENOENT, "/proc belongs to another PID namespace, where other tasks have these ids");
		return error_hint(e, "mount this namespace's /proc: mount -t proc proc /proc");
	}
	for (size_t i = 0; i < target->n; i++)
		if (check_id(a, target->ids[i], target->kind, counted, notes))
			*ARRAY_PUSH(alive.ids, alive.n) = target->ids[i];
	error = open_threads(counters, &alive, notes, e);
	if (error == 0)
		error = watch_targets(a, &alive, e);
	if (error == 0 && counters_slots(counters) == 0) {
		error = error_set(e, ESRCH, "%s",
				  notes->n > had_notes ? notes->v[had_notes]
						       : "all processes ended before they could be counted");
		for (size_t i = had_notes + 1; i < notes->n; i++)
			error_hint(e, "%s", notes->v[i]);
	}
	a->ids = alive.ids;
	a->n_ids = alive.n;
	return error;
}

void attach_free(struct attach *a)
{
	for (size_t i = 0; i < a->n_watch; i++)
		close(a->watch[i]);
	free(a->watch);
	free(a->ids);
	free(a->forbidden);
	*a = (struct attach){0};
}

/* ---- rows ---- */

void thread_rows_open(struct thread_rows *rows, enum aggr_mode scope, const struct counters *counters)
{
	rows->scope = scope;
	for (size_t i = 0; i < counters_slots(counters); i++) {
		pid_t tid = counters_slot(counters, i)->pid, process = procfs_process_of(tid);
		struct thread_row *row = ARRAY_PUSH(rows->v, rows->n);

		*row = (struct thread_row){.tid = tid, .process.pid = tid};
		if (process)
			procfs_read_stat(tid, &row->stat);
		/* one that has ended belongs to the process of the thread before it */
		if (i > 0 && (!process || row[-1].process.pid == process))
			row->process = row[-1].process;
		else if (process && procfs_read_stat(process, &row->process) < 0)
			row->process.pid = process;
	}
}

bool thread_rows_is_first(const struct thread_rows *rows, size_t i)
{
	return i == 0 || rows->v[i - 1].process.pid != rows->v[i].process.pid;
}

void thread_rows_group(const struct thread_rows *rows, struct aggr_map *map)
{
	*map = (struct aggr_map){.keys = NULL};
	for (size_t i = 0; i < rows->n; i++) {
		const struct thread_row *row = &rows->v[i];
		bool is_thread = rows->scope == AGGR_THREAD;
		const struct proc_stat *of = is_thread ? &row->stat : &row->process;
		const char *name = of->state ? of->name : "?";
		struct key *key;
		char id[16];

		snprintf(id, sizeof(id), "%d", is_thread ? row->tid : row->process.pid);
		key = aggr_map_add(map, rows->scope, rows->scope == AGGR_COMM ? name : id);
		free(key->comm);
		key->comm = is_thread && !of->state ? NULL : xstrdup(name);
		if (rows->scope == AGGR_COMM) {
			key->count += thread_rows_is_first(rows, i);
			continue;
		}
		key->pid = row->process.pid;
		key->ppid = of->ppid;
	}
}

void thread_rows_close(struct thread_rows *rows)
{
	free(rows->v);
	*rows = (struct thread_rows){.v = NULL};
}
