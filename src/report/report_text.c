/* A row as displayed for people, and for programs made for perf stat: numbers in suitable units, and names. */
#include <string.h>

#include "compare/differences.h"
#include "lib/text.h"
#include "metric/metric.h"
#include "report/report_internal.h"
#include "rows/usual_ratios.h"

/* Metrics from here on, and below SMALL, have an exponent. */
#define LARGE 1e15
#define SMALL 1e-4

#define LONG_NS 1e5 /* 0.10 msec */

int report_decimals(double value, int least)
{
	double size = fabs(value);
	int decimals = 2;

	if (!isfinite(size) || size == 0)
		return least;
	if (size >= LARGE || size < SMALL)
		return -2;
	while (size < 1) {
		size *= 10;
		decimals++;
	}
	while (size >= 10 && decimals > 0) {
		size /= 10;
		decimals--;
	}
	return decimals > least ? decimals : least;
}

/* Returns the first n bytes of its name, and the mode in which it was counted if the name does not contain it. */
static char *name_with_mode(const struct row *row, size_t n)
{
	const char *mode = !row->user_only ? "" : n && row->item->name[n - 1] == '/' ? "u" : ":u";
	char *text = xmalloc(n + strlen(mode) + 1);

	strcpy(mempcpy(text, row->item->name, n), mode);
	return text;
}

char *report_name_text(const struct row *row)
{
	return name_with_mode(row, strlen(row->item->name));
}

char *report_event_text(const struct row *row)
{
	size_t n = strlen(row->item->name);

	while (n && row->item->name[n - 1] == ' ')
		n--;
	return name_with_mode(row, n);
}

const char *report_threshold_mark(struct report *report, const struct row *row)
{
	bool beyond = row->threshold == THRESHOLD_BEYOND && row_has_value(row);

	report->beyond_seen |= beyond;
	return beyond ? "!" : "";
}

bool report_is_none(const struct row *row)
{
	return row->item->kind == ITEM_METRIC && !row_has_value(row);
}

const char *report_metric_number(char buf[NUMBER_MAX], const struct number_style *style, const struct metric_text *text)
{
	if (isnan(text->value))
		return style ? "none" : "nan";
	if (style)
		return number_real(buf, style, text->value, text->decimals);
	return number_fixed(buf, text->value, text->decimals >= 0 ? text->decimals : fabs(text->value) < 1 ? -6 : 1);
}

struct metric_text report_metric_text(const struct row *row)
{
	const struct usual_ratio *ratio = row->item->usual;
	struct metric_text text = {value_real(row->value), 3, "", "", row->item->name, "", 1};
	bool percent;

	if (ratio) {
		text.value *= ratio->display;
		text.decimals = ratio->decimals;
		text.suffix = ratio->suffix;
		text.label = ratio->label;
		if (ratio->prefixed)
			text.prefix = number_prefix(&text.value);
	} else if (row->item->metric) {
		percent = strcmp(row->item->metric->unit, "%") == 0;
		text.unit = row->item->metric->unit;
		text.decimals = report_decimals(text.value, percent || fabs(text.value) >= 100 ? 1 : 2);
		text.suffix = percent ? "%" : "";
	}
	text.value = isfinite(text.value) ? text.value + 0.0 : NAN; /* also turns -0 into 0 */
	return text;
}

struct metric_text report_metric_beside(const struct row *row)
{
	struct metric_text text = report_metric_text(row);

	if (strcmp(text.unit, "ns") != 0 || !(fabs(text.value) >= LONG_NS))
		return text;
	text.divisor = 1e6;
	text.value /= text.divisor;
	text.decimals = 2;
	text.unit = "msec";
	return text;
}

char *report_metric_error(const struct report *report, const struct row *row, const struct metric_text *text)
{
	double error = row->error / text->divisor, least = 0.5; /* a smaller value would be shown as 0 */
	int decimals = text->decimals;
	char buf[NUMBER_MAX];

	if (!row->item->metric || !row_has_value(row) || (isnan(row->error) && row->status != STATUS_SCALED))
		return xstrdup("");
	if (isnan(row->error))
		return xasprintf(" %s unknown", report->plus_minus);
	for (int i = 0; i < decimals; i++)
		least /= 10;
	if (decimals < 0 || error < least)
		decimals = report_decimals(error, decimals < 0 ? 2 : decimals);
	number_real(buf, &report->style, error, decimals);
	return xasprintf(" %s %s", report->plus_minus, buf);
}

char *report_metric_label(const struct metric_text *text)
{
	return xasprintf("%s%s%s%s", text->unit, *text->unit ? "  " : "", text->prefix, text->label);
}

struct count_text report_count_text(const struct row *row)
{
	double value = value_real(row->value);
	bool at_least = row->status == STATUS_PARTIAL, whole;

