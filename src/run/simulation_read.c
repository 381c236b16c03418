/* The files of the engine: a log of each process that Valgrind has started, and its counts. */
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "event/simulated.h"
#include "run/engine_part.h"
#include "run/engine_requests.h"
#include "run/simulation.h"

#define PARENT        "Parent PID: " /* in the log */
#define EXEC_PAUSE_NS 1000000        /* most execs take less */
#define EXEC_PAUSES   50

static bool is_log(const char *name)
{
	return strstr(name, SIMULATION_LOG);
}

static void process_free(struct simulated_process *process)
{
	free(process->command);
	free(process->values);
}

/* ---- the counts of a process ---- */

/* Finds the column of that name in "events: Ir Dr Dw" and "summary: 7 2 1". */
static uint64_t column_value(const char *names, const char *values, const char *name)
{
	size_t length = strlen(name);
	char *end;

	for (; *names && *values; names += strspn(names, " ")) {
		uint64_t value = strtoull(values, &end, 10);

		if (strncmp(names, name, length) == 0 && (names[length] == ' ' || names[length] == '\0'))
			return value;
		names += strcspn(names, " ");
		values = end;
	}
	return 0;
}

/* Adds the part's values. The summary is exact; but where the program has stopped and started the counting, only the
 * totals include what was counted before. */
static void add_values(struct simulated_process *process, const struct plan *plan, const struct engine_part *part)
{
	const char *values = process->switched && part->totals ? part->totals : part->summary;

	if (!process->values)
		process->values = xcalloc(plan->n_events, sizeof(*process->values));
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct simulated *event = simulated_of(&plan->events[i]);

		for (size_t k = 0; event && k < ARRAY_SIZE(event->columns) && event->columns[k]; k++)
			process->values[i] += column_value(part->names ? part->names : "", values, event->columns[k]);
		if (event && !event->columns[0])
			process->values[i] += part->calls;
	}
}

/* Reads a program or library once. Returns true if it contains requests to the tool. */
static bool has_requests(struct simulated_counts *counts, const char *path)
{
	bool has = strings_has(&counts->with_requests, path);

	if (has || strings_has(&counts->without_requests, path))
		return has;
	has = engine_requests_are_in(path, counts->tool);
	strings_add(has ? &counts->with_requests : &counts->without_requests, "%s", path);
	return has;
}

static void read_part(FILE *in, struct engine_part *part, struct simulated_process *process,
		      struct simulated_counts *counts)
{
	engine_part_read(in, part);
	for (size_t i = 0; i < part->files.n; i++)
		process->switched |= has_requests(counts, part->files.v[i]);
	strings_merge(&counts->unread, &part->unread);
	process->forks |= part->forks;
	process->spawns |= part->spawns;
	if (!process->command && part->command)
		process->command = xstrdup(part->command);
}

/* parent: 0 if unknown. names: the n files of the process. Callgrind writes "PID.1", "PID.2" and so on at the program's
 * request, and "PID" at its end. */
static void read_process(const struct simulation *s, const struct plan *plan, pid_t parent, char *const *names,
			 size_t n, struct simulated_counts *counts)
{
	struct simulated_process process = {.pid = (pid_t)strtol(names[0], NULL, 10), .parent = parent, .forked = true};
	auto_free struct engine_part *parts = xcalloc(n, sizeof(*parts));
	bool ended = false;

	for (size_t i = 0; i < n; i++) {
		auto_free char *path = xasprintf("%s/%s", s->directory, names[i]);
		auto_fclose FILE *in = fopen(path, "re");

		if (is_log(names[i]))
			process.forked = false;
		else if (in)
			read_part(in, &parts[i], &process, counts);
		ended |= parts[i].summary && !strchr(names[i], '.');
	}
	for (size_t i = 0; i < n; i++) {
		if (parts[i].summary)
			add_values(&process, plan, &parts[i]);
		engine_part_free(&parts[i]);
	}
	if (process.values)
		*ARRAY_PUSH(counts->processes, counts->n) = process;
	else
		process_free(&process);
	counts->lost += !ended && kill(process.pid, 0) < 0;
}

/* ---- the log of a process ---- */

/* Returns the process's parent, or 0. Keeps the engine's first error. That a signal ended the process is in its status;
 * only the cause of a breakpoint is not. */
static pid_t read_log(const struct simulation *s, const char *name, struct simulated_counts *counts)
{
	auto_free char *path = xasprintf("%s/%s", s->directory, name), *line = NULL;
	auto_fclose FILE *in = fopen(path, "re");
	size_t size = 0;
	pid_t parent = 0;

	while (in && getline(&line, &size, in) > 0) {
		const char *text = strncmp(line, "==", 2) == 0 ? strstr(line + 2, "== ") : NULL;

		if (text && strncmp(text + 3, PARENT, strlen(PARENT)) == 0)
			parent = (pid_t)strtol(text + 3 + strlen(PARENT), NULL, 10);
		if (text && strncasecmp(text + 3, "valgrind", 8) == 0) {
			strings_add(&counts->errors, "%.*s", (int)strcspn(text + 3, "\n"), text + 3);
			break;
		}
		counts->trapped +=
			text && strncmp(text + 3, "Process terminating", 19) == 0 && strstr(text, "(SIGTRAP)") != NULL;
	}
	return parent;
}

/* ---- what was written when ---- */

