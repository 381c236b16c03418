#include "run/command_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/util.h"

static int open_one(int *fd, const char *option, const char *path, int flags, struct error *e)
{
	*fd = open(path, flags | O_CLOEXEC, 0666);
	return *fd < 0 ? error_set(e, errno, "--%s: cannot open '%s': %s", option, path, strerror(errno)) : 0;
}

/* Opens an input without data: /dev/null, or in a root without it a pipe that nobody writes to. */
static int open_nothing(int *fd, struct error *e)
{
	int ends[2];

	*fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(e, errno, "cannot make an empty input: %s", strerror(errno));
	close(ends[1]);
	*fd = ends[0];
	return 0;
}

/* Returns the offset at which each run begins to read; -1 for a file without one. */
static off_t start_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
}

int command_files_open(struct child_files *files, const char *input, const char *output, bool several, struct error *e)
{
	int error = 0;

	*files = CHILD_FILES_INHERITED;
	files->start = several ? start_of(STDIN_FILENO) : -1;
	if (!input && several && files->start < 0 && !isatty(STDIN_FILENO))
		error = open_nothing(&files->input, e);
	if (input) {
		error = open_one(&files->input, "input", input, O_RDONLY, e);
		files->start = start_of(files->input);
	}
	if (error == 0 && output)
		error = open_one(&files->output, "command-output", output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, e);
	return error;
}

void command_files_close(struct child_files *files)
{
	if (files->input >= 0)
		close(files->input);
	if (files->output >= 0)
		close(files->output);
	*files = CHILD_FILES_INHERITED;
}
