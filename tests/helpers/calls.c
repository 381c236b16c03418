/* calls WORD...: a program with functions whose calls are known, none of which pfmstat has to be told.
 *
 *   touch N       a call of touch: N page faults, 2 system calls
 *   ask N         a call of ask: N system calls
 *   nest N        a call of nest: 2 system calls, and N calls of ask(3)
 *   recurse N     N calls of recurse, each within the one before: a page fault each, 2 system calls
 *   jump N        N calls of jump, each within the one before, all left by longjmp: a system call each
 *   chain N       a call of chain, which ends in a jump to ask(N)
 *   guard N       a call of guard: N calls of jump(1), and 2 system calls
 *   loop N        a call of looped, a loop of N system calls that begins at its first instruction
 *   switch N      two coroutines, each with N calls of yield_a or yield_b; exits with 1 if there were others
 *   visit N       N calls of touch(1), and a pause of 1 ms after each
 *   vfork N       N children that share the memory, each with a call of touch(1)
 *   threads T N   T threads, each with N calls of ask(2)
 *   leave         a thread that ends in a call of leave
 *   fork N        a call of forked, which forks; the child returns from it and makes N calls of ask(1)
 *   spin N        N calls of empty
 *   land N        N calls of landing, which does nothing; on x86 it begins with endbr64
 *   sleep MS      a call of rest
 *   parse N       a call of ns::parse(long): N system calls; one of ns::parse(char): one; and one each of ns::lone(),
 *                 over(int) and over(char)
 *   wait          reads a byte of the standard input
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE  4096
#define PROBE static __attribute__((noinline, noclone, used)) void

/* Not the last thing that a function does: its call is not turned into a jump. */
#define HERE() __asm__ volatile("" ::: "memory")

static jmp_buf back;

PROBE touch(long n)
{
	char *pages = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (long i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	munmap(pages, (size_t)n * PAGE);
	HERE();
}

PROBE ask(long n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
	HERE();
}

PROBE nest(long n)
{
	syscall(SYS_getppid);
	for (long i = 0; i < n; i++)
		ask(3);
	syscall(SYS_getppid);
	HERE();
}

PROBE recurse(long n)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*page = 1;
	if (n > 1)
		recurse(n - 1);
	munmap(page, PAGE);
	HERE();
}

PROBE jump(long n)
{
	syscall(SYS_getppid);
	if (n > 1)
		jump(n - 1);
	else if (n == 1)
		longjmp(back, 1);
	HERE();
}

PROBE guard(long n)
{
	for (volatile long i = 0; i < n; i++)
		if (!setjmp(back))
			jump(1);
	syscall(SYS_getppid);
	syscall(SYS_getppid);
	HERE();
}

PROBE chain(long n)
{
	ask(n);
}

/* Another name of a function. */
static __attribute__((alias("ask"), used)) void query(long n);

void looped(long n);
#ifdef __x86_64__
__asm__(".pushsection .text\n.type looped, %function\nlooped:\nmov $110, %eax\nsyscall\ndec %rdi\njnz looped\nret\n"
	".size looped, . - looped\n.popsection");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n.type looped, %function\nlooped:\nmov x9, x0\nmov x8, #173\nsvc #0\nsubs x0, x9, #1\n"
	"b.ne looped\nret\n.size looped, . - looped\n.popsection");
#else
void looped(long n)
{
	ask(n);
}
#endif

static ucontext_t outside, coroutines[2];
static long yields[2], wanted;

PROBE yield_a(void)
{
	swapcontext(&coroutines[0], &coroutines[1]);
	HERE();
}

PROBE yield_b(void)
{
	swapcontext(&coroutines[1], &coroutines[0]);
	HERE();
}

static void coroutine(int which)
{
	for (long i = 0; i < wanted; i++) {
		if (++yields[which] > wanted)
			_exit(1);
		(which ? yield_b : yield_a)();
	}
	setcontext(&outside);
}

