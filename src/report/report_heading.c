/* What stands above the table: when it was started, and what was counted. */
#include <string.h>
#include <time.h>

#include "report/report_internal.h"

static void put_target(FILE *out, const struct session *session)
{
	if (session->target || !session->command) {
		report_put_safe(out, session->target ? session->target : "'system wide'");
		return;
	}
	putc('\'', out);
	for (char *const *word = session->command; *word; word++) {
		if (word != session->command)
			putc(' ', out);
		report_put_safe(out, *word);
	}
	putc('\'', out);
}

void report_put_heading(struct report *report, const struct session *session)
{
	fputs("\n Performance counter stats for ", report->out);
	put_target(report->out, session);
	if (session->runs > 1)
		fprintf(report->out, " (%u runs)", session->runs);
	fputs(":\n\n", report->out);
	report->heading_done = true;
}

void report_put_started(struct report *report, const struct result *result)
{
	time_t seconds = (time_t)result->session.start_time;
	char text[64];
	struct tm tm;

	if (!report->options.path || strcmp(report->options.path, "-") == 0)
		return;
	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		fprintf(report->out, "# started on %s\n", text);
}
