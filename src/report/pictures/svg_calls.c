#include "report/pictures/svg_calls.h"

#include "report/call_histogram.h"

#define LEFT   20.0
#define WIDTH  760.0
#define HEIGHT 90.0
#define LINE   18.0
#define GAP    40.0
#define BAR    60.0 /* at most */

static void draw_bar(struct svg *svg, double left, double width, double bottom, double height)
{
	const double x[] = {left, left, left + width, left + width};
	const double y[] = {bottom, bottom - height, bottom - height, bottom};

	svg_path(svg, x, y, sizeof(x) / sizeof(*x), "c0");
}

static double draw(struct svg *svg, const struct report *report, const struct call_histogram *h, double top)
{
	double bottom = top + LINE + HEIGHT, width = WIDTH / (h->last - h->first + 1);
	auto_free char *name = call_histogram_name(h);
	auto_free char *heading = NULL;
	char buf[NUMBER_MAX];

	width = width < BAR ? width : BAR;
	number_real(buf, &report->style, (double)h->most, 0);
	heading = xasprintf("%s: %s, up to %s calls", h->row->subject->id, name, buf);
	svg_text(svg, LEFT, top + 6, "label", "start", heading);
	svg_line(svg, LEFT, bottom, LEFT + WIDTH, bottom, "axis");
	for (unsigned octave = h->first; octave <= h->last; octave++) {
		double left = LEFT + width * (octave - h->first);
		auto_free char *begin = call_histogram_range(h, report, octave, true);

		if (h->row->spread->octaves[octave])
			draw_bar(svg, left, width, bottom,
				 HEIGHT * (double)h->row->spread->octaves[octave] / (double)h->most);
		svg_text_within(svg, left, bottom + 14, width - 4, "faint", "start", begin);
	}
	return bottom + GAP;
}

double svg_calls_draw(struct svg *svg, const struct report *report, const struct result *result, double top)
{
	struct call_histogram h;
	size_t at = 0;

	while (call_histogram_next(&h, result, &at, true))
		top = draw(svg, report, &h, top);
	return top;
}
