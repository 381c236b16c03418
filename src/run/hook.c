#include "run/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"
#include "os/child.h"
#include "os/loop.h"

struct hook {
	struct child child;
	struct loop loop;
	struct signals *signals;
	int signal;
	struct strings others; /* pids of this process's children when the first signal arrived */
};

static void list_children(struct strings *pids)
{
	char text[4096], *rest = text, *pid;

	if (file_readf(text, sizeof(text), "/proc/self/task/%d/children", (int)getpid()) <= 0)
		return;
	while ((pid = strsep(&rest, " ")) && rest) /* a pid without a blank behind it may be cut off */
		strings_add(pids, "%s", pid);
}

/* Makes this process the parent of the hook's processes whose own parents end. */
static void expect_orphans(struct hook *hook)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	list_children(&hook->others);
}

/* Returns the pid of a process that outlived the shell, or 0. */
static pid_t find_orphan(const struct hook *hook)
{
	auto_strings struct strings pids = {.n = 0};

	list_children(&pids);
	for (size_t i = 0; i < pids.n; i++)
		if (!strings_has(&hook->others, pids.v[i]))
			return (pid_t)strtol(pids.v[i], NULL, 10);
	return 0;
}

/* Ends the processes that outlive the shell, one after another: git and builds write into directories that will be
 * removed. */
static void end_orphans(struct hook *hook)
{
	pid_t pid;

	while (hook->child.ended && (pid = find_orphan(hook)) > 0) {
		hook->child.pid = pid;
		hook->child.ended = false;
		child_signal(&hook->child, SIGTERM);
		child_reap(&hook->child);
	}
}

static void on_signal(void *arg, int fd)
{
	struct hook *hook = arg;
	struct signal_event event;

	(void)fd;
	while (signals_next(hook->signals, &event)) {
		if (event.number == SIGCHLD) {
			child_reap(&hook->child);
			continue;
		}
		if (!hook->signal)
			expect_orphans(hook);
		hook->signal = event.number;
		event.number = SIGTERM; /* background jobs of a shell ignore SIGINT, and git cleans up */
		child_pass_signal(&hook->child, &event, true);
	}
	if (hook->signal)
		end_orphans(hook);
	if (hook->child.ended)
		loop_stop(&hook->loop);
}

static int wait_for(struct hook *hook, struct error *e)
{
	int error = child_release(&hook->child, e);

	loop_add(&hook->loop, hook->signals->fd, on_signal, hook);
	return error < 0 ? error : loop_run(&hook->loop, e);
}

static int hook_result(const struct hook *hook, const char *what, const char *command, struct error *e)
{
	int status = hook->child.status;

	if (hook->signal)
		return -EINTR;
	if (hook->child.wait_error)
		return error_set(e, hook->child.wait_error, "cannot wait for %s '%s': %s", what, command,
				 strerror(hook->child.wait_error));
	if (WIFSIGNALED(status))
		return error_set(e, ECANCELED, "%s '%s' was killed by signal %d (%s)", what, command, WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return error_set(e, ECANCELED, "%s '%s' ended with status %d", what, command, WEXITSTATUS(status));
	return 0;
}

int hook_run(const char *what, const char *command, struct signals *signals, int *signal, struct error *e)
{
	auto_free char *shell = xstrdup("/bin/sh"), *option = xstrdup("-c"), *text = xstrdup(command);
	char *const argv[] = {shell, option, text, NULL};
	struct hook hook = {.signals = signals};
	int error = child_start(&hook.child, argv, NULL, signals, e);

	if (error == 0)
		error = wait_for(&hook, e);
	child_end(&hook.child);
	loop_free(&hook.loop);
	strings_free(&hook.others);
	if (error == 0)
		error = hook_result(&hook, what, command, e);
	if (hook.signal)
		*signal = hook.signal;
	return error;
}
