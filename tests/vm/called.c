/* called WORD...: a program with functions whose instructions are known; they are written in assembler language.
 *
 *  - plain N TIMES: TIMES calls of plain: 2 N + 3 instructions; the kernel steps the first one after a probe
 *  - branch N TIMES: the same with a first instruction that the kernel emulates
 *  - nop N TIMES: the same with a first instruction whose treatment depends on the kernel's version
 *  - nest N TIMES: calls of nest: 7 instructions, and plain(N) and branch(N), with their call instructions
 *  - recurse N TIMES: calls of recurse, N deep: 5 instructions each, and a call instruction except in the innermost
 *  - tail N TIMES: calls of tail: 2 instructions; it ends in a jump to plain(N)
 *  - pair N TIMES: 2 N instructions between the USDT probes work:begin and work:end
 *  - kernel N TIMES: calls of kernel: 4 N + 2 instructions, of which N are calls of getppid
 *  - threads N TIMES: two threads, on the first two CPUs, each with TIMES calls of plain(N)
 *  - wait: reads a byte of the standard input
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
#define FUNCTION(name, body) \
	void name(long n); \
	__asm__(".type " #name ", %function\n.globl " #name "\n" #name ":\n" body "\nret\n.size " #name ", . - " #name "\n")
#define LOOP "0: subs x0, x0, #1\nb.ne 0b\n"
#define NOTE(place, name) \
	".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
	".4byte 2f - 1f, 4f - 3f, 3\n1: .asciz \"stapsdt\"\n2: .balign 4\n" \
	"3: .8byte " place ", _.stapsdt.base, 0\n.asciz \"work\"\n.asciz \"" name "\"\n.asciz \"\"\n4: .balign 4\n.popsection\n"

FUNCTION(plain, "mov x1, x0\n" LOOP "nop");
FUNCTION(branch, "b 0f\n" LOOP "nop");
FUNCTION(nop, "nop\n" LOOP "nop");
FUNCTION(nest, "stp x29, x30, [sp, #-32]!\nstr x0, [sp, #16]\nbl plain\nldr x0, [sp, #16]\nnop\nbl branch\n"
	       "nop\nldp x29, x30, [sp], #32");
FUNCTION(recurse, "stp x29, x30, [sp, #-16]!\nsubs x0, x0, #1\nb.eq 0f\nbl recurse\n0: ldp x29, x30, [sp], #16");
FUNCTION(tail, "mov x1, x0\nb plain\n");
FUNCTION(pair, "begin: nop\n" LOOP "end: nop\n"
	       NOTE("begin", "begin") NOTE("end", "end")
	       ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	       ".weak _.stapsdt.base\n_.stapsdt.base: .space 1\n.popsection\n");
FUNCTION(kernel, "mov x1, x0\n0: mov x8, #173\nsvc #0\nsubs x1, x1, #1\nb.ne 0b"); /* getppid */
/* clang-format on */

struct work {
	size_t cpu;
	long n, times;
};

static void repeat(void (*function)(long), long n, long times)
{
	while (times-- > 0)
		function(n);
}

static void *run_thread(void *arg)
{
	const struct work *work = arg;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(work->cpu, &one);
	sched_setaffinity(0, sizeof(one), &one); /* fails without this CPU */
	repeat(plain, work->n, work->times);
	return NULL;
}

static void run_threads(long n, long times)
{
	struct work work[2] = {{0, n, times}, {1, n, times}};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, &work[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*function)(long);
	} functions[] = {{"plain", plain},     {"branch", branch}, {"nop", nop},   {"nest", nest},
			 {"recurse", recurse}, {"tail", tail},     {"pair", pair}, {"kernel", kernel}};
	char byte;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		long n = i + 2 < argc ? atol(argv[i + 1]) : 0, times = i + 2 < argc ? atol(argv[i + 2]) : 0;

		if (strcmp(word, "wait") == 0) {
			if (read(STDIN_FILENO, &byte, 1) < 0)
				return 1;
			continue;
		}
		if (strcmp(word, "threads") == 0)
			run_threads(n, times);
		for (size_t f = 0; f < sizeof(functions) / sizeof(*functions); f++)
			if (strcmp(word, functions[f].name) == 0)
				repeat(functions[f].function, n, times);
		i += 2;
	}
	return 0;
}