static int run_switch(long n)
{
	static char stacks[2][65536];

	wanted = n;
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack.ss_sp = stacks[i];
		coroutines[i].uc_stack.ss_size = sizeof(stacks[i]);
		makecontext(&coroutines[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&outside, &coroutines[0]);
	return yields[0] != n || yields[1] != n;
}

PROBE empty(void)
{
	HERE();
}

PROBE landing(void)
{
#ifdef __x86_64__
	__asm__ volatile(".byte 0xf3, 0x0f, 0x1e, 0xfa");
#endif
	HERE();
}

PROBE parse_long(long n) __asm__("_ZN2ns5parseEl");
PROBE parse_long(long n)
{
	while (n-- > 0)
		syscall(SYS_getppid);
	HERE();
}

PROBE parse_char(void) __asm__("_ZN2ns5parseEc");
PROBE parse_char(void)
{
	syscall(SYS_getppid);
	HERE();
}

PROBE over_char(void) __asm__("_ZL4overc");
PROBE over_char(void)
{
	HERE();
}

PROBE over_int(void) __asm__("_Z4overi");
PROBE over_int(void)
{
	over_char();
	HERE();
}

PROBE plus(void) __asm__("_ZN2ns1SplEic");
PROBE plus(void)
{
	HERE();
}

PROBE text(void) __asm__("_ZN2ns4textB5cxx11El"); /* returns std::string: ns::text[abi:cxx11](long) */
PROBE text(void)
{
	HERE();
}

PROBE lone(void) __asm__("_ZN2ns4loneEv");
PROBE lone(void)
{
	plus();
	text();
	HERE();
}

PROBE leave(void)
{
	syscall(SYS_exit, 0);
}

PROBE rest(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
	HERE();
}

PROBE forked(pid_t *child)
{
	*child = fork();
	HERE();
}

static void *ask_often(void *n)
{
	for (long i = 0; i < *(long *)n; i++)
		ask(2);
	return NULL;
}

static void *call_leave(void *none)
{
	leave();
	return none;
}

static void run_threads(long t, long n)
{
	pthread_t threads[64];

	for (long i = 0; i < t && i < 64; i++)
		pthread_create(&threads[i], NULL, ask_often, &n);
	for (long i = 0; i < t && i < 64; i++)
		pthread_join(threads[i], NULL);
}

static void run_fork(long n)
{
	pid_t child;

	forked(&child);
	if (child == 0) {
		for (long i = 0; i < n; i++)
			ask(1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void run_visit(long n)
{
	while (n-- > 0) {
		touch(1);
		usleep(1000);
	}
}

static void run_vfork(long n)
{
	for (volatile long i = 0; i < n; i++) {
		pid_t child = vfork();

		if (child == 0) {
			touch(1);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void run_jump(long n)
{
	if (!setjmp(back))
		jump(n);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		long n = i + 1 < argc ? atol(argv[i + 1]) : 0;
		pthread_t thread;
		char byte;

		if (strcmp(word, "leave") == 0) {
			pthread_create(&thread, NULL, call_leave, NULL);
			pthread_join(thread, NULL);
			continue;
		} else if (strcmp(word, "wait") == 0) {
			if (read(STDIN_FILENO, &byte, 1) < 0)
				return 1;
			continue;
		}
		i++;
		if (strcmp(word, "touch") == 0)
			touch(n);
		else if (strcmp(word, "ask") == 0)
			ask(n);
		else if (strcmp(word, "nest") == 0)
			nest(n);
		else if (strcmp(word, "recurse") == 0)
			recurse(n);
		else if (strcmp(word, "jump") == 0)
			run_jump(n);
		else if (strcmp(word, "visit") == 0)
			run_visit(n);
		else if (strcmp(word, "vfork") == 0)
			run_vfork(n);
		else if (strcmp(word, "guard") == 0)
			guard(n);
		else if (strcmp(word, "loop") == 0)
			looped(n);
		else if (strcmp(word, "switch") == 0)
			return run_switch(n);
		else if (strcmp(word, "chain") == 0)
			chain(n);
		else if (strcmp(word, "sleep") == 0)
			rest(n);
		else if (strcmp(word, "parse") == 0) {
			parse_long(n);
			parse_char();
			lone();
			over_int();
		} else if (strcmp(word, "fork") == 0)
			run_fork(n);
		else if (strcmp(word, "threads") == 0 && ++i < argc)
			run_threads(n, atol(argv[i]));
		else if (strcmp(word, "land") == 0)
			for (long k = 0; k < n; k++)
				landing();
		else if (strcmp(word, "spin") == 0)
			for (long k = 0; k < n; k++)
				empty();
	}
	return 0;
}
