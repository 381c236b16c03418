#include "run/intervals.h"

uint64_t intervals_advance(struct intervals *intervals, uint64_t counted_ns)
{
	uint64_t length = counted_ns - intervals->counted_ns;

	intervals->counted_ns = counted_ns;
	return length;
}

uint64_t intervals_cut(struct intervals *intervals, struct counts *now, uint64_t counted_ns, struct counts *part)
{
	const struct counts later = *now;

	counts_subtract(part, now, &intervals->earlier);
	counts_add_part(&intervals->sum, part);
	*now = intervals->earlier;
	intervals->earlier = later;
	return intervals_advance(intervals, counted_ns);
}

void intervals_total(const struct intervals *intervals, struct counts *whole)
{
	counts_take_parts(whole, &intervals->sum);
}

void intervals_free(struct intervals *intervals)
{
	counts_free(&intervals->earlier);
	counts_free(&intervals->sum);
}
