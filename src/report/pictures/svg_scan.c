#include "report/pictures/svg_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "report/comparison.h"
#include "report/picture.h"

#define LEFT       90.0
#define RIGHT      20.0 /* from the picture's right side */
#define HEIGHT     130.0
#define HEADING    24.0 /* above a chart */
#define FOOTING    40.0 /* below */
#define CHARACTER  7.0
#define LETTERS    12.0 /* from line to line */
#define DOT        18.0 /* of a legend, with the gap to the next one */
#define WIDE_RANGE 16   /* of a list: ratio of the largest number to the smallest from which the axis is logarithmic */

/* One event's chart. */
struct chart {
	struct svg *svg;
	const struct report *report;
	const struct parameters *parameters;
	const struct comparison_block *block;
	size_t *curves; /* the curve of each command */
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

	if (!p || p->n > 2)
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
	limit.error = 0;
	limit.status = STATUS_EXACT;
	limit.approximate = false;
	text = report_mean_text(c->report, &limit);
	number_strip(text);
	if (value == 0 || fabs(place_y(c, value) - place_y(c, 0)) > LETTERS)
		svg_text(c->svg, LEFT - 6, place_y(c, value) + 4, "faint", "end", text);
	svg_line(c->svg, LEFT, place_y(c, value), c->svg->width - RIGHT, place_y(c, value), "axis");
}

static int compare_points(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Writes the values below the x axis, from the left, except those without room beside the one before. */
static void draw_ticks(const struct chart *c)
{
	size_t n = c->block->n;
	auto_free struct point *points = xcalloc(n + 1, sizeof(*points));
	double last = -INFINITY;

	n = 0;
	for (size_t i = 0; i < c->block->n; i++) {
		double number = number_of(c->parameters, c->block->rows[i]->command - 1);

		if (!isnan(number))
			points[n++] = (struct point){place_x(c, number), c->block->rows[i]};
	}
	qsort(points, n, sizeof(*points), compare_points);
	for (size_t i = 0; i < n; i++) {
		const char *text = c->parameters->values[(points[i].row->command - 1) * c->parameters->n];
		double half = CHARACTER * (double)strlen(text ? text : "") / 2;

		if (points[i].x - half < last + CHARACTER)
			continue;
		last = points[i].x + half;
		svg_text(c->svg, points[i].x, c->bottom + 14, "faint", "middle", text);
	}
}

static void draw_axes(const struct chart *c)
{
	double right = c->svg->width - RIGHT;
	auto_free char *heading = report_block_heading(c->block), *name = NULL;

	svg_text_within(c->svg, RIGHT, c->bottom - HEIGHT - 12, c->svg->width - 2 * RIGHT, "label", "start", heading);
	if (c->high > 0)
		draw_tick(c, c->high);
	if (c->low < 0)
		draw_tick(c, c->low);
	draw_tick(c, 0);
	draw_ticks(c);
	name = xasprintf("%s%s", c->parameters->names[0], c->logarithmic ? " (logarithmic)" : "");
	svg_text(c->svg, right, c->bottom + 28, "faint", "end", name);
}

static void draw_point(const struct chart *c, const struct point *p, const char *class)
{
	double value = value_real(p->row->value), half = p->row->error > 0 ? p->row->error : 0;

	if (half > 0)
		svg_line(c->svg, p->x, place_y(c, value - half), p->x, place_y(c, value + half), class);
	svg_dot(c->svg, p->x, place_y(c, value), 4, class);
}

/* Draws the commands that differ only in the number. A command without a number is a horizontal line. */
static void draw_curve(const struct chart *c, size_t curve, const char *class)
{
	auto_free struct point *points = xcalloc(c->block->n + 1, sizeof(*points));
	auto_free double *x = xcalloc(c->block->n + 2, sizeof(*x)), *y = xcalloc(c->block->n + 2, sizeof(*y));
	size_t n = 0;

	for (size_t i = 0; i < c->block->n; i++) {
		const struct row *row = c->block->rows[i];
		double number = number_of(c->parameters, row->command - 1);

		if (c->curves[row->command - 1] != curve || !status_has_value(row->status))
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

/* Returns the name of a command's curve: its label without the number, `m=2` of `n=1 m=2`. */
static char *curve_name(const struct chart *c, const struct result *result, size_t command)
{
	const char *label = report_label(result, (unsigned)command + 1);
	const char *value = c->parameters->values[command * c->parameters->n];
	auto_free char *number = value ? xasprintf("%s=%s", c->parameters->names[0], value) : NULL;
	char *name = xstrdup(label ? label : ""), *at = number ? strstr(name, number) : NULL;
	size_t n = at ? strlen(number) : 0, blank = at && (at > name || at[n]);

	if (at)
		memmove(at - (at > name), at + n + (blank && at == name), strlen(at + n + (blank && at == name)) + 1);
	return name;
}

/* Lists the colours of the curves, in lines above the chart, from y on. Returns where the chart begins. */
static double draw_legend(const struct chart *c, const struct result *result, double y)
{
	size_t next = 0;
	double x = LEFT;

	for (size_t i = 0; i < result->session.n_commands && c->n_curves > 1; i++) {
		auto_free char *name = NULL;
		double width;
		char class[16];

		if (c->curves[i] != next)
			continue;
		name = curve_name(c, result, i);
		width = CHARACTER * (double)text_width(name) + DOT;
		if (x > LEFT && x + width > c->svg->width - RIGHT) {
			x = LEFT;
			y += LETTERS + 4;
		}
		svg_dot(c->svg, x, y - 4, 4, svg_color_class(class, next++));
		svg_text(c->svg, x + 8, y, "faint", "start", name);
		x += width;
	}
	return c->n_curves > 1 ? y + LETTERS + 4 : y;
}

/* Gives each command its curve: the commands that differ only in the first parameter share one. */
static void find_curves(struct chart *c, size_t n_commands)
{
	const struct parameters *p = c->parameters;

	c->curves = xcalloc(n_commands + 1, sizeof(*c->curves));
	for (size_t i = 0; i < n_commands; i++) {
		c->curves[i] = c->n_curves;
		for (size_t k = 0; k < i && c->curves[i] == c->n_curves; k++)
			if (p->origins[k] == p->origins[i] &&
			    (p->n == 1 || p->values[2 * k + 1] == p->values[2 * i + 1]))
				c->curves[i] = c->curves[k];
		c->n_curves += c->curves[i] == c->n_curves;
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
	c->logarithmic = c->least > 0 && (c->parameters->axes[0] == AXIS_LOGARITHMIC ||
					  (c->parameters->axes[0] == AXIS_UNKNOWN && c->most >= WIDE_RANGE * c->least));
}

double svg_scan_draw(struct svg *svg, const struct report *report, const struct result *result, double top)
{
	size_t n_commands = result->session.n_commands;
	struct chart c = {.svg = svg, .report = report, .parameters = result->session.parameters};
	struct comparison compared;
	char class[16];

	find_curves(&c, n_commands);
	comparison_make(&compared, result, report->options.verbose);
	comparison_choose(&compared, &report->options);
	find_numbers(&c, n_commands);
	top = draw_legend(&c, result, top);
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
		top = c.bottom + FOOTING;
	}
	comparison_free(&compared);
	free(c.curves);
	return top;
}
