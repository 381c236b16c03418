/* --plot: the intervals of a run as lines, repeated runs as dots with the interval of their mean, a comparison as the
 * intervals of its differences relative to 0. */
#include <string.h>

#include "compare/culprits.h"
#include "compare/differences.h"
#include "report/comparison.h"
#include "report/picture.h"
#include "report/pictures/svg.h"
#include "report/pictures/svg_calls.h"
#include "report/pictures/svg_scan.h"
#include "report/report_internal.h"

#define WIDTH  800.0
#define MARGIN 20.0
#define TOP    56.0 /* below the title */
#define LINE   18.0

/* A line chart. */
#define CHART_HEIGHT 110.0
#define CHART_GAP    46.0
#define LEGEND_WIDTH 80.0

/* Dots of runs. */
#define RUNS_LEFT   220.0
#define RUNS_HEIGHT 64.0

/* Differences. */
#define FOREST_LEFT   270.0
#define FOREST_RIGHT  540.0
#define FOREST_HEIGHT 24.0

/* ---- intervals ---- */

static char *rate_text(const struct report *report, const struct series *series, double rate)
{
	bool clock = row_is_time(&series->of);
	char buf[NUMBER_MAX];
	const char *prefix;

	rate = clock ? rate / 1e9 : rate;
	prefix = number_prefix(&rate);
	return xasprintf("%s %s%s%s", number_real(buf, &report->style, rate, rate < 100 ? 2 : 0), prefix,
			 clock ? "CPUs" : series->of.item->unit, clock ? "" : "/sec");
}

static void draw_line(struct svg *svg, const struct report *report, const struct series *series, double most,
		      double bottom, const char *class)
{
	const struct series_set *set = &report->series;
	double last = set->ends[set->n_ends - 1], width = WIDTH - 2 * MARGIN;
	auto_free double *x = xcalloc(2 * series->n + 1, sizeof(*x)), *y = xcalloc(2 * series->n + 1, sizeof(*y));

	for (size_t i = 0; i < series->n; i++) { /* steps: a rate applies to a whole interval */
		double height = most > 0 ? series->values[i] / most * CHART_HEIGHT : 0;

		x[2 * i] = MARGIN + (i ? set->ends[i - 1] : 0) / last * width;
		x[2 * i + 1] = MARGIN + set->ends[i] / last * width;
		y[2 * i] = y[2 * i + 1] = bottom - height;
	}
	svg_path(svg, x, y, 2 * series->n, class);
}

/* Returns the next series of the same event, from i on, or n. */
static size_t next_of_event(const struct series_set *set, const char *name, size_t i)
{
	while (i < set->n && strcmp(set->v[i].of.item->name, name) != 0)
		i++;
	return i;
}

static void draw_legend_of(struct svg *svg, const struct series *series, size_t i, size_t n, double y)
{
	auto_free char *subject =
		*series->of.subject->cgroup ? xstrdup(series->of.subject->cgroup) : report_subject_text(&series->of);
	double x = WIDTH - MARGIN - LEGEND_WIDTH * (double)(n - i);
	char class[16];

	if (!subject || n > SVG_COLORS)
		return;
	svg_dot(svg, x, y - 4, 4, svg_color_class(class, i));
	svg_text_within(svg, x + 8, y, LEGEND_WIDTH - 16, "faint", "start", subject);
}

/* Draws all subjects of one event in one chart. */
static double draw_chart(struct svg *svg, const struct report *report, size_t first, double top)
{
	const struct series_set *set = &report->series;
	const char *name = set->v[first].of.item->name;
	double bottom = top + LINE + CHART_HEIGHT, most = 0, least = INFINITY;
	auto_free char *rate = NULL, *heading = NULL, *seconds = NULL;
	char buf[NUMBER_MAX], class[16];
	size_t n = 0, drawn = 0;

	for (size_t i = first; i < set->n; i = next_of_event(set, name, i + 1), n++)
		picture_range(set->v[i].values, set->v[i].n, &least, &most);
	rate = rate_text(report, &set->v[first], most);
	heading = xasprintf("%s, up to %s%s", name, rate, row_is_time(&set->v[first].of) ? "" : " of elapsed time");
	svg_text_within(svg, MARGIN, top + 6, WIDTH - 2 * MARGIN - (n <= SVG_COLORS ? LEGEND_WIDTH * (double)n : 0),
			"label", "start", heading);
	svg_line(svg, MARGIN, bottom, WIDTH - MARGIN, bottom, "axis");
	number_real(buf, &report->style, set->ends[set->n_ends - 1], 2);
	number_strip(buf);
	seconds = xasprintf("%s s", buf);
	svg_text(svg, WIDTH - MARGIN, bottom + 14, "faint", "end", seconds);
	svg_text(svg, MARGIN, bottom + 14, "faint", "start", "0");
	for (size_t i = first; i < set->n; i = next_of_event(set, name, i + 1), drawn++) {
		draw_line(svg, report, &set->v[i], most, bottom, svg_color_class(class, drawn));
		draw_legend_of(svg, &set->v[i], drawn, n, top + 6);
	}
	return bottom + CHART_GAP;
}

