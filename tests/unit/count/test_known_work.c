/* Nightly: known work is counted 1,000 times beside loads. What is right at first must be right each time; no false
 * alarm is known. */
#include "count/known_work.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define ROUNDS 1000
#define LOADS  4

static pid_t start_load(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			__asm__ volatile("");
	}
	return pid;
}

int main(void)
{
	struct known_count first[KNOWN_COUNTS], counts[KNOWN_COUNTS];
	unsigned wrong[KNOWN_COUNTS] = {0};
	pid_t loads[LOADS];

	known_work_try(first);
	for (int i = 0; i < LOADS; i++)
		loads[i] = start_load();
	for (int round = 0; round < ROUNDS; round++) {
		known_work_try(counts);
		for (int i = 0; i < KNOWN_COUNTS; i++) {
			if (first[i].verdict != KNOWN_RIGHT || counts[i].verdict == KNOWN_RIGHT ||
			    counts[i].verdict == KNOWN_UNTRIED)
				continue;
			wrong[i]++;
			printf("# %s: %llu for %.0f\n", counts[i].event, (unsigned long long)counts[i].counted,
			       counts[i].truth);
		}
	}
	for (int i = 0; i < LOADS; i++) {
		kill(loads[i], SIGKILL);
		waitpid(loads[i], NULL, 0);
	}
	for (int i = 0; i < KNOWN_COUNTS; i++)
		is_number(wrong[i], 0, first[i].event);
	return tap_done();
}
