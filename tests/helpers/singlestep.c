/* `singlestep COMMAND...`: counts the instructions of its first process in user space from its exec on, one by
 * one by ptrace(2), and prints "STEPS REPEATED": REPEATED of the steps are further iterations of a repeating
 * instruction. */
#include <elf.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long program_counter(pid_t pid)
{
	struct user_regs_struct registers;
	struct iovec area = {&registers, sizeof(registers)};

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &area) < 0)
		return 0;
#if defined(__x86_64__)
	return registers.rip;
#elif defined(__aarch64__)
	return registers.pc;
#else
	return 0;
#endif
}

int main(int argc, char **argv)
{
	unsigned long at = 0, last;
	long steps = 0, repeated = 0;
	pid_t pid = argc > 1 ? fork() : -1;
	int status;

	if (pid < 0)
		return 2;
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	for (waitpid(pid, &status, 0); WIFSTOPPED(status); waitpid(pid, &status, 0)) {
		last = at;
		at = program_counter(pid);
		repeated += at == last;
		steps++;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
			return 2;
	}
	printf("%ld %ld\n", steps, repeated);
	return 0;
}