static bool is_first_of_event(const struct series_set *set, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(set->v[k].of.item->name, set->v[i].of.item->name) == 0)
			return false;
	return true;
}

static double draw_intervals(struct svg *svg, const struct report *report)
{
	double y = TOP;

	for (size_t i = 0; i < report->series.n; i++)
		if (is_first_of_event(&report->series, i))
			y = draw_chart(svg, report, i, y);
	return y;
}

/* ---- runs ---- */

static double draw_runs_of(struct svg *svg, const struct report *report, const struct row *row, double top)
{
	auto_free char *name = report_heading_text(row), *mean = report_mean_text(report, row);
	auto_free char *error = report_error_text(report, row), *range = report_range_text(report, row);
	auto_free char *text = xasprintf("%s %s", mean, error);
	double least = INFINITY, most = -INFINITY, middle = top + RUNS_HEIGHT / 2 - 8, scale;
	double value = value_real(row->value), half = isnan(row->error) ? 0 : row->error;

	picture_range(row->spread->values, row->spread->n, &least, &most);
	least = value - half < least ? value - half : least;
	most = value + half > most ? value + half : most;
	scale = most > least ? (WIDTH - MARGIN - RUNS_LEFT) / (most - least) : 0;
	svg_text_within(svg, MARGIN, middle - 4, RUNS_LEFT - MARGIN - 8, "label", "start", name);
	svg_text_within(svg, MARGIN, middle + 12, RUNS_LEFT - MARGIN - 8, "faint", "start", text);
	svg_line(svg, RUNS_LEFT, middle + 16, WIDTH - MARGIN, middle + 16, "axis");
	svg_text(svg, WIDTH - MARGIN, middle + 30, "faint", "end", range);
	for (unsigned i = 0; i < row->spread->n; i++) /* earlier runs are higher */
		svg_dot(svg, RUNS_LEFT + (row->spread->values[i] - least) * scale,
			middle - 14 + 24 * (double)i / row->spread->n, 3.5, "c0 run");
	svg_line(svg, RUNS_LEFT + (value - half - least) * scale, middle + 16,
		 RUNS_LEFT + (value + half - least) * scale, middle + 16, "c1");
	svg_dot(svg, RUNS_LEFT + (value - least) * scale, middle + 16, 4, "c1");
	return top + RUNS_HEIGHT;
}

static double draw_runs(struct svg *svg, const struct report *report, const struct result *result)
{
	double y = TOP;

	for (size_t i = 0; i < result->n && result->session.runs > 1; i++) {
		const struct row *row = &result->rows[i];

		if (row->item->kind == ITEM_COUNT && row_has_value(row) && !subject_is_process(row->subject))
			y = draw_runs_of(svg, report, row, y);
	}
	return y;
}

/* ---- differences ---- */

static double place(const struct comparison *c, double change)
{
	double middle = (FOREST_LEFT + FOREST_RIGHT) / 2,
	       x = middle + comparison_place(c, change) * (FOREST_RIGHT - middle);

	return x < FOREST_LEFT ? FOREST_LEFT : x > FOREST_RIGHT ? FOREST_RIGHT : x;
}

static bool is_beyond(const struct comparison *c, double change)
{
	return fabs(comparison_place(c, change)) > 1;
}

/* Draws an arrow at the edge if an end of the interval is beyond it. */
static void draw_arrow(struct svg *svg, const struct comparison *c, double end, double y, const char *class)
{
	double x = place(c, end), back = x + (end < 0 ? 5 : -5);

	if (!is_beyond(c, end))
		return;
	svg_line(svg, back, y - 4, x, y, class);
	svg_line(svg, back, y + 4, x, y, class);
}

static void draw_difference(struct svg *svg, const struct report *report, const struct comparison *c,
			    const struct row *row, double y)
{
	static const char *const classes[] = {
		[VERDICT_SAME] = "same",           [VERDICT_LESS] = "better",       [VERDICT_MORE] = "worse",
		[VERDICT_UNDECIDED] = "undecided", [VERDICT_UNKNOWN] = "undecided",
	};
	const struct difference *difference = row->difference;
	auto_free char *text = NULL, *said = NULL;
	const char *class;

	if (!difference)
		return;
	class = classes[difference->verdict];
	text = report_difference_text(report, row);
	said = xasprintf("%s  %s", text, report_verdict_brief(difference));
	svg_text(svg, FOREST_RIGHT + 16, y + 4, class, "start", said);
	if (!difference_has_change(difference))
		return;
	if (difference->high > difference->low)
		svg_line(svg, place(c, difference->low), y, place(c, difference->high), y, class);
	if (!is_beyond(c, difference->relative))
		svg_dot(svg, place(c, difference->relative), y, 4, class);
	draw_arrow(svg, c, isnan(difference->low) ? difference->relative : difference->low, y, class);
	draw_arrow(svg, c, isnan(difference->high) ? difference->relative : difference->high, y, class);
}

