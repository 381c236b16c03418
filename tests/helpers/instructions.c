/* `instructions KIND N`: a loop of N iterations, besides the start and end of a process. An iteration is two
 * instructions, one of them a branch; with `more`, `load` and `store` one more; with `call` a call;
 * `evex`, an instruction of AVX-512; `trap`, a breakpoint's. */
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define REPEAT "dec %0\n\tjne 1b"
#define LOAD   "mov (%1), %%rcx\n\t"
#define STORE  "mov %%rcx, (%1)\n\t"
#define USED   "rcx"
#elif defined(__aarch64__)
#define REPEAT "subs %0, %0, #1\n\tb.ne 1b"
#define LOAD   "ldr x9, [%1]\n\t"
#define STORE  "str x9, [%1]\n\t"
#define USED   "x9"
#endif

#ifdef REPEAT
#define LOOP(n, body) __asm__ volatile("1:\n\t" body REPEAT : "+r"(n) : "r"(&place) : USED, "memory", "cc")
#else
#define LOOP(n, body) abort()
#endif

static long place;

__attribute__((noinline)) static void nothing(void)
{
	__asm__ volatile("");
}

static void call(long n)
{
	while (n--)
		nothing();
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[1] : "";
	long n = argc == 3 ? atol(argv[2]) : 0;

	if (n <= 0)
		return 2;
	if (strcmp(kind, "loop") == 0)
		LOOP(n, "");
	else if (strcmp(kind, "more") == 0)
		LOOP(n, "nop\n\t");
	else if (strcmp(kind, "load") == 0)
		LOOP(n, LOAD);
	else if (strcmp(kind, "store") == 0)
		LOOP(n, STORE);
	else if (strcmp(kind, "call") == 0)
		call(n);
#if defined(__x86_64__)
	else if (strcmp(kind, "evex") == 0)
		__asm__ volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0"); /* vaddps of AVX-512 */
	else if (strcmp(kind, "trap") == 0)
		__asm__ volatile("int3");
#endif
	else
		return 2;
	return 0;
}
