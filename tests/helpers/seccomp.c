/* seccomp ERRNO[:CALL] COMMAND…: run a command under a filter that answers perf_event_open, or fsopen or wait4, with
 * this error (EPERM, ENOSYS) and allows everything else, like containers.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int install(unsigned call, unsigned error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	unsigned call = SYS_perf_event_open, error = 0;
	char *colon = argc >= 3 ? strchr(argv[1], ':') : NULL;

	if (colon && (strcmp(colon, ":fsopen") == 0 || strcmp(colon, ":wait4") == 0)) {
		call = colon[1] == 'f' ? SYS_fsopen : SYS_wait4;
		*colon = '\0';
	}
	if (argc >= 3)
		error = strcmp(argv[1], "EPERM") == 0 ? EPERM : strcmp(argv[1], "ENOSYS") == 0 ? ENOSYS : 0;
	if (!error) {
		fputs("usage: seccomp EPERM|ENOSYS[:fsopen] COMMAND...\n", stderr);
		return 125;
	}
	if (install(call, error) < 0) {
		perror("seccomp");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