/* Lists the commands. origins: of a scan drawn as curves, in which only the first command of each curve is listed; or
 * NULL. */
static double draw_legend(struct svg *svg, const struct result *result, const size_t *origins)
{
	double y = TOP - 6;

	for (size_t i = 0; i < result->session.n_commands; i++) {
		const struct session *s = &result->session;
		const char *label = report_label(result, (unsigned)i + 1);
		auto_free char *words = s->commands ? report_words_text(s->commands[i]) : NULL, *text = NULL;
		bool is_first = origins && i + 1 < s->n_commands && origins[i + 1] == origins[i];

		if (origins && i && origins[i] == origins[i - 1])
			continue;
		text = xasprintf("%zu%s%s: %s%s", i + 1, label ? " " : "", label ? label : "",
				 words              ? words
				 : s->command_names ? s->command_names[i]
						    : "",
				 is_first ? " …" : "");
		svg_text(svg, MARGIN, y, "faint", "start", text);
		y += LINE;
	}
	return y + LINE / 2;
}

/* Draws, below an event, the tasks (--by) that explain its difference. Returns where the next line is. */
static double draw_culprits(struct svg *svg, const struct report *report, const struct comparison *c,
			    const struct row *whole, double y)
{
	struct culprits found;

	culprits_find(&found, c->result, whole, report->options.top, false);
	for (size_t i = 0; i < found.shown; i++) {
		const struct culprit *culprit = &found.v[i];
		auto_free char *name = report_culprit_name(culprit);
		auto_free char *text = xasprintf("%s%s%s", culprit->mark, *culprit->mark ? " " : "", name);

		svg_text(svg, FOREST_LEFT - 16, y + 4, "faint", "end", text);
		draw_difference(svg, report, c, culprit->count, y);
		y += FOREST_HEIGHT;
	}
	culprits_free(&found);
	return y;
}

static double draw_comparison(struct svg *svg, const struct report *report, const struct result *result)
{
	double top = draw_legend(svg, result, NULL) + LINE, y = top + LINE;
	struct comparison c;
	char left[NUMBER_MAX], right[NUMBER_MAX];

	comparison_make(&c, result, report->options.verbose);
	comparison_choose(&c, &report->options);
	comparison_scale(&c, report, left, right, sizeof(left));
	for (size_t i = 0; i < c.n; i++) {
		auto_free char *name = report_block_heading(&c.v[i]);

		if (!c.v[i].counted)
			continue;
		for (size_t k = 0; k < c.v[i].n; k++) {
			const struct row *row = c.v[i].rows[k];
			auto_free char *command = report_command_text(result, row->command), *text = NULL;

			if (row->command == 1)
				continue;
			if (c.v[i].n > 2)
				text = xasprintf("%s, %s", name, command);
			svg_text(svg, FOREST_LEFT - 16, y + 4, "label", "end", text ? text : name);
			draw_difference(svg, report, &c, row, y);
			y = draw_culprits(svg, report, &c, row, y + FOREST_HEIGHT);
		}
	}
	svg_line(svg, place(&c, 0), top + 4, place(&c, 0), y - FOREST_HEIGHT / 2, "axis");
	svg_text(svg, place(&c, 0), top, "faint", "middle", c.limit >= 1 ? "1" : "0");
	svg_text(svg, FOREST_LEFT, top, "faint", "start", left);
	svg_text(svg, FOREST_RIGHT, top, "faint", "end", right);
	comparison_free(&c);
	return y;
}

/* ---- the rendering ---- */

static void svg_rows(struct report *report, const struct result *result)
{
	if (result->n > 0 && !result->rows[0].run)
		series_add_interval(&report->series, result);
}

static void svg_finish(struct report *report, const struct result *result)
{
	const struct session *session = &result->session;
	const char *compared = session->commands ? "Commands compared" : "Reports compared";
	struct svg svg;
	double height = TOP;

	svg_begin(&svg, WIDTH);
	svg_text(&svg, MARGIN, 28, "title", "start", session->n_commands > 1 ? compared : session->target);
	if (svg_scan_is_possible(result))
		height = svg_scan_draw(&svg, report, result,
				       draw_legend(&svg, result, result->session.parameters->origins));
	else if (result->session.n_commands > 1)
		height = draw_comparison(&svg, report, result) + LINE / 2;
	else if (report->series.n_ends)
		height = draw_intervals(&svg, report);
	else
		height = svg_calls_draw(&svg, report, result, draw_runs(&svg, report, result));
	svg_end(&svg, report->out, height);
}

const struct report_ops report_svg_ops = {.rows = svg_rows, .end = svg_finish};
