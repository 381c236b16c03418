/* work: makes a known amount of work, so that counts can be checked against the work and not against another counter.
 * Static and at fixed addresses: it has few page faults and system calls, and the symbol table contains the addresses
 * of work_cell and work_probe. Several jobs may follow each other in one command line, `work faults 100 syscalls 50`;
 * they are done in order. Numbers go to standard output as `name value` lines. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREAD_STACK (64 * 1024)

/* Written by `store`, executed by `hot`: the targets of breakpoints and user probes. Initially not 0: the kernel clears
 * .bss byte by byte at exec, and a breakpoint sees that. */
volatile unsigned long work_cell = 1;
void work_probe(unsigned long i);

__attribute__((noinline)) void work_probe(unsigned long i)
{
	work_cell = i;
}

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "work: %s: %s\n", what, strerror(errno));
	exit(70);
}

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(s, &end, 0);
	if (errno || end == s || *end) {
		fprintf(stderr, "work: '%s' is no number\n", s);
		exit(64);
	}
	return n;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_ms(unsigned long ms)
{
	struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void spin_ms(unsigned long ms)
{
	uint64_t end = now_ns() + (uint64_t)ms * 1000000;

	while (now_ns() < end)
		work_cell++;
}

static void syscalls(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* Touches N fresh pages, one fault each (no huge pages, no fault-around for anonymous memory). */
static char *touch(size_t n, size_t page)
{
	char *map = mmap(NULL, (n + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		die("mmap");
	madvise(map, (n + 1) * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		*(volatile char *)(map + i * page) = 1;
	return map;
}

static void job_faults(char **arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = number(arg[0]);

	munmap(touch(n, page), (n + 1) * page);
}

static void job_keep(char **arg)
{
	touch(number(arg[0]), (size_t)sysconf(_SC_PAGESIZE));
}

static void job_syscalls(char **arg)
{
	syscalls(number(arg[0]));
}

static void job_sleep(char **arg)
{
	sleep_ms(number(arg[0]));
}

static void job_spin(char **arg)
{
	spin_ms(number(arg[0]));
}

static pthread_t thread_start(void *(*body)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	error = pthread_create(&thread, &attr, body, arg);
	pthread_attr_destroy(&attr);
	if (error) {
		errno = error;
		die("pthread_create");
	}
	return thread;
}

static void *thread_sleep(void *arg)
{
	sleep_ms(*(unsigned long *)arg);
	syscalls(1);
	return NULL;
}

static void *thread_spin(void *arg)
{
	spin_ms(*(unsigned long *)arg);
	return NULL;
}

/* threads K MS / spinners K MS: K threads that sleep MS ms and then call getppid once, or spin for MS ms; and a line
 * `ready` when all of them run. */
static void run_threads(char **arg, void *(*body)(void *))
{
	unsigned long n = number(arg[0]), ms = number(arg[1]);
	pthread_t *threads = calloc(n ? n : 1, sizeof(*threads));

	if (!threads)
		die("calloc");
	for (unsigned long i = 0; i < n; i++)
		threads[i] = thread_start(body, &ms);
	puts("ready");
	fflush(stdout);
	for (unsigned long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void job_threads(char **arg)
{
	run_threads(arg, thread_sleep);
}

static void job_spinners(char **arg)
{
	run_threads(arg, thread_spin);
}

/* until FILE: waits until it exists. */
static void job_until(char **arg)
{
	while (access(arg[0], F_OK) != 0)
		sleep_ms(1);
}

struct crowd {
	pthread_mutex_t gate; /* held until they may go */
	unsigned long calls;
};

static void *thread_of_crowd(void *arg)
{
	struct crowd *crowd = arg;

	pthread_mutex_lock(&crowd->gate);
	pthread_mutex_unlock(&crowd->gate);
	syscalls(crowd->calls);
	return NULL;
}

/* crowd FILE K S: K threads that wait until FILE is there, make S getppid calls each and end; `ready` once they wait.
 */
static void job_crowd(char **arg)
{
	struct crowd crowd = {.gate = PTHREAD_MUTEX_INITIALIZER, .calls = number(arg[2])};
	unsigned long n = number(arg[1]);
	pthread_t *threads = calloc(n ? n : 1, sizeof(*threads));

	if (!threads)
		die("calloc");
	pthread_mutex_lock(&crowd.gate);
	for (unsigned long i = 0; i < n; i++)
		threads[i] = thread_start(thread_of_crowd, &crowd);
	puts("ready");
	fflush(stdout);
	job_until(arg);
	pthread_mutex_unlock(&crowd.gate);
	for (unsigned long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void *thread_of_headless(void *arg)
{
	job_crowd(arg);
	return NULL;
}

/* headless FILE K S: a crowd, started by a second thread; the first one ends at once. */
static void job_headless(char **arg)
{
	thread_start(thread_of_headless, arg);
	pthread_exit(NULL);
}

static void *thread_starved(void *arg)
{
	const struct sched_param none = {0};

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		die("sched_setscheduler");
	spin_ms(30); /* its share is used up for long */
	if (write(*(int *)arg, "", 1) != 1)
		die("write");
	for (;;)
		work_cell++;
	return NULL;
}

/* starve MS: on one CPU, a thread that runs only when no other task does, beside one that spins for MS ms at the
 * highest priority that it may have; and a line `ready` when it does. */
static void job_starve(char **arg)
{
	cpu_set_t allowed, one;
	size_t cpu = 0;
	int ends[2];
	char byte;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) || pipe(ends))
		die("starve");
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
	thread_start(thread_starved, &ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		die("read");
	setpriority(PRIO_PROCESS, 0, -20);
	spin_ms(300); /* what was still due to the other one is paid */
	puts("ready");
	fflush(stdout);
	spin_ms(number(arg[0]));
}

static void *thread_held(void *arg)
{
	pthread_barrier_wait(arg);
	syscalls(1);
	work_probe(1);
	return NULL;
}

/* held K: K threads that exist when the process stops itself; once it is continued they call getppid and
 * work_probe once. */
static void job_held(char **arg)
{
	unsigned long n = number(arg[0]);
	pthread_t *threads = calloc(n ? n : 1, sizeof(*threads));
	pthread_barrier_t barrier;

	if (!threads)
		die("calloc");
	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (unsigned long i = 0; i < n; i++)
		threads[i] = thread_start(thread_held, &barrier);
	raise(SIGSTOP);
	pthread_barrier_wait(&barrier);
	for (unsigned long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	free(threads);
}

static void *thread_syscalls(void *arg)
{
	syscalls(*(unsigned long *)arg);
	return NULL;
}

/* spawn-threads T S: for T ms start threads one after the other, each making S getppid calls; then the totals. */
static void job_spawn_threads(char **arg)
{
	uint64_t end = now_ns() + number(arg[0]) * 1000000;
	unsigned long calls = number(arg[1]), n = 0;

	for (; now_ns() < end; n++)
		pthread_join(thread_start(thread_syscalls, &calls), NULL);
	printf("threads %lu\ngetppid %lu\n", n, n * calls);
}

struct link {
	unsigned long left, calls;
	const char *file; /* counting down begins when it exists; NULL: at once */
	uint64_t *made;   /* links whose calls are done */
	int done;         /* a pipe: written by the last thread */
};

/* Detached threads, each of which starts the next one and goes: no thread of the start exists at the end. */
static void *thread_link(void *arg)
{
	struct link *link = arg;

	pthread_detach(pthread_self());
	syscalls(link->calls);
	__atomic_add_fetch(link->made, 1, __ATOMIC_RELEASE);
	if (link->file && access(link->file, F_OK) == 0)
		link->file = NULL;
	if (link->file || --link->left > 0)
		thread_start(thread_link, link);
	else if (write(link->done, "", 1) != 1)
		die("write");
	return NULL;
}

static void chain_run(struct link *link)
{
	uint64_t made = 0;
	int ends[2];
	char byte;

	if (pipe(ends))
		die("pipe");
	if (!link->made)
		link->made = &made;
	link->done = ends[1];
	if (link->left) {
		thread_start(thread_link, link);
		if (read(ends[0], &byte, 1) != 1)
			die("read");
	}
	close(ends[0]);
	close(ends[1]);
}

/* chain N S: N threads, each of which makes S getppid calls, starts the next and ends. */
static void job_chain(char **arg)
{
	chain_run(&(struct link){.left = number(arg[0]), .calls = number(arg[1])});
}

/* chain-until FILE N S: the same until FILE is there, and N more; then prints their number. */
static void job_chain_until(char **arg)
{
	uint64_t made = 0;
	struct link link = {.file = arg[0], .left = number(arg[1]), .calls = number(arg[2]), .made = &made};

	chain_run(&link);
	printf("threads %lu\ngetppid %lu\n", made, made * link.calls);
}

/* chain-shown SHOWN FILE S: the same until FILE exists; the first 8 bytes of SHOWN contain how many links have made
 * their S calls. */
static void job_chain_shown(char **arg)
{
	struct link link = {.file = arg[1], .left = 1, .calls = number(arg[2])};
	int fd = open(arg[0], O_RDWR | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*link.made)))
		die(arg[0]);
	link.made = mmap(NULL, sizeof(*link.made), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (link.made == MAP_FAILED)
		die("mmap");
	chain_run(&link);
}

/* families MS LIFE: for MS ms fork children that live for LIFE ms and call getppid then. */
static void job_families(char **arg)
{
	uint64_t end = now_ns() + number(arg[0]) * 1000000;
	unsigned long life = number(arg[1]);

	signal(SIGCHLD, SIG_IGN); /* no process waits for them */
	fflush(stdout);
	while (now_ns() < end) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			sleep_ms(life);
			syscalls(1);
			_exit(0);
		}
	}
	signal(SIGCHLD, SIG_DFL);
}

/* forks N P: N children that do nothing, up to P at a time. */
static void job_forks(char **arg)
{
	unsigned long n = number(arg[0]), most = number(arg[1]), live = 0;

	fflush(stdout);
	for (unsigned long i = 0; i < n; i++) {
		if (live >= most && wait(NULL) > 0)
			live--;
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			_exit(0);
		default:
			live++;
		}
	}
	while (wait(NULL) > 0)
		;
}

/* This process and others below it, n in all: each starts two more while any are left, and calls getppid once. */
static void explode(unsigned long n)
{
	unsigned long left = n - 1;

	syscalls(1);
	for (int i = 0; i < 2 && left; i++) {
		unsigned long part = i ? left : (left + 1) / 2;

		left -= part;
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			explode(part);
			_exit(0);
		default:
			break;
		}
	}
	while (wait(NULL) > 0)
		;
}

/* bomb N: a fork bomb of N processes, this one included. */
static void job_bomb(char **arg)
{
	unsigned long n = number(arg[0]);

	fflush(stdout);
	if (n)
		explode(n);
}

/* child MS SYSCALLS: one child that sleeps for MS ms, makes SYSCALLS calls and is waited for. */
static void job_child(char **arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		sleep_ms(number(arg[0]));
		syscalls(number(arg[1]));
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void job_signal(char **arg)
{
	int signal_number = (int)number(arg[0]);
	sigset_t set;

	fflush(stdout);
	prctl(PR_SET_DUMPABLE, 0); /* no core files */
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	exit(71);
}

static void job_exit(char **arg)
{
	fflush(stdout);
	_exit((int)number(arg[0]));
}

/* daemon MS: leaves a process in a separate session that lives for MS ms; prints its pid. */
static void job_daemon(char **arg)
{
	unsigned long ms = number(arg[0]);
	pid_t pid;
	int fd;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	setsid();
	pid = fork();
	if (pid > 0) {
		printf("daemon %d\n", (int)pid);
		fflush(stdout);
	}
	if (pid != 0)
		_exit(pid < 0);
	fd = open("/dev/null", O_RDWR);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	sleep_ms(ms);
	_exit(0);
}

static void job_ignore_int(char **arg)
{
	(void)arg;
	signal(SIGINT, SIG_IGN);
}

/* pid: print it, so that a script knows what to signal. */
static void job_pid(char **arg)
{
	(void)arg;
	printf("pid %d\n", (int)getpid());
	fflush(stdout);
}

static void job_hot(char **arg)
{
	unsigned long n = number(arg[0]);

	for (unsigned long i = 0; i < n; i++)
		work_probe(i);
}

/* nested N: N calls of work_nested, each in the one before. */
unsigned long work_nested(unsigned long n);

__attribute__((noinline)) unsigned long work_nested(unsigned long n)
{
	work_cell = n;
	return n > 1 ? work_nested(n - 1) + work_cell : 1; /* no call at the end, which would need no return */
}

static void job_nested(char **arg)
{
	unsigned long n = number(arg[0]);

	if (n)
		work_nested(n);
}

static void *thread_hot(void *arg)
{
	for (unsigned long i = 0; i < *(unsigned long *)arg; i++)
		work_probe(i);
	return NULL;
}

/* hot-threads K N: K threads call work_probe N times each. */
static void job_hot_threads(char **arg)
{
	run_threads(arg, thread_hot);
}

/* hot-forks K N: K children, no other program, call work_probe N times each. */
static void job_hot_forks(char **arg)
{
	unsigned long n = number(arg[0]);

	fflush(stdout);
	for (unsigned long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			job_hot(arg + 1);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void job_store(char **arg)
{
	unsigned long n = number(arg[0]);

	printf("address %#lx\n", (unsigned long)&work_cell);
	for (unsigned long i = 0; i < n; i++)
		work_cell = i;
}

static void print_descriptors(void)
{
	char path[64], target[256];

	for (int fd = 0; fd < 1024; fd++) {
		ssize_t n;

		if (fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		printf("fd %d %s flags=%#x\n", fd, target, (unsigned)fcntl(fd, F_GETFL));
	}
}

/* fds: the state that a process inherits, as text: descriptors, signal dispositions and mask, niceness, environment. */
static void job_fds(char **arg)
{
	int death = 0, reaper = 0;
	sigset_t mask;

	(void)arg;
	print_descriptors();
	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < NSIG; i++) {
		struct sigaction action;

		if (sigaction(i, NULL, &action))
			continue;
		printf("signal %d %s%s\n", i, action.sa_handler == SIG_IGN ? "ignored" : "default",
		       sigismember(&mask, i) == 1 ? " blocked" : "");
	}
	prctl(PR_GET_PDEATHSIG, &death);
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	printf("parent-death-signal %d subreaper %d\n", death, reaper);
	printf("session %s group %s\n", getsid(0) == getpid() ? "own" : "inherited",
	       getpgrp() == getpid() ? "own" : "inherited");
	for (char **e = environ; *e; e++)
		printf("environment %s\n", *e);
}

/* name TEXT: the name of this process in ps and the kernel (15 bytes, any bytes). */
static void job_name(char **arg)
{
	prctl(PR_SET_NAME, arg[0]);
}

/* echo: copies standard input to standard output, to see that both belong to the command. */
static void job_echo(char **arg)
{
	char buf[4096];
	ssize_t n;

	(void)arg;
	while ((n = read(0, buf, sizeof(buf))) > 0)
		if (write(1, buf, (size_t)n) != n)
			die("write");
}

/* switches N: a process and its child hand each other a byte N times on one CPU, which takes 2 N context switches. */
static void job_switches(char **arg)
{
	unsigned long n = number(arg[0]);
	int there[2], back[2];
	cpu_set_t one;
	char byte = 0;
	pid_t child;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		die("switches");
	child = fork();
	if (child < 0)
		die("fork");
	for (unsigned long i = 0; i < n; i++) {
		if (!child && (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1))
			die("pipe");
		if (child && (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1))
			die("pipe");
	}
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* await: until a byte can be read from standard input, so that a script can continue it. */
static void job_await(char **arg)
{
	char byte;

	(void)arg;
	if (read(0, &byte, 1) != 1)
		die("await");
}

static bool file_has_line(const char *path, const char *part, const char *other)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) >= 0)
		found = strstr(line, part) && strstr(line, other);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* observed WORD LOG: spin until this process' command line, with this word, has been read by a program whose reads
 * `strace -y -o LOG` writes down. */
static void job_observed(char **arg)
{
	char file[64], words[128];

	snprintf(file, sizeof(file), "</proc/%d/cmdline>", (int)getpid());
	snprintf(words, sizeof(words), "\\0observed\\0%s\\0", arg[0]);
	while (!file_has_line(arg[1], file, words))
		;
}

/* clock: CLOCK_MONOTONIC. */
static void job_clock(char **arg)
{
	(void)arg;
	printf("clock %llu\n", (unsigned long long)now_ns());
	fflush(stdout);
}

struct job {
	const char *name;
	int n_args;
	void (*run)(char **arg);
	const char *help;
};

static const struct job jobs[] = {
	{"faults", 1, job_faults, "faults N: touch N fresh pages"},
	{"keep", 1, job_keep, "keep N: the same, and they stay"},
	{"syscalls", 1, job_syscalls, "syscalls N: call getppid N times"},
	{"sleep", 1, job_sleep, "sleep MS"},
	{"spin", 1, job_spin, "spin MS: keep a CPU busy"},
	{"threads", 2, job_threads, "threads K MS: K threads that sleep, then call getppid once; prints `ready`"},
	{"spinners", 2, job_spinners, "spinners K MS: K threads that spin; prints `ready`"},
	{"until", 1, job_until, "until FILE: wait until it is there"},
	{"crowd", 3, job_crowd,
	 "crowd FILE K S: K threads that wait until FILE is there, then S getppid each; `ready`"},
	{"headless", 3, job_headless, "headless FILE K S: a crowd in a process whose first thread has ended"},
	{"starve", 1, job_starve, "starve MS: a thread that gets no CPU beside one that spins for MS; prints `ready`"},
	{"held", 1, job_held,
	 "held K: K threads; the process stops itself, and continued, they call getppid and work_probe once"},
	{"spawn-threads", 2, job_spawn_threads,
	 "spawn-threads MS S: threads in turn for MS, S getppid each; prints totals"},
	{"chain", 2, job_chain, "chain N S: N threads, each starts the next and ends, S getppid each"},
	{"chain-until", 3, job_chain_until,
	 "chain-until FILE N S: a chain until FILE is there, and N more; prints totals"},
	{"chain-shown", 3, job_chain_shown,
	 "chain-shown SHOWN FILE S: a chain until FILE is there; SHOWN has its length"},
	{"families", 2, job_families, "families MS LIFE: for MS ms children that live LIFE ms, then call getppid"},
	{"forks", 2, job_forks, "forks N P: N children, P at a time"},
	{"bomb", 1, job_bomb, "bomb N: a fork bomb of N processes, getppid once each"},
	{"child", 2, job_child, "child MS S: a child that sleeps, then calls getppid S times"},
	{"switches", 1, job_switches, "switches N: 2 N context switches, between a process and its child"},
	{"signal", 1, job_signal, "signal S: die by signal S"},
	{"exit", 1, job_exit, "exit N"},
	{"daemon", 1, job_daemon, "daemon MS: leave a daemon behind for MS; prints its pid"},
	{"ignore-int", 0, job_ignore_int, "ignore-int: ignore SIGINT from here on"},
	{"pid", 0, job_pid, "pid: print the process id"},
	{"await", 0, job_await, "await: wait for a byte on standard input"},
	{"hot", 1, job_hot, "hot N: call work_probe N times"},
	{"nested", 1, job_nested, "nested N: N calls of work_nested, each in the one before"},
	{"hot-threads", 2, job_hot_threads, "hot-threads K N: K threads call work_probe N times each"},
	{"hot-forks", 2, job_hot_forks, "hot-forks K N: K children call work_probe N times each"},
	{"store", 1, job_store, "store N: write work_cell N times; prints its address"},
	{"fds", 0, job_fds, "fds: print descriptors, signals and environment as inherited"},
	{"name", 1, job_name, "name TEXT: set the process name"},
	{"observed", 2, job_observed, "observed WORD LOG: spin until strace's log has this command line"},
	{"clock", 0, job_clock, "clock: print CLOCK_MONOTONIC in ns"},
	{"echo", 0, job_echo, "echo: copy standard input to standard output"},
};

static void print_help(void)
{
	puts("usage: work JOB [ARG]... [JOB [ARG]...]...");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		printf("  %s\n", jobs[i].help);
}

static const struct job *job_find(const char *name)
{
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		if (strcmp(jobs[i].name, name) == 0)
			return &jobs[i];
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		print_help();
		return 0;
	}
	for (int i = 1; i < argc;) {
		const struct job *job = job_find(argv[i]);

		if (!job || job->n_args > argc - i - 1) {
			fprintf(stderr, "work: unknown job '%s'; see work --help\n", argv[i]);
			return 64;
		}
		job->run(argv + i + 1);
		i += 1 + job->n_args;
	}
	return fflush(stdout) ? 70 : 0;
}
