#include "report/picture.h"

#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/util.h"

#define LEVELS     8
#define BINS_LEAST 5 /* of a histogram */

/* Text in columns of one character each. */
struct canvas {
	const char **columns;
	size_t n;
};

/* Omits blanks at the end. */
static char *canvas_text(struct canvas *c)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	while (c->n > 0 && (!c->columns[c->n - 1] || *c->columns[c->n - 1] == ' '))
		c->n--;
	for (size_t i = 0; i < c->n; i++)
		fputs(c->columns[i] ? c->columns[i] : " ", out);
	fclose(out);
	free(c->columns);
	return text;
}

static struct canvas canvas_make(size_t columns)
{
	return (struct canvas){.columns = xcalloc(columns + 1, sizeof(char *)), .n = columns};
}

char *picture_bar(double share, size_t columns, bool utf8)
{
	static const char *const blocks[LEVELS] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	struct canvas c = canvas_make(columns);
	double full = share > 1 ? 1 : share > 0 ? share : 0;
	size_t eighths = (size_t)(full * (double)(columns * LEVELS) + 0.5);

	if (share > 0 && eighths == 0)
		eighths = 1; /* a small share is not drawn as 0 */
	for (size_t i = 0; i < columns; i++) {
		size_t left = eighths > i * LEVELS ? eighths - i * LEVELS : 0;

		if (utf8)
			c.columns[i] = left >= LEVELS ? "█" : blocks[left];
		else
			c.columns[i] = left >= LEVELS / 2 || (i == 0 && left) ? "#" : " ";
	}
	return canvas_text(&c);
}

/* Returns the mean of the finite values; NAN if there are none. */
static double finite_mean(const double *values, size_t n)
{
	double sum = 0;
	size_t finite = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			finite++;
		}
	return finite ? sum / (double)finite : NAN;
}

void picture_range(const double *values, size_t n, double *least, double *most)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			continue;
		*least = values[i] < *least ? values[i] : *least;
		*most = values[i] > *most ? values[i] : *most;
	}
}

char *picture_line(const double *values, size_t n, size_t columns, bool utf8)
{
	static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const marks[LEVELS] = {"_", ".", ":", "-", "=", "+", "*", "#"};
	size_t width = n < columns ? n : columns;
	auto_free double *means = xcalloc(width + 1, sizeof(*means));
	struct canvas c = canvas_make(width);
	double least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < width; i++)
		means[i] = finite_mean(values + i * n / width, (i + 1) * n / width - i * n / width);
	picture_range(means, width, &least, &most);
	least = least > 0 ? 0 : least;
	for (size_t i = 0; i < width; i++) {
		double level = most > least ? (means[i] - least) / (most - least) * (LEVELS - 1) + 0.5 : 0;

		if (isfinite(means[i]))
			c.columns[i] = (utf8 ? blocks : marks)[(size_t)level];
	}
	return canvas_text(&c);
}

static bool are_whole(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && !number_is_whole(values[i]))
			return false;
	return true;
}

char *picture_histogram(const double *values, size_t n, size_t columns, bool utf8)
{
	size_t bins = BINS_LEAST;
	auto_free double *count = NULL;
	double least = INFINITY, most = -INFINITY, range;

	picture_range(values, n, &least, &most);
	if (!(most > least))
		return xstrdup("");
	while (bins < columns && bins * bins < 4 * n)
		bins++;
	range = most - least;
	if (range < (double)columns && are_whole(values, n)) {
		bins = (size_t)range + 1;
		range++;
	}
	count = xcalloc(bins, sizeof(*count));
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i])) {
			size_t bin = (size_t)((values[i] - least) / range * (double)bins);

			count[bin < bins ? bin : bins - 1]++;
		}
	for (size_t i = 0; i < bins; i++)
		count[i] = count[i] > 0 ? count[i] : NAN;
	return picture_line(count, bins, bins, utf8);
}

/* Returns the column of a value; -1 or columns beyond the outermost ones. */
static long column_of(double value, double limit, size_t columns)
{
	size_t half = columns / 2;
	double middle = (double)half, at = middle + value / limit * middle + 0.5;

	return at < 0 ? -1 : at >= (double)columns ? (long)columns : (long)at;
}

char *picture_interval(double value, double low, double high, double limit, size_t columns, bool utf8)
{
	enum { ZERO, CROSSED, LINE, BEGIN, END, POINT, LEFT, RIGHT };
	static const char *const drawn[] = {"│", "┼", "─", "├", "┤", "●", "◂", "▸"};
	static const char *const ascii[] = {"|", "+", "-", "[", "]", "o", "<", ">"};
	const char *const *marks = utf8 ? drawn : ascii;
	struct canvas c = canvas_make(columns);
	long last = (long)columns - 1, middle = (long)columns / 2, begin, end, point;

	c.columns[middle] = marks[ZERO];
	if (isnan(value))
		return canvas_text(&c);
	begin = column_of(isnan(low) ? value : low, limit, columns);
	end = column_of(isnan(high) ? value : high, limit, columns);
	point = column_of(value, limit, columns);
	for (long i = begin < 0 ? 0 : begin; i <= end && i <= last; i++)
		c.columns[i] = i == middle ? marks[CROSSED] : marks[LINE];
	if (begin >= 0 && begin <= last)
		c.columns[begin] = marks[BEGIN];
	if (end >= 0 && end <= last)
		c.columns[end] = marks[END];
	if (point >= 0 && point <= last)
		c.columns[point] = marks[POINT];
	if (begin < 0)
		c.columns[0] = marks[LEFT];
	if (end > last)
		c.columns[last] = marks[RIGHT];
	return canvas_text(&c);
}

double picture_limit(double largest)
{
	static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
	double power = 1e-6;

	while (10 * power < largest && power < 1e12)
		power *= 10;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i] * power >= largest * (1 - 1e-9))
			return steps[i] * power;
	return largest < 10 * power ? 10 * power : largest;
}
