#include "report/pictures/svg_scan.h"

#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "report/comparison.h"
#include "report/picture.h"

#define LEFT       90.0
#define RIGHT      20.0 /* from the picture's right side */
#define HEIGHT     130.0
#define HEADING    24.0 /* above a chart */
#define FOOTING    40.0 /* below */
#define CHARACTER  7.0
#define LETTERS    12.0 /* from line to line */
#define LEGEND     110.0
#define LEGENDS    5  /* there is no room for more */
#define WIDE_RANGE 16 /* ratio of the largest number to the smallest from which the axis is logarithmic */

/* One event's chart. */
struct chart {
	struct svg *svg;
	const struct report *report;
	const struct parameters *parameters;
	const struct comparison_block *block;
	size_t n_curves;
	double least, most; /* numbers on the x axis */
	bool logarithmic;
	double low, high; /* the limits of the y axis, on both sides of 0 */
	double bottom;
};

struct point {
	double x;
	const struct row *row;
};

/* Returns NAN without a number. */
static double number_of(const struct parameters *p, size_t command)
{
	const char *text = p->values[command * p->n];
	char *end;
	double v;

	if (!text || !*text)
		return NAN;
	v = strtod(text, &end);
	return isfinite(v) && !*end ? v : NAN;
}

bool svg_scan_is_possible(const struct result *result)
{
	const struct parameters *p = result->session.parameters;
	size_t numbers = 0;

	if (!p || p->n != 1)
		return false;
	for (size_t i = 0; i < result->session.n_commands; i++) {
		if (p->values[i] && isnan(number_of(p, i)))
			return false;
		numbers += p->values[i] != NULL;
	}
	return numbers >= 2;
}

static double place_x(const struct chart *c, double number)
{
	double width = c->svg->width - LEFT - RIGHT, share = 0.5;

	if (c->most > c->least)
		share = c->logarithmic ? (number_log2(number) - number_log2(c->least)) /
						 (number_log2(c->most) - number_log2(c->least))
				       : (number - c->least) / (c->most - c->least);
	return LEFT + 12 + share * (width - 24);
}

static double place_y(const struct chart *c, double value)
{
	double share = (value - c->low) / (c->high - c->low);

	return c->bottom - HEIGHT * (share < 0 ? 0 : share > 1 ? 1 : share);
}

/* Returns the limit of the y axis above 0 (sign 1) or below (sign -1). A wide interval, of few runs, lengthens the axis
 * by at most a half, so that it does not flatten the curve. */
static double find_limit(const struct comparison_block *block, double sign)
{
	double most = 0, reach = 0;

	for (size_t i = 0; i < block->n; i++) {
		const struct row *row = block->rows[i];
		double value = status_has_value(row->status) ? sign * value_real(row->value) : 0;

		most = number_larger(value, most);
		if (value > 0)
			reach = number_larger(value + (row->error > 0 ? row->error : 0), reach);
	}
	reach = reach > 1.5 * most ? 1.5 * most : reach;
	return reach > 0 ? sign * picture_limit(reach) : 0;
}

/* Draws a line at this value of the y axis, with its number, which is a round one. */
static void draw_tick(const struct chart *c, double value)
{
	struct row limit = *c->block->rows[0];
	auto_free char *text = NULL;

	limit.value = real_value(value);
	limit.stddev = limit.error = 0;
	limit.status = STATUS_EXACT;
	limit.approximate = false;
	text = report_mean_text(c->report, &limit);
	number_strip(text);
	if (value == 0 || fabs(place_y(c, value) - place_y(c, 0)) > LETTERS)
		svg_text(c->svg, LEFT - 6, place_y(c, value) + 4, "faint", "end", text);
	svg_line(c->svg, LEFT, place_y(c, value), c->svg->width - RIGHT, place_y(c, value), "axis");
}

static void draw_axes(const struct chart *c)
{
	double right = c->svg->width - RIGHT, last = -INFINITY;
	auto_free char *heading = report_block_heading(c->block), *name = NULL;

	svg_text_within(c->svg, RIGHT, c->bottom - HEIGHT - 12,
			c->svg->width - 2 * RIGHT -
				LEGEND * (double)(c->n_curves <= LEGENDS && c->n_curves > 1 ? c->n_curves : 0),
			"label", "start", heading);
	if (c->high > 0)
		draw_tick(c, c->high);
	if (c->low < 0)
		draw_tick(c, c->low);
	draw_tick(c, 0);
	for (size_t i = 0; i < c->block->n; i++) {
		size_t command = c->block->rows[i]->command - 1;
		double x = place_x(c, number_of(c->parameters, command));
		const char *text = c->parameters->values[command];
		double half = CHARACTER * (double)strlen(text ? text : "") / 2;

		if (isnan(x) || x - half < last + CHARACTER)
			continue;
		last = x + half;
		svg_text(c->svg, x, c->bottom + 14, "faint", "middle", text);
	}
	name = xasprintf("%s%s", c->parameters->names[0], c->logarithmic ? " (logarithmic)" : "");
	svg_text(c->svg, right, c->bottom + 28, "faint", "end", name);
}

