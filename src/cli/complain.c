#include "cli/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "cli/options.h"
#include "lib/util.h"
#include "os/descriptors.h"
#include "os/writer.h"

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

#define READER_MS 2000

#define LINE_MOST 300 /* bytes of a shell command line that a hint repeats */

/* Standard error may be a pipe without a reader. */
int complain_of(const struct error *e, enum color_when color)
{
	auto_free char *text = NULL;
	struct error explained = *e;
	struct writer writer;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	int copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	descriptors_explain(&explained);
	error_print(out, &explained, color_is_on(color, STDERR_FILENO));
	fclose(out);
	writer_open(&writer, copy >= 0 ? copy : STDERR_FILENO, NULL); /* the error may be a lack of descriptors */
	writer_put(&writer, text, size);
	writer_drain(&writer, READER_MS);
	writer_close(&writer);
	return EXIT_FAILED;
}

/* A command in one word, as hyperfine takes it. */
static void hint_at_shell(struct error *e, const char *line)
{
	auto_free char *quoted = xcalloc(strlen(line), strlen("'\\''") + 1);
	char *to = quoted;

	for (const char *c = line; *c; c++)
		to = *c == '\'' ? stpcpy(to, "'\\''") : (char *)memcpy(to, c, 1) + 1;
	error_hint(e, "a command in one word needs a shell: pfmstat sh -c '%s' (::: begins another command)",
		   strlen(quoted) <= LINE_MOST ? quoted : "...");
}

int complain_of_exec(const char *name, int error, enum color_when color)
{
	struct error e;

	error_set(&e, error, "cannot run '%s': %s", name, strerror(error));
	if (error == ENOENT && strchr(name, '/') && access(name, F_OK) == 0)
		error_hint(&e, "the file exists, but its interpreter (on its #! line) or its loader does not");
	else if ((error == ENOENT || error == ENAMETOOLONG) && strpbrk(name, " |;>"))
		hint_at_shell(&e, name);
	complain_of(&e, color);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int stdout_finish(int status)
{
	/* The rest of a long text may be written even if an earlier part failed. */
	bool failed = ferror(stdout);
	struct error e;

	if (fclose(stdout) == 0 && !failed)
		return status;
	error_set(&e, errno, "standard output: %s", strerror(errno));
	error_print(stderr, &e, false);
	return EXIT_FAILED;
}
