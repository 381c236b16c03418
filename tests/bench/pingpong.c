/* pingpong N: a byte goes N times from one process to another and back: 2 N switches and a bit. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void pass(int from, int to)
{
	char byte;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		_exit(1);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int there[2], back[2], status = 0;
	pid_t pid;

	if (pipe(there) || pipe(back) || (pid = fork()) < 0)
		return 1;
	if (pid == 0) {
		for (long i = 0; i < n; i++)
			pass(there[0], back[1]);
		return 0;
	}
	for (long i = 0; i < n; i++) {
		char byte = 0;

		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	}
	return waitpid(pid, &status, 0) < 0 || status;
}
