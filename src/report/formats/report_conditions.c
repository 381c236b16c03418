/* The judgements of --fail-if for those who watch jobs: as test cases (JUnit's XML, which is defined only by its
 * readers), and as commands of GitHub's workflows. */
#include <string.h>

#include "lib/text.h"
#include "report/report_internal.h"

/* ---- JUnit ---- */

static void put_attribute(FILE *out, const char *name, const char *text)
{
	auto_free char *safe = text_safe(text);

	fprintf(out, " %s=\"", name);
	text_put_xml(out, safe);
	putc('"', out);
}

/* Returns the report's sentence on the difference, if it is certain. */
static char *details_of(const struct report *report, const struct result *result, const struct judgement *j)
{
	char *text = NULL;

	if (j->failed && result->rows[j->row].verdict != VERDICT_UNKNOWN)
		text = report_verdict_text(report, result, &result->rows[result->rows[j->row].of]);
	return text ? text : report_judgement_text(report, result, j);
}

/* GitLab shows the text of an element, others its message. */
static void put_outcome(FILE *out, const char *element, const char *message, const char *details)
{
	auto_free char *safe = text_safe(details);

	fprintf(out, "<%s", element);
	put_attribute(out, "message", message);
	putc('>', out);
	text_put_xml(out, safe);
	fprintf(out, "</%s>", element);
}

static void put_case(struct report *report, const struct result *result, const struct judgement *j)
{
	auto_free char *command = report_command_text(result, j->command);
	auto_free char *message = report_judgement_text(report, result, j), *details = details_of(report, result, j);
	FILE *out = report->out;

	fputs("    <testcase", out);
	put_attribute(out, "classname", command);
	put_attribute(out, "name", j->text);
	putc('>', out);
	if (j->why || j->failed)
		put_outcome(out, j->why ? "skipped" : "failure", message, details);
	fputs("</testcase>\n", out);
}

static void junit_end(struct report *report, const struct result *result)
{
	size_t failures = 0, skipped = 0;
	auto_free char *counts = NULL;

	for (size_t i = 0; i < result->n_judgements; i++) {
		skipped += result->judgements[i].why != NULL;
		failures += result->judgements[i].failed;
	}
	counts = xasprintf("name=\"pfmstat\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"",
			   result->n_judgements, failures, skipped);
	fprintf(report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite %s>\n", counts,
		counts);
	for (size_t i = 0; i < result->n_judgements; i++)
		put_case(report, result, &result->judgements[i]);
	fputs("  </testsuite>\n</testsuites>\n", report->out);
}

const struct report_ops report_junit_ops = {.end = junit_end};

/* ---- GitHub ---- */

/* A line feed would end the command, and what follows it could be another one. */
static char *escaped(const char *text)
{
	static const char *const codes[] = {['%'] = "%25", ['\r'] = "%0D", ['\n'] = "%0A"};
	auto_free char *plain = NULL;
	size_t size;
	FILE *out = xopen_memstream(&plain, &size);

	for (const char *c = text; *c; c++) {
		const unsigned char byte = (unsigned char)*c;

		if (byte < ARRAY_SIZE(codes) && codes[byte])
			fputs(codes[byte], out);
		else
			putc(*c, out);
	}
	fclose(out);
	return text_safe(plain);
}

static void github_end(struct report *report, const struct result *result)
{
	for (size_t i = 0; i < result->n_judgements; i++) {
		const struct judgement *j = &result->judgements[i];
		auto_free char *text = report_judgement_text(report, result, j), *message = escaped(text);

		fprintf(report->out, "::%s title=pfmstat::%s %s\n", j->why || j->failed ? "error" : "notice",
			report_judgement_word(j), message);
	}
}

const struct report_ops report_github_ops = {.end = github_end};
