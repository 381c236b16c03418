#include "os/child.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/util.h"
#include "os/program.h"

/* Bytes; execvpe builds paths on the stack. */
#define STACK 65536

/* ns from the call of exec until the kernel enables the counters. */
#define EXEC_AT_MOST 200000

/* After this number of signals, each within two seconds of the last, the command is killed. */
#define PATIENCE    3
#define PATIENCE_NS 2000000000u

/* The kernel's addresses of the environment's strings: fields 50 and 51 of proc(5)'s stat. A process that has gained
 * capabilities cannot open /proc/self/environ. */
static bool find_strings(const char **start, const char **end)
{
	char stat[1024], *field;
	ssize_t n = file_read("/proc/self/stat", stat, sizeof(stat));

	field = n > 0 ? strrchr(stat, ')') : NULL; /* after the name, field 2, which may contain anything */
	for (int i = 2; i < 50 && field; i++)
		field = strchr(field + 1, ' ');
	if (!field)
		return false;
	/* NOLINTBEGIN(performance-no-int-to-ptr): the file has addresses as numbers */
	*start = (const char *)(uintptr_t)strtoull(field, &field, 10);
	*end = (const char *)(uintptr_t)strtoull(field, &field, 10);
	/* NOLINTEND(performance-no-int-to-ptr) */
	return *start && *start < *end;
}

static const char *const added[] = {CHILD_PAD, CHILD_CONTROL, CHILD_TUNABLES};

/* Returns pfmstat's value of added[i], or NULL. If pfmstat has capabilities from its file, glibc has removed settings
 * of CPU features from the user's CHILD_TUNABLES (2.36 leaves an empty value): those that remain are pfmstat's. */
static const char *added_value(size_t i)
{
	const char *value = getenv(added[i]);

	return value && strcmp(added[i], CHILD_TUNABLES) == 0 && !strstr(value, "glibc.cpu.") ? NULL : value;
}

/* True if `variable` is "NAME=…" of a variable that pfmstat adds. */
static bool is_added(const char *variable)
{
	for (size_t i = 0; i < ARRAY_SIZE(added); i++) {
		size_t n = strlen(added[i]);

		if (strncmp(variable, added[i], n) == 0 && variable[n] == '=')
			return strcmp(added[i], CHILD_TUNABLES) != 0 || added_value(i);
	}
	return false;
}

/* Returns the environment that pfmstat was given, which the caller frees; NULL means `environ`. If pfmstat has
 * capabilities from its file (AT_SECURE, ld.so(8)), glibc removed LD_LIBRARY_PATH, TMPDIR and others from `environ`
 * before main: pfmstat must ignore them, but the command gets them. */
static char **find_environment(void)
{
	const char *next, *end;
	char **environment = NULL;
	size_t n = 0;

	if (!getauxval(AT_SECURE) || !find_strings(&next, &end))
		return NULL;
	for (; next < end; next += strlen(next) + 1)
		if (!is_added(next))
			*ARRAY_PUSH(environment, n) = xstrdup(next);
	for (size_t i = 0; i < ARRAY_SIZE(added); i++)
		if (added_value(i))
			*ARRAY_PUSH(environment, n) = xasprintf("%s=%s", added[i], added_value(i));
	ARRAY_PUSH(environment, n); /* the final NULL */
	return environment;
}

/* Runs in the child. The copies stay open when the originals close on exec. */
static void set_files(const struct child_files *files)
{
	int input = files->input >= 0 ? files->input : STDIN_FILENO;

	if (files->start >= 0)
		lseek(input, files->start, SEEK_SET);
	if (files->input >= 0)
		dup2(files->input, STDIN_FILENO);
	if (files->output >= 0)
		dup2(files->output, STDOUT_FILENO);
}

/* Data that the child reads until its exec, and its stack. */
struct child_start {
	int channel, other_end;
	char *file; /* owned, as is the environment */
	char *const *argv;
	char **environment;
	struct child_files files;
	const struct signals *signals;
	uint64_t cpu_time; /* set by the child just before its exec, ns */
	char *stack_end;
	char stack[];
};

static void start_free(struct child_start *start)
{
	if (!start)
		return;
	for (char **variable = start->environment; variable && *variable; variable++)
		free(*variable);
	free(start->environment);
	free(start->file);
	free(start);
}

/* Runs in the child, which shares all memory with pfmstat, including errno. Before the byte arrives, pfmstat also runs,
 * so no call may fail here, except recv when pfmstat ends. After the byte, pfmstat waits until this process has
 * executed the command or reports an error. Signals stay blocked here, as in pfmstat, which handles a signal that
 * arrives before the exec; its report needs the command. */
