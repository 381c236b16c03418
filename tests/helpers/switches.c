/* switches FILE COMMAND…: runs a command and reports whether the kernel recorded every context switch during the run.
 *
 * Some virtual machines' kernels switch from certain tasks without a record, neither for perf nor for ftrace. The
 * work of a task in a run of which the kernel hid a part cannot be charged to it. So a run can be judged
 * exactly only if the records are complete: on each CPU, the task that a sched_switch record of ftrace leaves is the
 * one that the record before it entered. If it is not, a switch is missing: a gap.
 *
 * FILE gets a line for each gap, and one for the whole at the end:
 *
 *   gap CPU FROM TO EXPECTED FOUND PROCESS PROCESS
 *   switches N lost N gaps N tree N ids same|other
 *
 * A gap: the times of both records (CLOCK_MONOTONIC in ns, of which whole us are known); the task that the first one
 * entered and the one that the second one left, and the processes of both if they belong to the command's tree (its
 * processes and threads, including the command), otherwise 0. Task 0 is an idle one, -1 stands for the
 * begin or the end of the records. The whole: records; records that were lost; gaps; those of them that concern the
 * tree; and whether the ids are those of the PID namespace that this program is in.
 *
 * The status is the command's; 125: this program failed; 77: not root, or a kernel without ftrace, and FILE has the
 * reason.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX    "pfmstat-test-"
#define BUFFER_KB 8192 /* of each CPU: some 100,000 records; less on machines with many */
#define ALL_KB    262144
#define NO_TASK   -1

enum { EXIT_UNABLE = 77, EXIT_FAILED = 125 };

struct gap {
	int cpu;
	uint64_t from, to;
	int expected, found;
};

struct birth {
	int parent, child;
	bool thread;
};

struct trace {
	int tracefs, instance; /* directories */
	char name[64];
	int root;  /* the command's task, as the kernel numbers it outside all PID namespaces */
	pid_t pid; /* as fork returned it */
	struct gap *gaps;
	struct birth *births;
	size_t n_gaps, n_births, n_records, n_lost;
	int *processes; /* of each task of the tree; 0: it is none */
	int n_tasks;
};

