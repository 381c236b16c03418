/* Numbers of a comparison, and of merged reports, for people. */
#include <string.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "metric/metric.h"
#include "report/comparison.h"
#include "report/report_internal.h"
#include "rows/usual_ratios.h"

#define ZEROS_NAMED 5    /* maximal number of events in a note */
#define SMALLEST    1e-4 /* smaller numbers, and those from LARGEST on, have an exponent */
#define LARGEST     1e15
#define SKEWED      0.05 /* of an interval's width */

/* The displayed unit of a row's numbers. */
struct scale {
	double divisor;
	int decimals; /* -1 for a count */
	const char *unit;
};

/* A number below the precision of the decimals is shown as 0: "-0.00" means nothing. */
static const char *put_real(char buf[NUMBER_MAX], const struct report *report, double v, int decimals)
{
	double least = 0.5;

	for (int i = 0; i < decimals; i++)
		least /= 10;
	return number_real(buf, &report->style, decimals >= 0 && fabs(v) < least ? 0 : v, decimals);
}

static struct scale scale_of(const struct row *row)
{
	if (row->usual)
		return (struct scale){1 / row->usual->display, row->usual->decimals,
				      *row->usual->suffix             ? row->usual->suffix
				      : strcmp(row->unit, "GHz") == 0 ? row->unit
								      : ""};
	if (row->metric && strcmp(row->metric->unit, "%") == 0)
		return (struct scale){1, 2, "%"};
	if (row->metric)
		return (struct scale){1, 3, row->unit};
	if (row_is_time(row))
		return (struct scale){1e6, 3, "msec"};
	if (strcmp(row->unit, "B") == 0)
		return (struct scale){1e6, 2, "MB"};
	return (struct scale){1, *row->unit ? 2 : -1, row->unit};
}

static const char *scaled_value(char buf[NUMBER_MAX], const struct report *report, const struct row *row, double v)
{
	struct scale scale = scale_of(row);
	int decimals = scale.decimals;

	if (decimals < 0)
		decimals = number_is_whole(v) || fabs(v) >= 1000 ? 0 : 2;
	if (row->metric)
		decimals = report_decimals(v / scale.divisor, decimals);
	return put_real(buf, report, v / scale.divisor, decimals);
}

static const char *value_text(char buf[NUMBER_MAX], const struct report *report, const struct row *row, struct value v)
{
	if (v.type != VALUE_COUNT || row->metric || scale_of(row).decimals >= 0)
		return scaled_value(buf, report, row, value_real(v));
	return number_count(buf, &report->style, v.count);
}

char *report_value_text(const struct report *report, const struct row *row, struct value v)
{
	char buf[NUMBER_MAX];

	return xstrdup(value_text(buf, report, row, v));
}

char *report_counted_text(const struct row *row)
{
	auto_free char *program = row->scope == AGGR_COMM ? report_subject_text(row) : NULL;
	auto_free char *name = report_event_text(row);
	const char *place = row->scope == AGGR_CGROUP ? "" : program ? program : row->scope_id;

	return xasprintf("%s%s%s%s%s%s", row->scope == AGGR_CPU ? "CPU" : "", place, *place ? " " : "", name,
			 *row->cgroup ? " " : "", row->cgroup);
}

char *report_heading_text(const struct row *row)
{
	const char *unit = scale_of(row).unit;
	auto_free char *counted = report_counted_text(row);

	return xasprintf("%s%s%s", counted, *unit ? ", " : "", unit);
}

char *report_compared_text(const struct row *row)
{
	return row_clock(row) == CLOCK_DURATION ? xstrdup("elapsed time") : report_counted_text(row);
}

char *report_block_heading(const struct comparison_block *block)
{
	struct row like = *block->rows[0];

	like.user_only = block->user_only;
	if (row_clock(&like) == CLOCK_DURATION)
		like.name = "elapsed time";
	return report_heading_text(&like);
}

int report_decimals_of_error(double error, int digits)
{
	int decimals = digits - 1;

	if (!(error > 0) || !isfinite(error))
		return decimals;
	for (; error < 1 && decimals < 6; decimals++)
		error *= 10;
	for (; error >= 10; decimals--)
		error /= 10;
	return decimals;
}

