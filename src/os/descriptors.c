#include "os/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Descriptors for everything except counters: standard streams, the report, the command's channel, control. */
#define SPARE 64
#define LEAST 16 /* enough without intervals, control and other extras */

/* Uses the reading end of a pipe: it needs no /dev/null, and writing a report to it fails. */
int descriptors_guard(struct error *e)
{
	int ends[2];

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (pipe2(ends, O_CLOEXEC) < 0)
			return error_set(e, errno, "cannot replace closed standard descriptors: %s", strerror(errno));
		close(ends[1]); /* ends[0] has the lowest free number */
	}
	return 0;
}

int descriptors_prepare(struct rlimit *found, struct error *e)
{
	struct rlimit raised;

	if (getrlimit(RLIMIT_NOFILE, found) < 0)
		return 0;
	raised.rlim_max = found->rlim_max < LEAST ? LEAST : found->rlim_max; /* only root may raise the hard limit */
	raised.rlim_cur = raised.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &raised) == 0 || found->rlim_cur >= LEAST)
		return 0;
	error_set(e, EMFILE, "the limit of open files is too low: pfmstat needs %d, but no more than %llu may be open",
		  LEAST, (unsigned long long)found->rlim_max);
	return error_hint(e, "raise the limit: ulimit -Hn %d, as root", SPARE);
}

void descriptors_explain(struct error *e)
{
	struct rlimit limit;

	if (e->code == EMFILE && !*e->hint && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		error_hint(e, "no more than %llu files may be open: raise the limit (ulimit -Hn, as root)",
			   (unsigned long long)limit.rlim_cur);
}

size_t descriptor_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