__attribute__((no_sanitize_address)) static int run_command(void *arg)
{
	struct child_start *start = arg;
	char byte;
	int error;

	close(start->other_end);
	if (recv(start->channel, &byte, 1, 0) != 1) /* pfmstat has ended */
		_exit(125);
	set_files(&start->files);
	signals_restore(start->signals);
	start->cpu_time = clock_read(CLOCK_PROCESS_CPUTIME_ID);
	execvpe(start->file, start->argv, start->environment ? start->environment : environ);
	error = errno;
	send(start->channel, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(error == ENOENT ? 127 : 126);
}

/* Keeps a name that is not found: execvpe distinguishes "not found" from "not executable". */
static struct child_start *prepare_start(const int channel[2], char *const *argv, const struct child_files *files,
					 const struct signals *signals)
{
	char *file = strchr(argv[0], '/') ? NULL : program_find(argv[0]);
	struct child_start *start;
	size_t size = STACK;

	for (size_t i = 0; argv[i]; i++) /* execvpe copies the arguments for a script without "#!" */
		size += 16;
	start = xmalloc(sizeof(*start) + size);
	*start = (struct child_start){.channel = channel[1],
				      .other_end = channel[0],
				      .file = file ? file : xstrdup(argv[0]),
				      .argv = argv,
				      .environment = find_environment(),
				      .files = files ? *files : CHILD_FILES_INHERITED,
				      .signals = signals};
	start->stack_end = start->stack + size;
	return start;
}

int child_start(struct child *child, char *const *argv, const struct child_files *files, struct signals *signals,
		struct error *e)
{
	int channel[2];

	*child = (struct child){.channel = -1, .signals = signals};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0)
		return error_set(e, errno, "socketpair: %s", strerror(errno));
	child->channel = channel[0];
	child->start = prepare_start(channel, argv, files, signals);
	child->pid = clone(run_command, child->start->stack_end, CLONE_VM | SIGCHLD, child->start);
	close(channel[1]);
	if (child->pid < 0) {
		child->pid = 0;
		error_set(e, errno, "cannot start '%s': clone: %s", argv[0], strerror(errno));
		return e->code == EAGAIN
			       ? error_hint(e, "raise the limit of processes (ulimit -u, or a cgroup's pids.max)")
			       : -e->code;
	}
	return 0;
}

/* Returns the CPU time of its process in ns, without its children; 0 if it is not known. */
static uint64_t child_time(const struct child *child)
{
	clockid_t clock;

	return clock_getcpuclockid(child->pid, &clock) == 0 ? clock_read(clock) : 0;
}

/* Returns the time of its process on a run queue in ns. */
static uint64_t child_wait(const struct child *child)
{
	char text[128];
	char *rest;
	uint64_t ns;

	if (!child->counts_wait || file_readf(text, sizeof(text), "/proc/%d/schedstat", (int)child->pid) <= 0)
		return UINT64_MAX;
	strtoull(text, &rest, 10); /* the time on CPUs comes first */
	ns = strtoull(rest, &rest, 10);
	return *rest == ' ' ? ns : UINT64_MAX;
}

int child_release(struct child *child, struct error *e)
{
	uint64_t now, latest;

	child->waited = child_wait(child);
	if (send(child->channel, "", 1, MSG_NOSIGNAL) != 1)
		return error_set(e, errno, "the command ended before it was executed: %s", strerror(errno));
	while (child->wait && poll(&(struct pollfd){.fd = child->channel, .events = POLLIN}, 1, 1) == 0)
		child->wait(child->wait_arg, child, false); /* it may be stopped */
	recv(child->channel, &child->exec_error, sizeof(child->exec_error), 0);
	now = child_time(child); /* pfmstat may wait long for a CPU */
	latest = child->start->cpu_time + EXEC_AT_MOST;
	child->before_exec = now < latest ? now : latest;
	return 0;
}

void child_reap(struct child *child)
{
	uint64_t waited;
	pid_t pid;

	if (child->ended) /* SIGCHLD came for a sibling that the command started with CLONE_PARENT */
		return;
	if (child->wait) {
		child->wait(child->wait_arg, child, false);
		return;
	}
	child->of_process = child_time(child); /* also known of a zombie */
	waited = child_wait(child);
	pid = wait4(child->pid, &child->status, WNOHANG, &child->usage);
	if (pid == 0 || (pid < 0 && errno == EINTR))
		return;
	if (pid < 0) {
		child->wait_error = errno;
		child_signal(child, SIGKILL);
	}
	child->waited = waited >= child->waited && waited != UINT64_MAX ? waited - child->waited : UINT64_MAX;
	child->ended = true;
}

void child_signal(const struct child *child, int number)
{
	if (child->pid && !child->ended)
		kill(child->pid, number);
}

bool child_pass_signal(struct child *child, const struct signal_event *event, bool must_end)
{
	bool was_sent = event->sender == 0 && getpgid(child->pid) == getpgrp();
	uint64_t now = clock_now();

	if (!child->pid || (was_sent && !must_end))
		return false;
	child->asked = now - child->asked_at < PATIENCE_NS ? child->asked + 1 : 1;
	child->asked_at = now;
	if (child->asked >= PATIENCE) {
		child_signal(child, SIGKILL);
	} else if (!was_sent) {
		child_signal(child, event->number);
		child_signal(child, SIGCONT); /* a stopped command would not see the signal */
	}
	return true;
}

bool child_ignores(const struct child *child, int number)
{
	struct sigaction own;
	char text[4096];
	const char *ignored;

	if (sigaction(number, NULL, &own) < 0 || own.sa_handler != SIG_IGN)
		return false;
	if (file_readf(text, sizeof(text), "/proc/%d/status", (int)child->pid) <= 0)
		return true; /* without /proc nothing is known of a handler */
	ignored = strstr(text, "\nSigIgn:");
	return ignored && strtoull(ignored + strlen("\nSigIgn:"), NULL, 16) >> (number - 1) & 1;
}

void child_leave(struct child *child)
{
	child_reap(child);
	if (!child->ended)
		child->status = CHILD_GOES_ON;
	child->ended = true;
}

void child_end(struct child *child)
{
	if (child->pid && !child->ended) {
		kill(child->pid, SIGKILL);
		while (child->wait && !child->ended)
			child->wait(child->wait_arg, child, true);
		while (!child->ended && wait4(child->pid, &child->status, 0, &child->usage) < 0 && errno == EINTR)
			;
		child->ended = true;
	}
	if (child->channel >= 0)
		close(child->channel);
	child->channel = -1;
	start_free(child->start);
	child->start = NULL;
}
