/* Files for services. Services that keep benchmarks over commits get values of the whole run, in Bencher Metric Format
 * or in the custom format of github-action-benchmark. Services that show jobs get the conditions of --fail-if: as test
 * cases in JUnit's XML, which has no specification, or as commands of GitHub's workflows. */
#include <string.h>

#include "compare/differences.h"
#include "lib/json.h"
#include "lib/text.h"
#include "report/report_internal.h"

#define BENCHMARK_MOST 1024 /* of Bencher's names */
#define MEASURE_MOST   64

/* The fields of each value. */
typedef void put_service_value(struct json *j, const char *command, const struct row *row);

/* The values of a service, and the values that it cannot use. */
struct service {
	put_service_value *put;
	report_unusable *is_unusable; /* or NULL */
};

/* True if the next run has a value of the same name to compare. */
static bool is_comparable(const struct report *report, const struct row *row, unsigned command)
{
	return row->command == command && row->run == 0 && !row_is_part(row) && isnan(row->time) &&
	       row_is_comparable(row) && !(row->item->kind == ITEM_COUNT && report->options.metric_only) &&
	       !subject_is_process(row->subject) && row_has_value(row) && row_is_known(row) && !row_is_chance(row);
}

static char *command_name(const struct result *result, unsigned command)
{
	char *name = report_command_text(result, command);

	if (*name || !result->session.target)
		return name;
	free(name);
	return text_safe(result->session.target);
}

/* The first row of each name. */
static void put_row(struct json *j, const char *command, const struct row *row, const struct service *service,
		    struct strings *seen)
{
	auto_free char *name = report_counted_text(row);

	if (strings_has(seen, name) || (service->is_unusable && service->is_unusable(row)))
		return;
	strings_add(seen, "%s", name);
	service->put(j, command, row);
}

static void put_command_rows(struct report *report, struct json *j, const struct result *result, unsigned command,
			     const char *name, const struct service *service)
{
	auto_strings struct strings seen = {0};
	struct row clocks[RESULT_CLOCKS];

	for (size_t i = 0; i < result->n; i++)
		if (is_comparable(report, &result->rows[i], command))
			put_row(j, name, &result->rows[i], service, &seen);
	result_clocks(result, clocks);
	for (size_t i = 0; i < RESULT_CLOCKS && result->session.n_commands < 2; i++)
		if (is_comparable(report, &clocks[i], command))
			put_row(j, name, &clocks[i], service, &seen);
}

static unsigned commands_of(const struct result *result)
{
	return result->session.n_commands > 1 ? (unsigned)result->session.n_commands : 1;
}

static void put_value(struct json *j, const struct row *row)
{
	if (row->value.type == VALUE_COUNT)
		json_u64(j, "value", row->value.count);
	else
		json_double(j, "value", row->value.real);
}

/* ---- Bencher Metric Format: benchmark, measure, value ---- */

static void put_measure(struct json *j, const char *command, const struct row *row)
{
	auto_free char *name = report_counted_text(row), *safe = text_safe(name);
	auto_free char *measure = text_shorten(safe, MEASURE_MOST, "...");
	struct interval interval = row_interval(row);

	(void)command;
	json_object_begin(j, measure);
	put_value(j, row);
	if (isfinite(row->error)) {
		json_double(j, "lower_value", interval.low);
		json_double(j, "upper_value", interval.high);
	}
	json_object_end(j);
}

/* Commands may be equal; keys of an object must differ. */
static char *benchmark_name(struct strings *names, const char *command, unsigned number)
{
	auto_free char *text = text_shorten(command, BENCHMARK_MOST - 16, "...");
	char *name = strings_has(names, text) ? xasprintf("%s (%u)", text, number) : xstrdup(text);

	strings_add(names, "%s", name);
	return name;
}

static void bencher_end(struct report *report, const struct result *result)
{
	struct json j = {.out = report->out};
	auto_strings struct strings names = {0};

	json_object_begin(&j, NULL);
	for (unsigned command = 1; command <= commands_of(result); command++) {
		auto_free char *text = command_name(result, command), *name = benchmark_name(&names, text, command);

		if (session_failure(&result->session, command))
			continue;
		json_object_begin(&j, name);
		put_command_rows(report, &j, result, command, name, &(struct service){put_measure, NULL});
		json_object_end(&j);
	}
	json_object_end(&j);
	json_newline(&j);
}

const struct report_ops report_bencher_ops = {.end = bencher_end};

/* ---- github-action-benchmark ---- */

bool report_is_unusable(const struct row *row)
{
	return row->item->kind == ITEM_METRIC || value_real(row->value) == 0;
}

