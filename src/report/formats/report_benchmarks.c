/* Files for services that keep benchmarks over commits: Bencher Metric Format, and the custom format of
 * github-action-benchmark. Both have the figures of the whole run that have a name in the next run, too. */
#include <string.h>

#include "lib/json.h"
#include "lib/text.h"
#include "report/report_internal.h"

#define BENCHMARK_MOST 1024 /* of Bencher's names */
#define MEASURE_MOST   64

/* What is written of each figure. */
typedef void put_figure(struct json *j, const char *command, const struct row *row);

/* Processes and threads have other ids in the next run. Neither lower bounds nor chance are figures to compare. */
static bool is_figure(const struct report *report, const struct row *row, unsigned command)
{
	return row->command == command && row->run == 0 && isnan(row->time) &&
	       (row->formula || (row->kind == ROW_COUNT && !report->options.metric_only)) &&
	       row->scope != AGGR_PROCESS && row->scope != AGGR_THREAD && row_has_value(row) && row_is_known(row) &&
	       !row_is_chance(row);
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
static void put_row(struct json *j, const char *command, const struct row *row, put_figure *put, struct strings *seen)
{
	auto_free char *name = report_counted_text(row);

	if (strings_has(seen, name))
		return;
	strings_add(seen, "%s", name);
	put(j, command, row);
}

static void put_command(struct report *report, struct json *j, const struct result *result, unsigned command,
			const char *name, put_figure *put)
{
	auto_strings struct strings seen = {0};
	struct row clocks[RESULT_CLOCKS];

	for (size_t i = 0; i < result->n; i++)
		if (is_figure(report, &result->rows[i], command))
			put_row(j, name, &result->rows[i], put, &seen);
	result_clocks(result, clocks);
	for (size_t i = 0; i < RESULT_CLOCKS && result->session.n_commands < 2; i++)
		if (is_figure(report, &clocks[i], command))
			put_row(j, name, &clocks[i], put, &seen);
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
	double value = value_real(row->value);

	(void)command;
	json_object_begin(j, measure);
	put_value(j, row);
	if (isfinite(row->error)) {
		json_double(j, "lower_value",
			    number_larger(value - row->error, row->kind == ROW_COUNT ? 0 : -INFINITY));
		json_double(j, "upper_value", value + row->error);
	}
	json_object_end(j);
}

/* Commands may be alike; keys of an object may not. */
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

		json_object_begin(&j, name);
		put_command(report, &j, result, command, name, put_measure);
		json_object_end(&j);
	}
	json_object_end(&j);
	json_newline(&j);
}

const struct report_ops report_bencher_ops = {.end = bencher_end};

/* ---- github-action-benchmark ---- */

static void put_benchmark(struct json *j, const char *command, const struct row *row)
{
	auto_free char *counted = report_counted_text(row), *safe = text_safe(counted);
	auto_free char *name = xasprintf("%s: %s", command, safe);
	int decimals = isfinite(row->error) ? report_decimals_of_error(row->error, 2) : 0;
	char number[NUMBER_MAX], text[NUMBER_MAX + 8];

	json_object_begin(j, NULL);
	json_string(j, "name", name);
	json_string(j, "unit", *row->unit || row->kind != ROW_COUNT ? row->unit : "count");
	put_value(j, row);
	if (isfinite(row->error)) {
		snprintf(text, sizeof(text), "± %s", number_fixed(number, row->error, decimals > 0 ? decimals : 0));
		json_string(j, "range", text);
	}
	if (row->n > 1) {
		snprintf(text, sizeof(text), "%u runs", row->n);
		json_string(j, "extra", text);
	}
	json_object_end(j);
}

static void github_benchmark_end(struct report *report, const struct result *result)
{
	struct json j = {.out = report->out};

	json_array_begin(&j, NULL);
	for (unsigned command = 1; command <= commands_of(result); command++) {
		auto_free char *name = command_name(result, command);

		put_command(report, &j, result, command, name, put_benchmark);
	}
	json_array_end(&j);
	json_newline(&j);
}

const struct report_ops report_github_benchmark_ops = {.end = github_benchmark_end};
