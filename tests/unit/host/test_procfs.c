/* In which system call a task waits: asked of children whose call is known. */
#include "host/procfs.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/util.h"
#include "tap.h"

/* A child that reads from a pipe that nobody writes to. */
static pid_t start_reader(void)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends) < 0)
		exit(70);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	close(ends[0]);
	return pid; /* the other end stays open as long as this process */
}

/* One that runs from now on. */
static pid_t start_spinner(void)
{
	int ends[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ends) < 0)
		exit(70);
	pid = fork();
	if (pid == 0) {
		if (write(ends[1], &byte, 1) == 1)
			for (;;)
				;
		_exit(70);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		exit(70);
	close(ends[0]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	uint64_t end = clock_now() + 120000000000u; /* which only a hang reaches */
	pid_t pid = start_reader(), spinner = start_spinner();
	long number = -2;
	int error;

	while (((error = procfs_read_syscall(pid, &number)) == -EAGAIN || (error == 0 && number != SYS_read)) &&
	       clock_now() < end)
		usleep(1000);
	if (error == -ENOENT || error == -EPERM || error == -EACCES) {
		ok(true, "kernel without /proc/PID/syscall, or forbidden # SKIP");
	} else {
		is_number(error, 0, "a task that waits has a system call");
		is_number(number, SYS_read, "... which is read");
		is_number(procfs_read_syscall(spinner, &number), -EAGAIN, "one that runs has none");
	}
	end_child(spinner);
	end_child(pid);
	ok(procfs_read_syscall(pid, &number) < 0, "one that has ended has none");
	return tap_done();
}