static int compare_points(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static void draw_point(const struct chart *c, const struct point *p, const char *class)
{
	double value = value_real(p->row->value), half = p->row->error > 0 ? p->row->error : 0;

	if (half > 0)
		svg_line(c->svg, p->x, place_y(c, value - half), p->x, place_y(c, value + half), class);
	svg_dot(c->svg, p->x, place_y(c, value), 4, class);
}

/* Draws the commands that differ only in the number. A command without a number is a horizontal line. */
static void draw_curve(const struct chart *c, size_t origin, const char *class)
{
	auto_free struct point *points = xcalloc(c->block->n + 1, sizeof(*points));
	auto_free double *x = xcalloc(c->block->n + 2, sizeof(*x)), *y = xcalloc(c->block->n + 2, sizeof(*y));
	size_t n = 0;

	for (size_t i = 0; i < c->block->n; i++) {
		const struct row *row = c->block->rows[i];
		double number = number_of(c->parameters, row->command - 1);

		if (c->parameters->origins[row->command - 1] != origin || !status_has_value(row->status))
			continue;
		if (isnan(number)) {
			double level = place_y(c, value_real(row->value));

			svg_line(c->svg, LEFT, level, c->svg->width - RIGHT, level, class);
		} else {
			points[n++] = (struct point){place_x(c, number), row};
		}
	}
	qsort(points, n, sizeof(*points), compare_points);
	for (size_t i = 0; i < n; i++) {
		x[i] = points[i].x;
		y[i] = place_y(c, value_real(points[i].row->value));
	}
	svg_path(c->svg, x, y, n, class);
	for (size_t i = 0; i < n; i++)
		draw_point(c, &points[i], class);
}

/* Lists the colours of the commands, named by their first label without the number. */
static void draw_legend(const struct chart *c, const struct result *result)
{
	size_t origin = 0, n = c->n_curves;

	for (size_t i = 0; i < result->session.n_commands && n > 1 && n <= LEGENDS; i++) {
		const char *label = report_label(result, (unsigned)i + 1), *last = label ? strrchr(label, ' ') : NULL;
		double x = c->svg->width - RIGHT - LEGEND * (double)(n - origin), y = c->bottom - HEIGHT - 12;
		auto_free char *name = label ? xstrdup(label) : xstrdup("");
		char class[16];

		if (c->parameters->origins[i] != origin)
			continue;
		if (last && c->parameters->values[i])
			name[last - label] = '\0';
		svg_dot(c->svg, x, y - 4, 4, svg_color_class(class, origin++));
		svg_text_within(c->svg, x + 8, y, LEGEND - 18, "faint", "start", name);
	}
}

static void find_numbers(struct chart *c, size_t n_commands)
{
	c->least = INFINITY;
	c->most = -INFINITY;
	for (size_t i = 0; i < n_commands; i++) {
		double v = number_of(c->parameters, i);

		c->least = v < c->least ? v : c->least;
		c->most = v > c->most ? v : c->most;
	}
	c->logarithmic = c->least > 0 && c->most >= WIDE_RANGE * c->least;
}

double svg_scan_draw(struct svg *svg, const struct report *report, const struct result *result, double top)
{
	size_t n_commands = result->session.n_commands;
	struct chart c = {.svg = svg, .report = report, .parameters = result->session.parameters};
	struct comparison compared;
	char class[16];

	c.n_curves = c.parameters->origins[n_commands - 1] + 1;
	comparison_make(&compared, result, report->options.verbose);
	comparison_choose(&compared, &report->options);
	find_numbers(&c, n_commands);
	for (size_t i = 0; i < compared.n; i++) {
		if (!compared.v[i].counted)
			continue;
		c.block = &compared.v[i];
		c.low = find_limit(c.block, -1);
		c.high = find_limit(c.block, 1);
		if (c.low == c.high)
			c.high = 1;
		c.bottom = top + HEADING + HEIGHT;
		draw_axes(&c);
		for (size_t k = 0; k < c.n_curves; k++)
			draw_curve(&c, k, svg_color_class(class, k));
		draw_legend(&c, result);
		top = c.bottom + FOOTING;
	}
	comparison_free(&compared);
	return top;
}