static __attribute__((format(printf, 1, 2))) void complain(const char *format, ...)
{
	va_list ap;

	fputs("switches: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void *grow(void *array, size_t n, size_t size)
{
	if (n & (n - 1)) /* there is room up to the next power of 2 */
		return array;
	array = realloc(array, (n ? 2 * n : 1) * size);
	if (!array)
		abort();
	return array;
}

/* ---- the instance ---- */

/* Returns its mount point, or else a private mount. */
static int open_tracefs(void)
{
	int fs, mount = open("/sys/kernel/tracing/instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (mount >= 0 || geteuid() != 0)
		return mount;
	fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -1;
	mount = -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0) {
		int top = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);

		if (top >= 0) {
			mount = openat(top, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			close(top);
		}
	}
	close(fs);
	return mount;
}

static bool set(const struct trace *t, const char *path, const char *value)
{
	int fd = openat(t->instance, path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (!done)
		complain("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return done;
}

/* Removes instances of killed runs. The instance of a live run is busy, since its buffer is open; but the kernel
 * releases its locks while it makes or removes one (fs/tracefs/inode.c), so it is better not touched. */
static void remove_stale(const struct trace *t)
{
	DIR *dir = fdopendir(dup(t->tracefs));
	const struct dirent *entry;
	int pid;

	while (dir && (entry = readdir(dir)))
		if (sscanf(entry->d_name, PREFIX "%d-", &pid) == 1 && kill(pid, 0) < 0 && errno == ESRCH)
			unlinkat(t->tracefs, entry->d_name, AT_REMOVEDIR);
	if (dir)
		closedir(dir);
}

/* Returns a descriptor that keeps the instance busy; -1: failed. */
static int make_instance(struct trace *t)
{
	int busy = -1;

	for (int i = 0; i < 100 && busy < 0; i++) {
		snprintf(t->name, sizeof(t->name), PREFIX "%d-%d", (int)getpid(), i);
		if (mkdirat(t->tracefs, t->name, 0700) < 0 && errno != EEXIST)
			return -1;
		t->instance = openat(t->tracefs, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (t->instance < 0)
			continue; /* another run took it for a stale one */
		busy = openat(t->instance, "trace_marker", O_WRONLY | O_CLOEXEC);
		if (busy < 0)
			close(t->instance);
	}
	return busy;
}

static bool set_up(const struct trace *t)
{
	long size = ALL_KB / sysconf(_SC_NPROCESSORS_CONF);
	char buffer[32];

	snprintf(buffer, sizeof(buffer), "%ld", size < BUFFER_KB ? size : BUFFER_KB);
	return set(t, "trace_clock", "mono") && set(t, "buffer_size_kb", buffer) && set(t, "options/overwrite", "0") &&
	       set(t, "events/sched/sched_switch/enable", "1") && set(t, "events/task/task_newtask/enable", "1");
}

/* ---- the command ---- */

static __attribute__((noreturn)) void run_child(int marker, const sigset_t *mask, char **command)
{
	/* the marker's record names the task */
	if (write(marker, "root", 4) != 4) {
		complain("trace_marker: %s", strerror(errno));
		_exit(EXIT_FAILED);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	complain("%s: %s", command[0], strerror(errno));
	_exit(127);
}

/* The command handles signals of the terminal; the instance is removed after that. */
static int run(struct trace *t, int marker, char **command)
{
	sigset_t all, old;
	int status = 0;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	t->pid = fork();
	if (t->pid < 0)
		return EXIT_FAILED;
	if (t->pid == 0)
		run_child(marker, &old, command);
	while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- the records ---- */

/* The number after the last `key` of a line; names, which may contain any text, precede it. */
static bool number_after(const char *line, const char *key, int *value)
{
	const char *at = NULL, *next = line;

	while ((next = strstr(next, key)))
		at = next += strlen(key);
	return at && sscanf(at, "%d", value) == 1;
}

static void add_gap(struct trace *t, struct gap gap)
{
	t->gaps = grow(t->gaps, t->n_gaps, sizeof(*t->gaps));
	t->gaps[t->n_gaps++] = gap;
}

/* state: `found` is the task that was entered last, at the time `to`. */
static void take_switch(struct trace *t, struct gap *state, const char *line, const char *event)
{
	unsigned long seconds, micros;
	const char *time = event;
	int prev, next;

	while (time > line && time[-1] != ' ')
		time--;
	if (sscanf(time, "%lu.%lu", &seconds, &micros) != 2 || !number_after(event, " prev_pid=", &prev) ||
	    !number_after(event, " next_pid=", &next)) {
		t->n_lost++;
		return;
	}
	state->from = state->to;
	state->to = (seconds * 1000000 + micros) * 1000;
	state->expected = state->found;
	state->found = prev;
	if (state->expected != prev)
		add_gap(t, *state);
	state->found = next;
	t->n_records++;
}

/* A record is `  name-TASK  [CPU] flags time: event: fields`, and a name any text. */
static int task_of(const char *line, const char *event)
{
	const char *at = event;

	while (at > line && strncmp(at, " [", 2) != 0)
		at--;
	while (at > line && at[-1] != '-')
		at--;
	return atoi(at);
}

static void take_birth(struct trace *t, const char *line, const char *event)
{
	struct birth birth = {.parent = task_of(line, event)};
	const char *flags = strstr(event, " clone_flags=");

	if (birth.parent <= 0 || !flags || sscanf(event, ": task_newtask: pid=%d", &birth.child) != 1) {
		t->n_lost++;
		return;
	}
	birth.thread = strtoul(flags + strlen(" clone_flags="), NULL, 16) & CLONE_THREAD;
	t->births = grow(t->births, t->n_births, sizeof(*t->births));
	t->births[t->n_births++] = birth;
}

static FILE *open_of_cpu(const struct trace *t, int cpu, const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/%s", cpu, name);
	fd = openat(t->instance, path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fdopen(fd, "r") : NULL;
}

static void read_records(struct trace *t, int cpu, FILE *f)
{
	struct gap state = {.cpu = cpu, .found = NO_TASK};
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, f) >= 0) {
		const char *event;

		if ((event = strstr(line, ": sched_switch: ")))
			take_switch(t, &state, line, event);
		else if ((event = strstr(line, ": task_newtask: ")))
			take_birth(t, line, event);
		else if ((event = strstr(line, ": tracing_mark_write: root")))
			t->root = task_of(line, event);
	}
	if (state.found > 0) {
		state.from = state.to;
		state.expected = state.found;
		state.found = NO_TASK;
		add_gap(t, state);
	}
	free(line);
}

static void read_lost(struct trace *t, FILE *f)
{
	char line[128];

	while (fgets(line, sizeof(line), f)) {
		unsigned long n;

		if (sscanf(line, "overrun: %lu", &n) == 1 || sscanf(line, "commit overrun: %lu", &n) == 1 ||
		    sscanf(line, "dropped events: %lu", &n) == 1)
			t->n_lost += n;
	}
}

static bool read_all(struct trace *t)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;

	for (int cpu = 0; cpu < n; cpu++) {
		FILE *records = open_of_cpu(t, cpu, "trace"), *stats = open_of_cpu(t, cpu, "stats");

		if (records && stats) { /* otherwise the CPU does not exist */
			read_records(t, cpu, records);
			read_lost(t, stats);
			any = true;
		}
		if (records)
			fclose(records);
		if (stats)
			fclose(stats);
	}
	return any && t->root > 0;
}

/* ---- the verdict ---- */

static int process_of(const struct trace *t, int task)
{
	return task > 0 && task < t->n_tasks ? t->processes[task] : 0;
}

/* Forks are recorded per CPU, not in order of time: repeat until no more tasks are found. */
static void find_tree(struct trace *t)
{
	bool found = true;

	t->n_tasks = t->root + 1;
	for (size_t i = 0; i < t->n_births; i++)
		if (t->births[i].child >= t->n_tasks)
			t->n_tasks = t->births[i].child + 1;
	t->processes = calloc((size_t)t->n_tasks, sizeof(*t->processes));
	if (!t->processes)
		abort();
	t->processes[t->root] = t->root;
	while (found) {
		found = false;
		for (size_t i = 0; i < t->n_births; i++) {
			const struct birth *birth = &t->births[i];
			int parent = process_of(t, birth->parent);

			if (!parent || process_of(t, birth->child))
				continue;
			t->processes[birth->child] = birth->thread ? parent : birth->child;
			found = true;
		}
	}
}

static void write_verdict(struct trace *t, FILE *out)
{
	size_t n_gaps = 0, n_tree = 0;

	find_tree(t);
	for (size_t i = 0; i < t->n_gaps; i++) {
		const struct gap *gap = &t->gaps[i];
		int expected = process_of(t, gap->expected), found = process_of(t, gap->found);

		if (!expected && !found && (gap->expected == NO_TASK || gap->found == NO_TASK))
			continue;
		n_gaps++;
		n_tree += expected || found;
		fprintf(out, "gap %d %llu %llu %d %d %d %d\n", gap->cpu, (unsigned long long)gap->from,
			(unsigned long long)gap->to, gap->expected, gap->found, expected, found);
	}
	fprintf(out, "switches %zu lost %zu gaps %zu tree %zu ids %s\n", t->n_records, t->n_lost, n_gaps, n_tree,
		t->root == t->pid ? "same" : "other");
}

static int watch(struct trace *t, FILE *out, char **command)
{
	int marker = make_instance(t), status = EXIT_FAILED;

	if (marker < 0) {
		fprintf(out, "no ftrace: an instance: %s\n", strerror(errno));
		return EXIT_UNABLE;
	}
	if (set_up(t)) {
		status = run(t, marker, command);
		if (set(t, "tracing_on", "0") && read_all(t)) {
			write_verdict(t, out);
		} else {
			complain("the records cannot be read");
			status = EXIT_FAILED;
		}
	}
	close(marker);
	close(t->instance);
	if (unlinkat(t->tracefs, t->name, AT_REMOVEDIR) < 0 && errno != ENOENT) /* another run may have removed it */
		complain("%s: %s", t->name, strerror(errno));
	free(t->gaps);
	free(t->births);
	free(t->processes);
	return status;
}

int main(int argc, char **argv)
{
	struct trace t = {.instance = -1};
	FILE *out;

	if (argc < 3) {
		complain("usage: switches FILE COMMAND...");
		return EXIT_FAILED;
	}
	out = fopen(argv[1], "we");
	if (!out) {
		complain("%s: %s", argv[1], strerror(errno));
		return EXIT_FAILED;
	}
	t.tracefs = open_tracefs();
	if (t.tracefs < 0) {
		fprintf(out, "no ftrace: %s\n", geteuid() ? "not root" : strerror(errno));
		return fclose(out) ? EXIT_FAILED : EXIT_UNABLE;
	}
	remove_stale(&t);
	argc = watch(&t, out, argv + 2);
	return fclose(out) ? EXIT_FAILED : argc;
}
