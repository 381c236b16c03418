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

/* The displayed unit of a row's numbers. */
struct scale {
	double divisor;
	int decimals; /* -1 for a count */
	const char *unit;
};

const char *report_real(char buf[NUMBER_MAX], const struct report *report, double v, int decimals)
{
	double least = 0.5;

	for (int i = 0; i < decimals; i++)
		least /= 10;
	return number_real(buf, &report->style, decimals >= 0 && fabs(v) < least ? 0 : v, decimals);
}

static struct scale scale_of(const struct row *row)
{
	if (row->item->usual)
		return (struct scale){1 / row->item->usual->display, row->item->usual->decimals,
				      *row->item->usual->suffix             ? row->item->usual->suffix
				      : strcmp(row->item->unit, "GHz") == 0 ? row->item->unit
									    : ""};
	if (row->item->metric && strcmp(row->item->metric->unit, "%") == 0)
		return (struct scale){1, 2, "%"};
	if (row->item->metric)
		return (struct scale){1, 3, row->item->unit};
	if (row_is_time(row))
		return (struct scale){1e6, 3, "msec"};
	if (strcmp(row->item->unit, "B") == 0)
		return (struct scale){1e6, 2, "MB"};
	return (struct scale){1, *row->item->unit ? 2 : -1, row->item->unit};
}

static const char *scaled_value(char buf[NUMBER_MAX], const struct report *report, const struct row *row, double v)
{
	struct scale scale = scale_of(row);
	int decimals = scale.decimals;

	if (decimals < 0)
		decimals = number_is_whole(v) || fabs(v) >= 1000 ? 0 : 2;
	if (row->item->metric)
		decimals = report_decimals(v / scale.divisor, decimals);
	return report_real(buf, report, v / scale.divisor, decimals);
}

static const char *value_text(char buf[NUMBER_MAX], const struct report *report, const struct row *row, struct value v)
{
	if (v.type != VALUE_COUNT || row->item->metric || scale_of(row).decimals >= 0)
		return scaled_value(buf, report, row, value_real(v));
	return number_count(buf, &report->style, v.count);
}

char *report_value_text(const struct report *report, const struct row *row, struct value v)
{
	char buf[NUMBER_MAX];

	return xstrdup(value_text(buf, report, row, v));
}

char *report_signed_text(const struct report *report, const struct row *row, double v)
{
	char buf[NUMBER_MAX];

	scaled_value(buf, report, row, v);
	return xasprintf("%s%s", *buf == '-' ? "" : "+", buf);
}

char *report_counted_text(const struct row *row)
{
	auto_free char *program = row->subject->scope == AGGR_COMM ? report_subject_text(row) : NULL;
	auto_free char *name = report_event_text(row);
	const char *place = row->subject->scope == AGGR_CGROUP ? "" : program ? program : row->subject->id;

	return xasprintf("%s%s%s%s%s%s", row->subject->scope == AGGR_CPU ? "CPU" : "", place, *place ? " " : "", name,
			 *row->subject->cgroup ? " " : "", row->subject->cgroup);
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
	struct item item = *like.item;

	like.user_only = block->user_only;
	like.item = &item;
	if (row_clock(&like) == CLOCK_DURATION)
		item.name = "elapsed time";
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
	return report_real(buf, report, value, decimals < 0 ? 0 : decimals < most ? decimals : most);
}

char *report_mean_text(const struct report *report, const struct row *row)
{
	double size = fabs(value_real(row->value)) / scale_of(row).divisor;
	char buf[NUMBER_MAX];

	if (report_is_none(row))
		return xstrdup("none");
	if (!status_has_value(row->status))
		return xasprintf("<%s>", status_name(row->status));
	if (row->spread->n > 1 && row->error > 0 && isfinite(row->error) && size >= SMALLEST && size < LARGEST &&
	    !report->options.verbose)
		rounded_mean(buf, report, row);
	else
		value_text(buf, report, row, row->value);
	return xasprintf("%s%s%s", report_at_least(&report->style, row->status == STATUS_PARTIAL),
			 row->approximate ? "~" : "", buf);
}

int report_percent_decimals(double error)
{
	return error >= 10 ? 0 : error >= 1 ? 1 : 2;
}

bool report_error_is_unknown(const struct row *row)
{
	return row->status == STATUS_SCALED && !row->item->usual && row_has_value(row) && isnan(row->error);
}

static const char *count_error(char buf[NUMBER_MAX], const struct report *report, const struct row *row)
{
	struct row like = *row;
	struct count_text text;

	like.value = (struct value){.type = VALUE_REAL, .real = row->error};
	text = report_count_text(&like);
	text.at_least = false;
	return report_number(buf, &report->style, &text);
}

/* decimals -1: chosen for the number. of_count: the value is shown as report_count_text. */
static char *error_text(const struct report *report, const struct row *row, int decimals, bool of_count)
{
	double value = value_real(row->value), percent = 100 * row->error / fabs(value);
	char buf[NUMBER_MAX];

	if (report_error_is_unknown(row))
		return xasprintf("%s unknown", report->plus_minus);
	if (isnan(row->error))
		return xstrdup("");
	if (value != 0 && percent > 100) /* a number would suggest that it is about this value */
		return xstrdup("hardly known");
	if (row->error == 0)
		return xasprintf("%s 0", report->plus_minus);
	if (value == 0 && of_count)
		count_error(buf, report, row);
	else if (value == 0)
		scaled_value(buf, report, row, row->error);
	else
		number_real(buf, &report->style, percent, decimals < 0 ? report_percent_decimals(percent) : decimals);
	return xasprintf("%s %s%s", report->plus_minus, buf, value == 0 ? "" : "%");
}

char *report_error_text(const struct report *report, const struct row *row)
{
	return error_text(report, row, -1, false);
}

char *report_count_error_text(const struct report *report, const struct row *row, int decimals)
{
	return error_text(report, row, decimals, true);
}

char *report_range_text(const struct report *report, const struct row *row)
{
	char min[NUMBER_MAX], max[NUMBER_MAX];

	if (row->spread->n < 2 || !isfinite(value_real(row->spread->min)) ||
	    !isfinite(value_real(row->spread->max))) /* other programs may have written the report */
		return xstrdup("");
	return xasprintf("%s %s %s", value_text(min, report, row, row->spread->min), report_ellipsis(report),
			 value_text(max, report, row, row->spread->max));
}

const char *report_verdict_brief(const struct difference *difference)
{
	bool brief = difference->verdict == VERDICT_UNDECIDED || difference->verdict == VERDICT_UNKNOWN;

	return brief ? "undecided" : difference->text;
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

char *report_culprit_name(const struct culprit *c)
{
	return c->count->subject->scope == AGGR_COMM ? report_subject_text(c->count) : xstrdup(c->count->subject->id);
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

			if (row->item->kind == ITEM_COUNT || !row_has_value(row))
				report_add_reason_of(report, row, row->item->name, subject);
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
	comparison_make(compared, result, report->options.verbose);
	report_add_compared_reasons(report, compared); /* including events that the next line leaves out */
	comparison_choose(compared, &report->options);
	note_left_out(report, compared);
	report_make_answers(report, compared);
}
