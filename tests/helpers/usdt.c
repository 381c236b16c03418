/* usdt N: a program with USDT probes, written by hand in the form of systemtap's <sys/sdt.h>. This process and a child
 * each pass N times the first place of work:step and twice as often the second one, and N times that of work:guarded,
 * if its semaphore is not 0; the number of passes is printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#define PLACE(name, semaphore) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n" \
			 ".asciz \"work\"\n.asciz \"" name "\"\n.asciz \"\"\n" \
			 "994: .balign 4\n" \
			 ".popsection\n" \
			 ".ifndef _.stapsdt.base\n" \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n" \
			 "_.stapsdt.base: .space 1\n" \
			 ".popsection\n" \
			 ".endif\n")
/* clang-format on */

volatile unsigned short work_guarded_semaphore __attribute__((section(".probes"), used));

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1, guarded = 0;
	pid_t child = fork();

	for (long i = 0; i < n; i++)
		PLACE("step", "0");
	for (long i = 0; i < 2 * n; i++)
		PLACE("step", "0");
	for (long i = 0; i < n; i++)
		if (work_guarded_semaphore) {
			PLACE("guarded", "work_guarded_semaphore");
			guarded++;
		}
	printf("%ld\n", guarded);
	return child > 0 && wait(NULL) != child;
}
