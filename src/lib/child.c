#include "lib/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"

/* In the child: wait for the byte, then become the command. */
static _Noreturn void run_command(int channel, char *const *argv, const struct signals *signals)
{
	ssize_t ignored;
	ssize_t got;
	char byte;
	int error;

	signals_restore(signals);
	do
		got = read(channel, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1) /* pfmstat has ended */
		_exit(125);
	execvp(argv[0], argv);
	error = errno;
	ignored = write(channel, &error, sizeof(error));
	(void)ignored;
	_exit(error == ENOENT ? 127 : 126);
}

int child_start(struct child *child, char *const *argv, const struct signals *signals, struct error *e)
{
	int channel[2];

	*child = (struct child){.channel = -1};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0)
		return error_set(e, errno, "socketpair: %s", strerror(errno));
	child->pid = fork();
	if (child->pid == 0) {
		close(channel[0]);
		run_command(channel[1], argv, signals);
	}
	close(channel[1]);
	if (child->pid < 0) {
		close(channel[0]);
		child->pid = 0;
		return error_set(e, errno, "cannot start '%s': fork: %s", argv[0], strerror(errno));
	}
	child->channel = channel[0];
	return 0;
}

int child_release(struct child *child, struct error *e)
{
	if (send(child->channel, "", 1, MSG_NOSIGNAL) == 1)
		return 0;
	return error_set(e, errno, "the command ended before it began: %s", strerror(errno));
}

void child_reap(struct child *child)
{
	pid_t pid = wait4(child->pid, &child->status, WNOHANG, &child->usage);

	if (pid == child->pid)
		child->ended = true;
}

int child_exec_error(struct child *child)
{
	int error;

	if (recv(child->channel, &error, sizeof(error), MSG_DONTWAIT) == (ssize_t)sizeof(error))
		return error;
	return 0;
}

void child_signal(const struct child *child, int number)
{
	if (child->pid && !child->ended)
		kill(child->pid, number);
}

void child_end(struct child *child)
{
	if (child->pid && !child->ended) {
		kill(child->pid, SIGKILL);
		while (wait4(child->pid, &child->status, 0, &child->usage) < 0 && errno == EINTR)
			;
		child->ended = true;
	}
	if (child->channel >= 0)
		close(child->channel);
	child->channel = -1;
}
