#include "run/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/util.h"
#include "os/child.h"
#include "os/loop.h"

struct hook {
	struct child child;
	struct loop loop;
	struct signals *signals;
	int signal;
};

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
		hook->signal = event.number;
		if (event.number == SIGINT || event.number == SIGQUIT)
			event.number = SIGTERM; /* background jobs of a shell ignore the other two */
		child_pass_signal(&hook->child, &event, true);
	}
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
	if (error == 0)
		error = hook_result(&hook, what, command, e);
	if (hook.signal)
		*signal = hook.signal;
	return error;
}
