/* `instructions KIND N`: a loop of N iterations, besides the start and end of a process. An iteration is two
 * instructions, one of them a branch; with `more`, `load` and `store` one more; with `call` a call, with `recurse` a
 * call of the function by itself, with `again` a jump to the function's first instruction;
 * `evex`, an instruction of AVX-512; `trap`, a breakpoint's. */
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define REPEAT "dec %0\n\tjne 1b"
#define LOAD   "mov (%1), %%rcx\n\t"
#define STORE  "mov %%rcx, (%1)\n\t"
#define USED   "rcx"
#define AGAIN  "dec %rdi\n\tjs 1f\n\ttest $1, %dil\n\tje again\n\tjmp again.cold\n1:\tret"
#define COLD   "jmp again"
#define INNER  "dec %rdi\n\tje 1f\n\tcall recurse\n1:\tret"
#elif defined(__aarch64__)
#define REPEAT "subs %0, %0, #1\n\tb.ne 1b"
#define LOAD   "ldr x9, [%1]\n\t"
#define STORE  "str x9, [%1]\n\t"
#define USED   "x9"
#define AGAIN  "subs x0, x0, #1\n\tb.mi 1f\n\ttbz x0, #0, again\n\tb again.cold\n1:\tret"
#define COLD   "b again"
#define INNER \
	"stp x29, x30, [sp, #-16]!\n\tsubs x0, x0, #1\n\tb.eq 1f\n\tbl recurse\n1:\tldp x29, x30, [sp], #16\n\tret"
#endif

#ifdef REPEAT
/* Half of the jumps to the first instruction are in a part that is seldom executed, as compilers name it. */
#define FUNCTION(name, body) ".type " name ", %function\n" name ":\t" body "\n.size " name ", .-" name "\n"
__asm__(".text\n" FUNCTION("again", AGAIN) FUNCTION("again.cold", COLD) FUNCTION("recurse", INNER));
void again(long n);
void recurse(long n);
#define LOOP(n, body) __asm__ volatile("1:\n\t" body REPEAT : "+r"(n) : "r"(&place) : USED, "memory", "cc")
#else
#define LOOP(n, body) abort()
#define again(n)      abort()
#define recurse(n)    abort()
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
	else if (strcmp(kind, "again") == 0)
		again(n);
	else if (strcmp(kind, "recurse") == 0)
		recurse(n);
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