/* A process, by its id, as the engine's files show it. */
struct seen {
	long pid;
	bool started;    /* has a log */
	unsigned closed; /* how often its file of counts was closed since then */
};

static struct seen *seen_find(struct seen **list, size_t *n, long pid)
{
	for (size_t i = *n; i-- > 0;)
		if ((*list)[i].pid == pid)
			return &(*list)[i];
	*ARRAY_PUSH(*list, *n) = (struct seen){.pid = pid};
	return &(*list)[*n - 1];
}

/* Valgrind opens the log when it starts, after each exec, and closes the file of counts per_process times until the
 * process ends. */
static void see(struct seen *seen, const struct inotify_event *event, unsigned per_process,
		struct simulated_counts *counts)
{
	if (is_log(event->name) && event->mask & IN_OPEN) {
		bool again = seen->started;

		counts->executed += again && seen->closed < per_process;
		counts->overwritten |= again && seen->closed >= per_process;
		*seen = (struct seen){.pid = seen->pid, .started = true};
	} else if (!strchr(event->name, '.') && event->mask & IN_CLOSE_WRITE) {
		counts->overwritten |= ++seen->closed > per_process;
	}
}

/* Finds what the files no longer contain. */
static void read_watch(const struct simulation *s, struct simulated_counts *counts)
{
	_Alignas(struct inotify_event) char buf[4096];
	auto_free struct seen *list = NULL;
	unsigned per_process = strcmp(counts->tool, "callgrind") == 0 ? 2 : 1; /* once at its start */
	size_t n_seen = 0;
	ssize_t n;

	counts->unwatched = s->watch < 0;
	while ((n = read(s->watch, buf, sizeof(buf))) > 0) {
		for (const char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			if (event->mask & IN_Q_OVERFLOW)
				counts->unwatched = true;
			else if (event->len)
				see(seen_find(&list, &n_seen, strtol(event->name, NULL, 10)), event, per_process,
				    counts);
			p += sizeof(*event) + event->len;
		}
	}
}

/* ---- all processes ---- */

/* Reads a command line, which is empty for a moment while the process executes a program. Returns its length; 0 for a
 * kernel thread or a process that has ended. */
static size_t read_command_line(const char *pid, char *line, size_t size)
{
	auto_free char *exe = xasprintf("/proc/%s/exe", pid);
	const struct timespec pause = {.tv_nsec = EXEC_PAUSE_NS};
	ssize_t length;

	for (int i = 0; (length = file_readf(line, size, "/proc/%s/cmdline", pid)) == 0 && i < EXEC_PAUSES; i++) {
		if (readlink(exe, line, size) < 0)
			break;
		nanosleep(&pause, NULL);
	}
	return length > 0 ? (size_t)length : 0;
}

static const struct simulated_process *find_process(const struct simulated_counts *counts, pid_t pid)
{
	for (size_t i = 0; i < counts->n; i++)
		if (counts->processes[i].pid == pid)
			return &counts->processes[i];
	return NULL;
}

/* Counts the processes that executed a program and whose parent did not start all of its children by vfork and
 * posix_spawn, or is unknown; not the command's first one, whose parent is not simulated. */
static size_t count_worked(const struct simulated_counts *counts)
{
	size_t n = 0;

	for (size_t i = 0; i < counts->n; i++) {
		const struct simulated_process *process = &counts->processes[i];
		const struct simulated_process *parent = find_process(counts, process->parent);

		n += !process->forked && !(parent && parent->spawns && !parent->forks);
	}
	return n ? n - 1 : 0;
}

/* The directory is in their command lines. */
static size_t count_alive(const struct simulation *s)
{
	auto_strings struct strings names = {0};
	size_t n = 0;

	directory_list("/proc", &names);
	for (size_t i = 0; i < names.n; i++) {
		char line[1024];
		size_t length = names.v[i][0] <= '9' ? read_command_line(names.v[i], line, sizeof(line)) : 0;

		n += length && memmem(line, length, s->directory, strlen(s->directory));
	}
	return n;
}

void simulation_read(struct simulation *s, const struct plan *plan, struct simulated_counts *counts)
{
	auto_strings struct strings names = {0};
	size_t n;

	*counts = (struct simulated_counts){.tool = simulated_tool(simulated_first(plan->events, plan->n_events))};
	read_watch(s, counts);
	directory_list(s->directory, &names);
	for (size_t i = 0; i < names.n; i += n) { /* the files of one process, one after the other */
		long pid = strtol(names.v[i], NULL, 10);
		pid_t parent = 0;

		for (n = 0; i + n < names.n && strtol(names.v[i + n], NULL, 10) == pid; n++)
			if (is_log(names.v[i + n]))
				parent = read_log(s, names.v[i + n], counts);
		read_process(s, plan, parent, names.v + i, n, counts);
	}
	counts->worked = count_worked(counts);
	counts->alive = count_alive(s);
	s->is_needed = counts->alive;
}

void simulated_counts_free(struct simulated_counts *counts)
{
	for (size_t i = 0; i < counts->n; i++)
		process_free(&counts->processes[i]);
	free(counts->processes);
	strings_free(&counts->errors);
	strings_free(&counts->unread);
	strings_free(&counts->with_requests);
	strings_free(&counts->without_requests);
	*counts = (struct simulated_counts){.n = 0};
}
