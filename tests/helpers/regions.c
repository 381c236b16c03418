/* A program with regions: its arguments are its actions, in order.
 *
 *   begin NAME, end NAME, enable, disable   as in pfmstat.h
 *   result          print the result of the last of these
 *   touch N         N page faults
 *   loop N          2 instructions for each of N, on arm64
 *   threads K NAME N  K threads, all of them at the same time in the region, each with N page faults
 *   scope NAME N    N page faults in PFMSTAT_REGION
 *   fork … parent   a child performs the actions in between, and is waited for
 *   close           close all descriptors from 3 on
 *   reuse FILE      open the file with the number of each of them
 *   kill            pfmstat, by SIGKILL; then wait until it is gone
 *   stop            pfmstat, by SIGSTOP
 *   patience S      wait at most S seconds for answers, instead of 600
 *   again N         the region "again" N times
 *   many N          N regions, whose names are numbers
 *   descriptors     print the number of open ones
 */
/* Only a hang takes this long, on any machine. */
static int patience_seconds = 600;
#define PFMSTAT_PATIENCE patience_seconds
#include <pfmstat.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PAGE        ((size_t)sysconf(_SC_PAGESIZE))
#define DESCRIPTORS 1024

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void touch(size_t n)
{
	char *pages = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		die("mmap");
	madvise(pages, n * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	munmap(pages, n * PAGE);
}

static void loop(unsigned long n)
{
#ifdef __aarch64__
	if (n)
		__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	while (n--)
		__asm__ volatile("");
#endif
}

struct team {
	pthread_barrier_t barrier;
	const char *name;
	size_t n;
};

static void *member(void *arg)
{
	struct team *team = arg;

	pfmstat_region_begin(team->name);
	pthread_barrier_wait(&team->barrier);
	touch(team->n);
	pthread_barrier_wait(&team->barrier);
	pfmstat_region_end(team->name);
	return NULL;
}

static void run_team(unsigned k, const char *name, size_t n)
{
	struct team team = {.name = name, .n = n};
	pthread_t threads[64];

	if (k > 64)
		exit(2);
	pthread_barrier_init(&team.barrier, NULL, k);
	for (unsigned i = 0; i < k; i++)
		if (pthread_create(&threads[i], NULL, member, &team))
			die("pthread_create");
	for (unsigned i = 0; i < k; i++)
		pthread_join(threads[i], NULL);
}

static void run_scope(const char *name, size_t n)
{
	PFMSTAT_REGION(name);
	touch(n);
}

static void replace_all(const char *path)
{
	for (int fd = 3; fd < DESCRIPTORS; fd++) {
		int file;

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		file = open(path, O_RDWR | O_CREAT | O_APPEND, 0666);
		if (file < 0 || dup2(file, fd) < 0)
			die(path);
		if (file != fd)
			close(file);
	}
}

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < DESCRIPTORS; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Including connections that already exist. */
static void set_patience(int seconds)
{
	const struct timeval limit = {seconds, 0};

	patience_seconds = seconds;
	for (int fd = 3; fd < DESCRIPTORS; fd++) {
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	}
}

static void kill_pfmstat(void)
{
	pid_t pid = getppid();

	if (kill(pid, SIGKILL) < 0)
		die("kill");
	while (getppid() == pid)
		usleep(1000);
}

/* A child that ends at `parent`; the parent continues after it. */
static char **fork_child(char **word)
{
	pid_t pid = fork();
	int depth = 1;

	if (pid < 0)
		die("fork");
	if (pid == 0)
		return word;
	waitpid(pid, NULL, 0);
	for (; depth; word++)
		depth += (strcmp(*word, "fork") == 0) - (strcmp(*word, "parent") == 0);
	return word;
}

static int result;

static void begin_many(unsigned n)
{
	char name[16];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%u", i);
		pfmstat_region_begin(name);
		result = pfmstat_region_end(name);
	}
}

static void begin_again(unsigned long n)
{
	while (n--) {
		pfmstat_region_begin("again");
		result = pfmstat_region_end("again");
	}
}

/* Words with an argument. */
static char **run_with(const char *word, char **next)
{
	if (strcmp(word, "begin") == 0)
		result = pfmstat_region_begin(*next);
	else if (strcmp(word, "end") == 0)
		result = pfmstat_region_end(*next);
	else if (strcmp(word, "touch") == 0)
		touch(strtoul(*next, NULL, 10));
	else if (strcmp(word, "loop") == 0)
		loop(strtoul(*next, NULL, 10));
	else if (strcmp(word, "again") == 0)
		begin_again(strtoul(*next, NULL, 10));
	else if (strcmp(word, "many") == 0)
		begin_many((unsigned)strtoul(*next, NULL, 10));
	else if (strcmp(word, "patience") == 0)
		set_patience(atoi(*next));
	else if (strcmp(word, "reuse") == 0)
		replace_all(*next);
	else
		exit(2);
	return next + 1;
}

static char **run_word(char **word)
{
	char **next = word + 1;

	if (strcmp(*word, "enable") == 0)
		result = pfmstat_enable();
	else if (strcmp(*word, "disable") == 0)
		result = pfmstat_disable();
	else if (strcmp(*word, "result") == 0)
		printf("%d\n", result);
	else if (strcmp(*word, "descriptors") == 0)
		printf("%d\n", count_descriptors());
	else if (strcmp(*word, "kill") == 0)
		kill_pfmstat();
	else if (strcmp(*word, "stop") == 0)
		kill(getppid(), SIGSTOP);
	else if (strcmp(*word, "fork") == 0)
		return fork_child(next);
	else if (strcmp(*word, "parent") == 0)
		_exit(0);
	else if (strcmp(*word, "close") == 0)
		for (int fd = 3; fd < DESCRIPTORS; fd++)
			close(fd);
	else
		return run_with(*word, next);
	return next;
}

static bool has_word(char **argv, const char *word)
{
	while (*argv && strcmp(*argv, word) != 0)
		argv++;
	return *argv != NULL;
}

int main(int argc, char **argv)
{
	char **word = argv + 1;

	/* where memory is short, the kernel takes pages of the program away, and they would be faults of whatever
	 * region needs them next; but with a fork, locked memory looks like a program without counters */
	if (!has_word(argv, "fork"))
		mlockall(MCL_CURRENT);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (word < argv + argc) {
		if (strcmp(*word, "threads") == 0 && argv + argc - word > 3) {
			run_team((unsigned)strtoul(word[1], NULL, 10), word[2], strtoul(word[3], NULL, 10));
			word += 4;
		} else if (strcmp(*word, "scope") == 0 && argv + argc - word > 2) {
			run_scope(word[1], strtoul(word[2], NULL, 10));
			word += 3;
		} else {
			word = run_word(word);
		}
	}
	return 0;
}
