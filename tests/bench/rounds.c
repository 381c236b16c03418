/* rounds: runs commands in turn, A B C A B C …, and prints what each run cost: "INDEX WALL_NS CPU_NS MAX_RSS_KB".
 *
 *   rounds COUNT COMMAND [ARG]... [::: COMMAND [ARG]...]...
 *
 * A C program, because a process' peak memory begins with that of the one that started it (the kernel carries it
 * over at exec): a launcher in Python would hide whatever is smaller than Python. The order within a round is turned by
 * one each round, so that none always follows the same one. Standard output and error of the commands go to /dev/null.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 8

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long long ns_of(struct timeval t)
{
	return (long long)t.tv_sec * 1000000000 + (long long)t.tv_usec * 1000;
}

static void run_once(int index, char **argv, const posix_spawn_file_actions_t *actions)
{
	long long begin = now_ns();
	struct rusage usage;
	int status, error;
	pid_t pid;

	error = posix_spawnp(&pid, argv[0], actions, NULL, argv, environ);
	if (error || wait4(pid, &status, 0, &usage) != pid) {
		fprintf(stderr, "rounds: %s: %s\n", argv[0], strerror(error ? error : errno));
		exit(1);
	}
	printf("%d %lld %lld %ld\n", index, now_ns() - begin, ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
	       usage.ru_maxrss);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "rounds: %s: status %#x\n", argv[0], (unsigned)status);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	char **commands[MAX_COMMANDS];
	posix_spawn_file_actions_t actions;
	int n = 0, count;

	if (argc < 3)
		return 64;
	count = atoi(argv[1]);
	commands[n++] = argv + 2;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], ":::") != 0)
			continue;
		argv[i] = NULL;
		if (n == MAX_COMMANDS)
			return 64;
		commands[n++] = argv + i + 1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	for (int round = 0; round < count; round++)
		for (int i = 0; i < n; i++) {
			int index = (round + i) % n;

			run_once(index, commands[index], &actions);
		}
	return fflush(stdout) ? 1 : 0;
}
