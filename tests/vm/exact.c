/* exact: a program whose counts are known. No libc, so nothing runs before main and nothing but this.
 *
 *   exact LOOPS [CALLS]
 *
 * Executes 2 instructions in user space for each of LOOPS and one getppid(2) for each of CALLS, besides a constant that
 * depends on the compiler and on the number of digits. So the difference between two runs with as many digits is exact.
 */
#include <asm/unistd.h>

static long call(long number, long argument)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = argument;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8) : "memory");
	return x0;
}

static unsigned long number_parse(const char *s)
{
	unsigned long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + (unsigned long)(*s++ - '0');
	return n;
}

/* The kernel's stack at entry: argc, argv[0], argv[1], … */
__attribute__((noreturn, used)) static void exact_main(const unsigned long *stack)
{
	const char *const *arguments = (const char *const *)(stack + 1);
	unsigned long loops = stack[0] > 1 ? number_parse(arguments[1]) : 0;
	unsigned long calls = stack[0] > 2 ? number_parse(arguments[2]) : 0;

	if (loops)
		__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(loops) : : "cc");
	while (calls--)
		call(__NR_getppid, 0);
	call(__NR_exit_group, 0);
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tmov x0, sp\n\tb exact_main\n");
