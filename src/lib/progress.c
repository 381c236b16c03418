#include "lib/progress.h"

#include <string.h>
#include <sys/ioctl.h>

#include "lib/util.h"

void progress_init(struct progress *p)
{
	const char *terminal = getenv("TERM");

	*p = (struct progress){.began = clock_now()};
	p->enabled = isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static void write_terminal(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void)ignored;
}

void progress_show(const struct progress *p, const char *what, unsigned long done, unsigned long total)
{
	char text[128], left[48] = "", line[256];
	struct winsize size;
	size_t width, columns = 80;

	if (!p->enabled)
		return;
	if (total && done && total > done && !p->at_most) { /* if the runs to come take as long as those made */
		double seconds = (double)(clock_now() - p->began) / 1e9 * (double)(total - done) / (double)done;
		bool long_wait = seconds >= 100;

		snprintf(left, sizeof(left), ", %.0f %s left", long_wait ? seconds / 60 : seconds,
			 long_wait ? "min" : "s");
	}
	if (total)
		snprintf(text, sizeof(text), "%s %lu of %s%lu%s", what, done + 1, p->at_most ? "at most " : "", total,
			 left);
	else
		snprintf(text, sizeof(text), "%s %lu, ^C ends", what, done + 1);
	width = strlen(text);
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		columns = size.ws_col;
	if (width + 1 >= columns) /* it would wrap, and could not be cleared */
		return;
	snprintf(line, sizeof(line), "\0337\033[%zuG%s\0338", columns - width, text); /* the cursor stays */
	write_terminal(line);
}

void progress_clear(const struct progress *p)
{
	if (p->enabled)
		write_terminal("\033[K");
}