/* Rounds to two digits of the error: 759 with an error of 100 is 760. */
static const char *rounded_mean(char buf[NUMBER_MAX], const struct report *report, const struct row *row)
{
	struct scale scale = scale_of(row);
	int decimals = report_decimals_of_error(row->error / scale.divisor, 2), most = scale.decimals < 0 ? 2 : 6;
	double value = value_real(row->value) / scale.divisor, step = 1;
	int least = report_decimals_of_error(fabs(value), 2);

	decimals = decimals > least ? decimals : least;
	for (int i = decimals; i < 0; i++)
		step *= 10;
	if (decimals < 0)
		value = number_rounded(value / step) * step;
	return put_real(buf, report, value, decimals < 0 ? 0 : decimals < most ? decimals : most);
}

char *report_mean_text(const struct report *report, const struct row *row)
{
	double size = fabs(value_real(row->value)) / scale_of(row).divisor;
	char buf[NUMBER_MAX];

	if (report_is_none(row))
		return xstrdup("none");
	if (row->n > 1 && row->error > 0 && isfinite(row->error) && size >= SMALLEST && size < LARGEST &&
	    !report->options.verbose)
		rounded_mean(buf, report, row);
	else
		value_text(buf, report, row, row->value);
	return xasprintf("%s%s%s", report_at_least(&report->style, row->status == STATUS_PARTIAL),
			 row->approximate ? "~" : "", buf);
}

/* Returns the decimals of a percentage with this error: two digits of the error, but at most two decimals. */
static int percent_decimals(double error)
{
	return error >= 10 ? 0 : error >= 1 ? 1 : 2;
}

bool report_error_is_unknown(const struct row *row)
{
	return row->status == STATUS_SCALED && !row->usual && row_has_value(row) && isnan(row->error);
}

/* decimals -1: chosen for the number. */
static char *error_text(const struct report *report, const struct row *row, int decimals)
{
	double value = value_real(row->value), percent = 100 * row->error / fabs(value);
	char buf[NUMBER_MAX];

	if (report_error_is_unknown(row))
		return xasprintf("%s unknown", report->plus_minus);
	if (isnan(row->error))
		return xstrdup("");
	if (value == 0)
		scaled_value(buf, report, row, row->error);
	else
		number_real(buf, &report->style, percent, decimals < 0 ? percent_decimals(percent) : decimals);
	return xasprintf("%s %s%s", report->plus_minus, buf, value == 0 ? "" : "%");
}

char *report_error_text(const struct report *report, const struct row *row)
{
	return error_text(report, row, -1);
}

char *report_count_error_text(const struct report *report, const struct row *row)
{
	return error_text(report, row, 2);
}

char *report_range_text(const struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], max[NUMBER_MAX];

	if (row->n < 2 || !isfinite(value_real(row->min)) ||
	    !isfinite(value_real(row->max))) /* other programs may have written the report */
		return xstrdup("");
	return xasprintf("%s %s %s", value_text(min, report, row, row->min), report->style.utf8 ? "\u2026" : "..",
			 value_text(max, report, row, row->max));
}

/* "+2.92% ± 0.10%", of shares. */
static char *change_text(const struct report *report, double change, double error_of_it)
{
	char number[NUMBER_MAX], error[NUMBER_MAX];
	int decimals = percent_decimals(100 * error_of_it);
	const char *sign = change >= 0 ? "+" : "";

	put_real(number, report, 100 * change, decimals);
	number_real(error, &report->style, 100 * error_of_it, decimals);
	if (isnan(error_of_it))
		return xasprintf("%s%s%%", sign, number);
	return xasprintf("%s%s%% %s %s%%", sign, number, report->plus_minus, error);
}

/* True if "±" with its two digits would show other ends than those of the interval. */
static bool is_skewed(const struct row *change)
{
	double value = value_real(change->value), below = value - change->low, above = change->high - value;

	return isinf(above) || fabs(above - below) > SKEWED * (above + below);
}

static char *percent_text(const struct report *report, double share)
{
	char number[NUMBER_MAX];

	number_real(number, &report->style, 100 * share, report_decimals(100 * share, 0));
	return xasprintf("%s%s%%", share >= 0 ? "+" : "", number);
}

/* Returns "+2810% (+231% or more)" or "+22% (+2% to +47%)". */
static char *skewed_change_text(const struct report *report, const struct row *change)
{
	auto_free char *mean = percent_text(report, value_real(change->value));
	auto_free char *from = percent_text(report, change->low), *to = percent_text(report, change->high);

	return isinf(change->high) ? xasprintf("%s (%s or more)", mean, from)
				   : xasprintf("%s (%s to %s)", mean, from, to);
}

