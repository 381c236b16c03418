#include "run/simulation.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>

#include "event/simulated.h"
#include "os/program.h"
#include "os/scratch.h"

#define LOG ".log"

/* ---- the command ---- */

static const char *yes_or_no(bool yes)
{
	return yes ? "yes" : "no";
}

/* Without guest-chase, since joined blocks count instructions that were not executed. Callgrind's summary includes the
 * last block of a process only if caches are simulated. A forked process is recognized by its missing log. */
static void set_options(struct simulation *s, const struct plan *plan, bool children)
{
	const char *tool = simulated_tool(simulated_first(plan->events, plan->n_events));
	bool accesses = strcmp(tool, "callgrind") == 0, branches = false;

	for (size_t i = 0; i < plan->n_events; i++) {
		const struct simulated *event = simulated_of(&plan->events[i]);

		accesses |= event && event->accesses;
		branches |= event && event->branches;
	}
	strings_add(&s->options, "%s", SIMULATED_ENGINE);
	strings_add(&s->options, "--tool=%s", tool);
	strings_add(&s->options, "--%s-out-file=%s/%%p", tool, s->directory);
	strings_add(&s->options, "--log-file=%s/%%p" LOG, s->directory);
	strings_add(&s->options, "--cache-sim=%s", yes_or_no(accesses));
	strings_add(&s->options, "--branch-sim=%s", yes_or_no(branches));
	strings_add(&s->options, "--trace-children=%s", yes_or_no(children));
	strings_add(&s->options, "--command-line-only=yes"); /* the user's options may leave processes out */
	strings_add(&s->options, "--quiet");
	strings_add(&s->options, "--child-silent-after-fork=yes");
	strings_add(&s->options, "--sigill-diagnostics=yes");
	strings_add(&s->options, "--vex-guest-chase=no");
	strings_add(&s->options, "--vgdb=no");
	strings_add(&s->options, "--");
}

/* Cachegrind writes its counts once, at the end of a process; Callgrind also opens their file earlier. */
static int watch_files(const struct simulation *s, const struct event *event)
{
	int fd = strcmp(simulated_tool(event), "cachegrind") == 0 ? inotify_init1(IN_NONBLOCK | IN_CLOEXEC) : -1;

	if (fd >= 0)
		inotify_add_watch(fd, s->directory, IN_MODIFY | IN_CLOSE_WRITE);
	return fd;
}

/* A file that cannot be executed is passed to exec, which reports the reason. */
static bool is_program(const char *name)
{
	auto_free char *path = strchr(name, '/') ? xstrdup(name) : program_find(name);

	return path && access(path, X_OK) == 0;
}

int simulation_open(struct simulation *s, const struct plan *plan, char **command, bool children, struct error *e)
{
	size_t n = 1, first;

	s->watch = -1;
	s->directory = scratch_make(simulated_first(plan->events, plan->n_events)->name, SIZE_MAX, e);
	if (!s->directory)
		return -e->code;
	if (strchr(s->directory, '%')) /* the engine would replace it and all bytes after it */
		return error_set(e, EINVAL, "TMPDIR: Valgrind takes no path with '%%': %s", s->directory);
	set_options(s, plan, children);
	s->watch = watch_files(s, simulated_first(plan->events, plan->n_events));
	while (command[n])
		n++;
	first = is_program(command[0]) ? s->options.n : 0;
	s->argv = xcalloc(first + n + 1, sizeof(*s->argv));
	memcpy(s->argv, s->options.v, first * sizeof(*s->argv));
	memcpy(s->argv + first, command, n * sizeof(*s->argv));
	return 0;
}

/* ---- the engine's counts ---- */

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

static void set_values(struct simulated_process *process, const struct plan *plan, const char *names,
		       const char *summary, uint64_t calls)
{
	process->values = xcalloc(plan->n_events, sizeof(*process->values));
	for (size_t i = 0; i < plan->n_events; i++) {
		const struct simulated *event = simulated_of(&plan->events[i]);

		for (size_t k = 0; event && k < ARRAY_SIZE(event->columns) && event->columns[k]; k++)
			process->values[i] += column_value(names, summary, event->columns[k]);
		if (event && !event->columns[0])
			process->values[i] = calls;
	}
}

/* Returns the text after the key; NULL for another line. */
static const char *line_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) == 0 ? line + n + strspn(line + n, " ") : NULL;
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = xstrdup(with);
}

