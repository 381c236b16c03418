#include "report/pictures/svg.h"

#include <math.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "lib/util.h"

#define EDGE    8.0  /* margin at the sides */
#define SQUEEZE 1.25 /* text may be narrowed by this factor and stay readable */

static const char style[] =
	"<style>"
	"text{font:12px sans-serif;fill:#24292f}.title{font-size:15px;font-weight:bold}.faint{fill:#6e7781}"
	"line,path{stroke:#6e7781;fill:none;stroke-width:1.5}.axis{stroke-width:1;stroke:#afb8c1}"
	"rect{fill:#ffffff}circle{fill:#6e7781;stroke:none}"
	"line.better{stroke:#1a7f37}line.worse{stroke:#cf222e}line.undecided{stroke:#9a6700}"
	"text.better,circle.better{fill:#1a7f37}text.worse,circle.worse{fill:#cf222e}"
	"text.undecided,circle.undecided{fill:#9a6700}text.same{fill:#6e7781}"
	"path.c0,line.c0{stroke:#0969da}path.c1,line.c1{stroke:#bc4c00}path.c2,line.c2{stroke:#1a7f37}"
	"path.c3,line.c3{stroke:#8250df}path.c4,line.c4{stroke:#cf222e}path.c5,line.c5{stroke:#1b7c83}"
	"path.c6,line.c6{stroke:#9a6700}path.c7,line.c7{stroke:#bf3989}"
	"circle.c0{fill:#0969da}circle.c1{fill:#bc4c00}circle.c2{fill:#1a7f37}circle.c3{fill:#8250df}"
	"circle.c4{fill:#cf222e}circle.c5{fill:#1b7c83}circle.c6{fill:#9a6700}circle.c7{fill:#bf3989}"
	"circle.run{fill-opacity:.45}"
	"@media(prefers-color-scheme:dark){text{fill:#e6edf3}.faint,text.same{fill:#8b949e}rect{fill:#0d1117}"
	".axis{stroke:#484f58}line.better{stroke:#3fb950}line.worse{stroke:#f85149}line.undecided{stroke:#d29922}"
	"text.better,circle.better{fill:#3fb950}text.worse,circle.worse{fill:#f85149}"
	"text.undecided,circle.undecided{fill:#d29922}}"
	"</style>";

const char *svg_color_class(char buf[16], size_t i)
{
	snprintf(buf, 16, "c%zu", i % SVG_COLORS);
	return buf;
}

void svg_begin(struct svg *svg, double width)
{
	*svg = (struct svg){.width = width};
	svg->body = xopen_memstream(&svg->text, &svg->size);
}

/* printf would follow the locale. */
static void put_number(FILE *out, double v)
{
	char buf[NUMBER_MAX];

	fputs(number_fixed(buf, isfinite(v) ? v : 0, 1), out);
}

static void put_number_attribute(FILE *out, const char *name, double v)
{
	fprintf(out, " %s=\"", name);
	put_number(out, v);
	putc('"', out);
}

void svg_text_within(struct svg *svg, double x, double y, double room, const char *class, const char *anchor,
		     const char *text)
{
	double character = strcmp(class, "title") == 0 ? 9 : 7, squeezed = room * SQUEEZE / character;
	auto_free char *safe = text_safe(text),
		       *shown = text_shorten(safe, squeezed > 3 ? (size_t)squeezed : 3, "\u2026");

	if (!*text)
		return;
	fprintf(svg->body, "<text class=\"%s\" text-anchor=\"%s\"", class, anchor);
	put_number_attribute(svg->body, "x", x);
	put_number_attribute(svg->body, "y", y);
	if (strcmp(anchor, "middle") != 0 && (double)text_width(shown) * character > room) {
		put_number_attribute(svg->body, "textLength", room);
		fputs(" lengthAdjust=\"spacingAndGlyphs\"", svg->body);
	}
	putc('>', svg->body);
	text_put_xml(svg->body, shown);
	fputs("</text>\n", svg->body);
}

void svg_text(struct svg *svg, double x, double y, const char *class, const char *anchor, const char *text)
{
	svg_text_within(svg, x, y, strcmp(anchor, "end") == 0 ? x - EDGE : svg->width - EDGE - x, class, anchor, text);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, const char *class)
{
	fprintf(svg->body, "<line class=\"%s\"", class);
	put_number_attribute(svg->body, "x1", x1);
	put_number_attribute(svg->body, "y1", y1);
	put_number_attribute(svg->body, "x2", x2);
	put_number_attribute(svg->body, "y2", y2);
	fputs("/>\n", svg->body);
}

void svg_dot(struct svg *svg, double x, double y, double radius, const char *class)
{
	fprintf(svg->body, "<circle class=\"%s\"", class);
	put_number_attribute(svg->body, "cx", x);
	put_number_attribute(svg->body, "cy", y);
	put_number_attribute(svg->body, "r", radius);
	fputs("/>\n", svg->body);
}

void svg_path(struct svg *svg, const double *x, const double *y, size_t n, const char *class)
{
	bool drawing = false;

	fprintf(svg->body, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(y[i])) {
			drawing = false;
			continue;
		}
		putc(drawing ? 'L' : 'M', svg->body);
		put_number(svg->body, x[i]);
		putc(' ', svg->body);
		put_number(svg->body, y[i]);
		drawing = true;
	}
	fputs("\"/>\n", svg->body);
}

void svg_end(struct svg *svg, FILE *out, double height)
{
	fclose(svg->body);
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"", out);
	put_number_attribute(out, "width", svg->width);
	put_number_attribute(out, "height", height);
	fprintf(out, ">\n%s\n<rect width=\"100%%\" height=\"100%%\"/>\n", style);
	fwrite(svg->text, 1, svg->size, out);
	fputs("</svg>\n", out);
	free(svg->text);
}