	/* perf shows its tool events and tracepoints in ns */
	if (row->item->event && event_is_clock(row->item->event) && row->item->event->tool == TOOL_NONE &&
	    row->item->event->source != EVENT_TRACEPOINT)
		return (struct count_text){.real = value / 1e6, .decimals = 2, .at_least = at_least, .unit = "msec"};
	if (row->item->event && row->item->event->tool == TOOL_TREE_RSS)
		return (struct count_text){.real = value / 1e6, .decimals = 2, .at_least = at_least, .unit = "MB"};
	if (row->value.type == VALUE_COUNT)
		return (struct count_text){
			.whole = true, .count = row->value.count, .at_least = at_least, .unit = row->item->unit};
	/* the mean of counts, but not of values with a fraction as the PMU's scale, has three digits; otherwise, a
	 * single event in one of ten runs would be shown as 0 */
	whole = !row->item->event || number_is_whole(row->item->event->scale);
	if (whole && (!*row->item->unit || row_is_time(row) || (row->item->event && row->item->event->scale > 1)))
		return (struct count_text){.real = value,
					   .decimals = number_is_whole(value) ? 0 : report_decimals(value, 0),
					   .mean = true,
					   .at_least = at_least,
					   .unit = row->item->unit};
	return (struct count_text){.real = value, .decimals = 2, .at_least = at_least, .unit = row->item->unit};
}

const char *report_at_least(const struct number_style *style, bool at_least)
{
	return !at_least ? "" : style->utf8 ? "≥" : ">=";
}

const char *report_number(char buf[NUMBER_MAX], const struct number_style *style, const struct count_text *text)
{
	char number[NUMBER_MAX];
	const char *digits;

	if (!style)
		return text->whole ? number_u64(buf, text->count) : number_fixed(buf, text->real, text->decimals);
	digits = text->whole ? number_count(number, style, text->count)
			     : number_real(number, style, text->real, text->decimals);
	if (!text->at_least)
		return strcpy(buf, digits);
	snprintf(buf, NUMBER_MAX, "%s%s", report_at_least(style, true), digits);
	return buf;
}

const char *report_count_number(char buf[NUMBER_MAX], const struct report *report, const struct row *row)
{
	struct count_text text = report_count_text(row);

	if (text.mean && !report->options.verbose) {
		text.decimals = 0;
		if (text.real > 0 && text.real <= 0.5)
			return ">0";
	}
	return report_number(buf, &report->style, &text);
}

char *report_program_text(const char *name)
{
	static const char *const codes[128] = {['\\'] = "\\x5c"};
	bool alike = strcmp(name, "(idle)") == 0 || strcmp(name, "(unattributed)") == 0 || subject_id_is_others(name);
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	fputs(alike ? "\\x28" : "", out);
	text_put_coded(out, name + alike, codes);
	fclose(out);
	return text;
}

char *report_subject_text(const struct row *row)
{
	if (row->subject->scope == AGGR_TOTAL || row->subject->scope == AGGR_CGROUP)
		return NULL;
	if (row->subject->scope == AGGR_CPU)
		return xasprintf("CPU%s", row->subject->id);
	if (row->subject->comm && subject_is_process(row->subject)) {
		if (row->subject->pid)
			return xasprintf("%s-%s", row->subject->comm, row->subject->id);
		if (!row->spread->n && (row->subject->scope == AGGR_THREAD ||
					strcmp(row->subject->id, "0") == 0)) /* "(idle)-0", as comm-tid */
			return xasprintf("%s-0", row->subject->comm);
	}
	return row->subject->scope == AGGR_COMM && row->subject->comm ? report_program_text(row->subject->comm)
								      : xstrdup(row->subject->id);
}

const char *report_label(const struct result *result, unsigned command)
{
	const struct session *session = &result->session;

	return session->labels && command >= 1 && command <= session->n_commands ? session->labels[command - 1] : NULL;
}

enum color_role report_verdict_color(const struct difference *difference)
{
	static const enum color_role colors[] = {
		[VERDICT_SAME] = COLOR_FAINT,        [VERDICT_LESS] = COLOR_BETTER,
		[VERDICT_MORE] = COLOR_WORSE,        [VERDICT_UNDECIDED] = COLOR_UNDECIDED,
		[VERDICT_UNKNOWN] = COLOR_UNDECIDED,
	};

	return colors[difference->verdict];
}

double report_running_share(struct sample raw)
{
	double share;

	if (raw.running >= raw.enabled)
		return 100;
	if (raw.running == 0)
		return 0;
	share = 100.0 * (double)raw.running / (double)raw.enabled;
	return share < 0.01 ? 0.01 : share > 99.99 ? 99.99 : share;
}

double report_relative_error(const struct row *row)
{
	double mean = value_real(row->value);

	if (!status_has_value(row->status) || row->spread->n == 0 || !isfinite(row->spread->stddev) || mean == 0)
		return 0;
	return 100 * row->spread->stddev / sqrt(row->spread->n) / fabs(mean);
}

char *report_relative_error_text(const struct report *report, const struct row *row)
{
	char buf[NUMBER_MAX];

	return xasprintf("( +-%6s%% )", number_real(buf, &report->style, report_relative_error(row), 2));
}
