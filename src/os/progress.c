#include "os/progress.h"

#include <string.h>

#include "lib/util.h"
#include "os/descriptors.h"

#define BAR 10 /* columns */

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

/* "[####......] run 5 of 10, 14 s left: 3.21 ms" */
static void put_progress(FILE *out, const struct progress *p, const char *what, unsigned long done, unsigned long total)
{
	double seconds = (double)(clock_now() - p->began) / 1e9;

	if (total && !p->at_most)
		fprintf(out, "[%.*s%.*s] ", (int)(BAR * done / total), "##########", BAR - (int)(BAR * done / total),
			"..........");
	fprintf(out, "%s %lu", what, done + 1);
	if (!total)
		return;
	fprintf(out, " of %s%lu", p->at_most ? "at most " : "", total);
	if (!done || total <= done || p->at_most)
		return;
	/* assuming that the remaining runs take as long as the finished ones */
	seconds *= (double)(total - done) / (double)done;
	fprintf(out, ", %.0f %s left", seconds >= 100 ? seconds / 60 : seconds, seconds >= 100 ? "min" : "s");
}

void progress_show(const struct progress *p, const char *what, unsigned long done, unsigned long total,
		   const char *estimate)
{
	size_t width, columns = descriptor_columns(STDERR_FILENO);
	auto_free char *text = NULL;
	FILE *out;

	if (!p->enabled)
		return;
	out = xopen_memstream(&text, &width);
	put_progress(out, p, what, done, total);
	fprintf(out, "%s%s", *estimate ? ": " : "", estimate);
	fclose(out);
	columns = columns ? columns : 80;
	if (width + 1 >= columns) /* a wrapped line could not be cleared */
		return;
	dprintf(STDERR_FILENO, "\0337\033[%zuG%s\0338", columns - width, text); /* the cursor stays where it is */
}

void progress_clear(const struct progress *p)
{
	if (p->enabled)
		write_terminal("\033[K");
}
