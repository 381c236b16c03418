#include "report/call_histogram.h"

#include <string.h>

#include "stats/distribution.h"

bool call_histogram_next(struct call_histogram *h, const struct result *result, size_t *at, bool only_first)
{
	size_t i = *at;

	while (i < result->n && !result->rows[i].spread->octaves)
		i++;
	if (i == result->n)
		return false;
	*h = (struct call_histogram){.row = &result->rows[i], .first = OCTAVES};
	for (unsigned octave = 0; octave < OCTAVES; octave++) {
		uint64_t n = h->row->spread->octaves[octave];

		if (n && h->first == OCTAVES)
			h->first = octave;
		if (n)
			h->last = octave;
		h->most = n > h->most ? n : h->most;
	}
	for (*at = i + 1;
	     only_first && *at < result->n && subject_compare(result->rows[*at].subject, h->row->subject) == 0;)
		++*at;
	return true;
}

char *call_histogram_range(const struct call_histogram *h, const struct report *report, unsigned octave, bool begins)
{
	double from = octave ? (double)(UINT64_C(1) << (octave - 1)) : 0, to = octave ? 2 * from - 1 : 0;
	double scale = row_is_time(h->row) ? 1e3 : 1;
	int decimals = row_is_time(h->row) ? 3 : 0;
	char begin[NUMBER_MAX], end[NUMBER_MAX];

	number_real(begin, &report->style, from / scale, decimals);
	number_real(end, &report->style, to / scale, decimals);
	if (begins || from >= to)
		return xstrdup(begin);
	return xasprintf("%s %s %s", begin, report->style.utf8 ? "\u2026" : "..", end);
}

char *call_histogram_name(const struct call_histogram *h)
{
	return xasprintf("%s%s", h->row->item->name, row_is_time(h->row) ? ", usec" : "");
}
