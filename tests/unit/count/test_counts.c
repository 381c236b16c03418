/* Matrices of counts: differences, and parts whose estimates add up to the whole. */
#include "count/counts.h"

#include "lib/util.h"
#include "tap.h"

static void set(struct counts *c, size_t slot, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct count *count = counts_at(c, slot, 0);

	count->open = true;
	count->sample = (struct sample){value, enabled, running};
}

static void test_subtract(void)
{
	struct counts a, b, d = {0};

	counts_init(&a, 1, 1);
	counts_init(&b, 2, 1);
	set(&a, 0, 10, 100, 50);
	set(&b, 0, 15, 160, 80);
	set(&b, 1, 7, 20, 20);
	counts_subtract(&d, &b, &a);
	is_number(d.n_slots, 2, "slots that came later are there");
	is_number(counts_at(&d, 0, 0)->sample.value, 5, "value");
	is_number(counts_at(&d, 0, 0)->sample.enabled, 60, "enabled");
	is_number(counts_at(&d, 0, 0)->sample.running, 30, "running");
	is_number(counts_at(&d, 1, 0)->sample.value, 7, "a new slot counts from 0");
	ok(counts_is_any_open(&d), "open is taken from the later copy");
	counts_free(&a);
	counts_free(&b);
	counts_free(&d);
}

/* Two intervals with rates that differ: 10/50 of 100 is 20, 90/75 of 100 is 120; the whole at once would be 160. */
static void test_parts(void)
{
	struct counts_cuts cuts = {.sum = {0}};
	struct counts now, interval = {0};

	counts_init(&now, 1, 1);
	set(&now, 0, 10, 100, 50);
	counts_cut(&cuts, &now, &interval);
	counts_renew(&now, 1, 1);
	set(&now, 0, 100, 200, 125);
	counts_cut(&cuts, &now, &interval);
	is_number(sample_scale(counts_at(&interval, 0, 0)->sample), 120, "its estimate");
	is_number(interval.n_slots, 1, "with the number of earlier slots");
	counts_renew(&now, 2, 1);
	set(&now, 0, 100, 200, 125);
	set(&now, 1, 7, 10, 10);
	counts_cut(&cuts, &now, &interval);
	is_number(interval.n_slots, 2, "also after slots were added");
	is_number(counts_at(&interval, 0, 0)->sample.value, 0, "where nothing happened");
	is_number(counts_at(&interval, 1, 0)->sample.value, 7, "but in the new one");
	counts_free(&interval);
	counts_renew(&now, 1, 1);
	set(&now, 0, 100, 200, 125);
	counts_set_sum(&now, &cuts);
	ok(counts_at(&now, 0, 0)->by_intervals, "the total is by parts");
	is_number(counts_at(&now, 0, 0)->estimate, 140, "and their sum");
	counts_free(&cuts.earlier);
	counts_free(&cuts.sum);
	counts_free(&now);
}

static void test_starved_interval(void)
{
	struct counts_cuts cuts = {.sum = {0}};
	struct counts now, interval = {0};

	counts_init(&now, 1, 1);
	set(&now, 0, 10, 100, 50);
	counts_cut(&cuts, &now, &interval);
	counts_renew(&now, 1, 1);
	set(&now, 0, 10, 200, 50);
	counts_cut(&cuts, &now, &interval);
	counts_free(&interval);
	counts_renew(&now, 1, 1);
	set(&now, 0, 10, 200, 50);
	counts_set_sum(&now, &cuts);
	ok(!counts_at(&now, 0, 0)->by_intervals,
	   "a part that never ran has no estimate: the whole is scaled as a whole");
	counts_free(&cuts.earlier);
	counts_free(&cuts.sum);
	counts_free(&now);
}

static void test_no_parts(void)
{
	struct counts_cuts cuts = {.sum = {0}};
	struct counts now;

	counts_init(&now, 1, 1);
	set(&now, 0, 10, 100, 50);
	counts_set_sum(&now, &cuts);
	ok(!counts_at(&now, 0, 0)->by_intervals, "without intervals nothing changes");
	counts_free(&now);
}

int main(void)
{
	test_subtract();
	test_parts();
	test_starved_interval();
	test_no_parts();
	return tap_done();
}