/* Reads the format of Callgrind and Cachegrind. Returns false if the file is incomplete. */
static bool read_counts(FILE *in, const struct plan *plan, struct simulated_process *process)
{
	auto_free char *line = NULL, *names = xstrdup(""), *summary = NULL;
	uint64_t calls = 0;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, in)) > 0) {
		const char *value;

		line[n - (line[n - 1] == '\n')] = '\0';
		if ((value = line_value(line, "calls=")))
			calls += strtoull(value, NULL, 10);
		else if ((value = line_value(line, "cmd:")))
			replace(&process->command, value);
		else if ((value = line_value(line, "events:")))
			replace(&names, value);
		else if ((value = line_value(line, "summary:")))
			replace(&summary, value);
	}
	if (summary)
		set_values(process, plan, names, summary, calls);
	return summary != NULL;
}

static FILE *open_file(const struct simulation *s, pid_t pid, const char *suffix)
{
	auto_free char *path = xasprintf("%s/%d%s", s->directory, (int)pid, suffix);

	return fopen(path, "re");
}

static void process_free(struct simulated_process *process)
{
	free(process->command);
	free(process->values);
}

/* The directory is in their command lines. */
static size_t count_alive(const struct simulation *s)
{
	auto_strings struct strings names = {0};
	size_t n = 0;

	directory_list("/proc", &names);
	for (size_t i = 0; i < names.n; i++) {
		char line[1024];
		ssize_t length = 0;

		if (names.v[i][0] <= '9')
			length = file_readf(line, sizeof(line), "/proc/%s/cmdline", names.v[i]);
		n += length > 0 && memmem(line, (size_t)length, s->directory, strlen(s->directory));
	}
	return n;
}

static void read_process(const struct simulation *s, const struct plan *plan, pid_t pid,
			 struct simulated_counts *counts)
{
	auto_fclose FILE *in = open_file(s, pid, ""), *log = open_file(s, pid, LOG);
	struct simulated_process process = {.pid = pid, .forked = !log};

	if (in && read_counts(in, plan, &process)) {
		*ARRAY_PUSH(counts->processes, counts->n) = process;
		return;
	}
	process_free(&process);
	counts->lost += kill(pid, 0) < 0;
}

/* Keeps the first message of the engine, "==PID== TEXT". */
static void read_log(const struct simulation *s, pid_t pid, struct simulated_counts *counts)
{
	auto_fclose FILE *in = open_file(s, pid, LOG);
	auto_free char *line = NULL;
	size_t size = 0;

	while (in && getline(&line, &size, in) > 0) {
		const char *text = strncmp(line, "==", 2) == 0 ? strstr(line + 2, "== ") : NULL;

		if (!text)
			continue;
		strings_add(&counts->errors, "%.*s", (int)strcspn(text + 3, "\n"), text + 3);
		return;
	}
}

static bool is_log(const char *name)
{
	return strstr(name, LOG);
}

/* Returns how often a file of counts was filled. Events of files written at the same time may hide some. */
static size_t count_filled(const struct simulation *s)
{
	_Alignas(struct inotify_event) char buf[4096];
	bool modified = false;
	size_t filled = 0;
	ssize_t n;

	while ((n = read(s->watch, buf, sizeof(buf))) > 0) {
		for (const char *p = buf; p < buf + n;) {
			const struct inotify_event *event = (const void *)p;

			filled += modified && (event->mask & IN_CLOSE_WRITE) && !is_log(event->name);
			modified = event->mask & IN_MODIFY;
			p += sizeof(*event) + event->len;
		}
	}
	return filled;
}

void simulation_read(struct simulation *s, const struct plan *plan, struct simulated_counts *counts)
{
	auto_strings struct strings names = {0};
	size_t filled = count_filled(s), files = 0;
	long last = 0;

	*counts = (struct simulated_counts){.n = 0};
	directory_list(s->directory, &names);
	for (size_t i = 0; i < names.n; i++) { /* the words of one process, one after the other */
		long pid = strtol(names.v[i], NULL, 10);

		files += !is_log(names.v[i]);
		if (pid == last)
			continue;
		last = pid;
		read_process(s, plan, (pid_t)pid, counts);
		read_log(s, (pid_t)pid, counts);
	}
	counts->overwritten = filled > files;
	counts->alive = count_alive(s);
	s->is_needed = counts->alive;
}

void simulated_counts_free(struct simulated_counts *counts)
{
	for (size_t i = 0; i < counts->n; i++)
		process_free(&counts->processes[i]);
	free(counts->processes);
	strings_free(&counts->errors);
	*counts = (struct simulated_counts){.n = 0};
}

void simulation_close(struct simulation *s)
{
	if (s->directory)
		close(s->watch);
	if (s->is_needed)
		free(s->directory);
	else
		scratch_remove(s->directory);
	strings_free(&s->options);
	free(s->argv);
	*s = (struct simulation){.directory = NULL};
}