static void put_benchmark(struct json *j, const char *command, const struct row *row)
{
	auto_free char *counted = report_counted_text(row), *safe = text_safe(counted);
	auto_free char *name = xasprintf("%s: %s", command, safe);
	int decimals = isfinite(row->error) ? report_decimals_of_error(row->error, 2) : 0;
	char number[NUMBER_MAX], text[NUMBER_MAX + 8];

	json_object_begin(j, NULL);
	json_string(j, "name", name);
	json_string(j, "unit", *row->item->unit || row->item->kind != ITEM_COUNT ? row->item->unit : "count");
	put_value(j, row);
	if (isfinite(row->error)) {
		snprintf(text, sizeof(text), "± %s", number_fixed(number, row->error, decimals > 0 ? decimals : 0));
		json_string(j, "range", text);
	}
	if (row->spread->n > 1) {
		snprintf(text, sizeof(text), "%u runs", row->spread->n);
		json_string(j, "extra", text);
	}
	json_object_end(j);
}

static void github_benchmark_end(struct report *report, const struct result *result)
{
	const struct service service = {put_benchmark, report->options.metric_only ? NULL : report_is_unusable};
	struct json j = {.out = report->out};
	auto_strings struct strings names = {0};

	json_array_begin(&j, NULL);
	for (unsigned command = 1; command <= commands_of(result); command++) {
		auto_free char *text = command_name(result, command), *name = benchmark_name(&names, text, command);

		if (!session_failure(&result->session, command))
			put_command_rows(report, &j, result, command, name, &service);
	}
	json_array_end(&j);
	json_newline(&j);
}

const struct report_ops report_github_benchmark_ops = {.end = github_benchmark_end};

/* ---- JUnit ---- */

static void put_attribute(FILE *out, const char *name, const char *text)
{
	auto_free char *safe = text_safe(text);

	fprintf(out, " %s=\"", name);
	text_put_xml(out, safe);
	putc('"', out);
}

/* The report's sentence on the difference, if it is certain. */
static char *details_of(const struct report *report, const struct result *result, const struct judgement *j)
{
	char *text = NULL;

	if (j->failed && result->rows[j->row].difference->verdict != VERDICT_UNKNOWN)
		text = report_verdict_text(report, result, &result->rows[j->row]);
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

/* The mean elapsed time of the command, in seconds. */
static void put_time(FILE *out, const struct result *result, unsigned command)
{
	char buf[NUMBER_MAX];

	for (size_t i = 0; i < result->n; i++) {
		const struct row *row = &result->rows[i];

		if (row->command == command && row->run == 0 && row_clock(row) == CLOCK_DURATION &&
		    row_has_value(row)) {
			put_attribute(out, "time", number_fixed(buf, value_real(row->value) / 1e9, 6));
			return;
		}
	}
}

static void put_case(struct report *report, const struct result *result, const struct judgement *j)
{
	auto_free char *command = report_command_text(result, j->command);
	bool several = result->session.n_commands > 2;
	auto_free char *name = xasprintf(several ? "%s (command %u)" : "%s", j->text, j->command);
	auto_free char *message = report_judgement_text(report, result, j), *details = details_of(report, result, j);
	FILE *out = report->out;

	fputs("    <testcase", out);
	put_attribute(out, "classname", command);
	put_attribute(out, "name", name);
	put_time(out, result, j->command);
	putc('>', out);
	if (j->why || j->failed)
		put_outcome(out, j->run_failed ? "error" : j->why ? "skipped" : "failure", message, details);
	fputs("</testcase>\n", out);
}

static void junit_end(struct report *report, const struct result *result)
{
	size_t failures = 0, errors = 0, skipped = 0;
	auto_free char *counts = NULL;

	for (size_t i = 0; i < result->n_judgements; i++) {
		errors += result->judgements[i].run_failed;
		skipped += result->judgements[i].why && !result->judgements[i].run_failed;
		failures += result->judgements[i].failed;
	}
	counts = xasprintf("name=\"pfmstat\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
			   result->n_judgements, failures, errors, skipped);
	fprintf(report->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n  <testsuite %s>\n", counts,
		counts);
	for (size_t i = 0; i < result->n_judgements; i++)
		put_case(report, result, &result->judgements[i]);
	fputs("  </testsuite>\n</testsuites>\n", report->out);
}

const struct report_ops report_junit_ops = {.end = junit_end};

/* ---- GitHub ---- */

/* A line feed would end the command, and the text after it could be another command. */
static char *escaped(const char *text)
{
	static const char *const codes[128] = {['%'] = "%25", ['\r'] = "%0D", ['\n'] = "%0A"};
	auto_free char *plain = NULL;
	size_t size;
	FILE *out = xopen_memstream(&plain, &size);

	text_put_coded(out, text, codes);
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