char *report_difference_text(const struct report *report, const struct result *result, const struct row *count)
{
	const struct row *change = differences_find(result, ROW_CHANGE, count);
	const struct row *row = change ? change : differences_find(result, ROW_DIFFERENCE, count);
	const char *sign = value_real(row->value) >= 0 ? "+" : "";
	char number[NUMBER_MAX], error[NUMBER_MAX];

	if (change && is_skewed(change))
		return skewed_change_text(report, change);
	if (change)
		return change_text(report, value_real(row->value), row->error);
	scaled_value(number, report, count, value_real(row->value));
	scaled_value(error, report, count, row->error);
	if (isnan(row->error))
		return xasprintf("%s%s", sign, number);
	return xasprintf("%s%s %s %s", sign, number, report->plus_minus, error);
}

const char *report_verdict_brief(const struct row *difference)
{
	bool brief = difference->verdict == VERDICT_UNDECIDED || difference->verdict == VERDICT_UNKNOWN;

	return brief ? "undecided" : difference->reason;
}

char *report_culprits_event(const struct result *result, const struct row *whole)
{
	auto_free char *name = report_compared_text(whole);
	const char *label = report_label(result, whole->command);

	if (result->session.n_commands <= 2)
		return xstrdup(name);
	if (label)
		return xasprintf("%s of %s", name, label);
	return xasprintf("%s of %s %u", name, result->session.commands ? "command" : "report", whole->command);
}

const char *report_task_word(enum aggr_mode scope)
{
	return scope == AGGR_COMM ? "program" : scope == AGGR_THREAD ? "thread" : "process";
}

char *report_culprit_name(const struct culprit *c)
{
	return c->count->scope == AGGR_COMM ? report_subject_text(c->count) : xstrdup(c->count->scope_id);
}

char *report_rest_text(const struct report *report, const struct culprits *c)
{
	return isnan(c->rest) ? xstrdup("") : change_text(report, c->rest, c->rest_error);
}

/* Returns " of command 2" or " of reports 1, 3": the commands of the block with this reason; "" if all have it. The
 * caller frees it. */
static char *subject_of(const struct comparison *compared, const struct comparison_block *block, const char *reason)
{
	const char *what = compared->result->session.commands ? "command" : "report";
	auto_strings struct strings numbers = {0};
	auto_free char *text = NULL;

	for (size_t i = 0; i < block->n; i++) {
		const char *other = report_reason_text(block->rows[i]);

		if (other && strcmp(other, reason) == 0)
			strings_add(&numbers, "%u", block->rows[i]->command);
	}
	text = strings_join(&numbers, ", ");
	return numbers.n == block->n ? xstrdup("") : xasprintf(" of %s%s %s", what, numbers.n > 1 ? "s" : "", text);
}

void report_add_compared_reasons(struct report *report, const struct comparison *compared)
{
	for (size_t i = 0; i < compared->n; i++)
		for (size_t k = 0; k < compared->v[i].n; k++) {
			const struct row *row = compared->v[i].rows[k];
			const char *reason = report_reason_text(row);
			auto_free char *subject = reason ? subject_of(compared, &compared->v[i], reason) : NULL;

			if (row->kind == ROW_COUNT || !row_has_value(row))
				report_add_reason_of(report, row, row->name, subject);
			report->approximate_seen |= row->approximate;
			report->unknown_seen |= report_error_is_unknown(row) && !*row->reason;
		}
}

static void note_left_out(struct report *report, const struct comparison *compared)
{
	auto_free char *names = strings_join(&compared->zeros, ", ");

	if (compared->zeros.n > ZEROS_NAMED)
		strings_add(&report->notes, "%zu events are 0 in all runs; -v lists them", compared->zeros.n);
	else if (names)
		strings_add(&report->notes, "0 in all runs: %s", names);
	if (compared->lesser)
		strings_add(&report->notes, "not shown: %zu event%s that changed less (--top)", compared->lesser,
			    compared->lesser == 1 ? "" : "s");
}

void report_compare(struct report *report, struct comparison *compared, const struct result *result)
{
	comparison_make(compared, result);
	report_add_compared_reasons(report, compared); /* including events that the next line leaves out */
	comparison_choose(compared, &report->options);
	note_left_out(report, compared);
	report_list_verdicts(report, compared);
}
