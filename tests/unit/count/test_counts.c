/* Matrices of counts: differences and intervals. */
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

static void test_cut(void)
{
	struct counts earlier = {0}, now, part = {0};

	counts_init(&now, 1, 1);
	set(&now, 0, 10, 100, 50);
	counts_cut(&earlier, &now, &part);
	is_number(counts_at(&part, 0, 0)->sample.value, 10, "the first interval");
	counts_renew(&now, 1, 1);
	set(&now, 0, 100, 200, 125);
	counts_cut(&earlier, &now, &part);
	is_number(sample_scale(counts_at(&part, 0, 0)->sample), 120, "each has its estimate");
	is_number(part.n_slots, 1, "with the number of earlier slots");
	counts_renew(&now, 2, 1);
	set(&now, 0, 100, 200, 125);
	set(&now, 1, 7, 10, 10);
	counts_cut(&earlier, &now, &part);
	is_number(part.n_slots, 2, "also after slots were added");
	is_number(counts_at(&part, 0, 0)->sample.value, 0, "where nothing happened");
	is_number(counts_at(&part, 1, 0)->sample.value, 7, "but in the new one");
	counts_free(&part);
	counts_free(&earlier);
	counts_free(&now);
}

int main(void)
{
	test_subtract();
	test_cut();
	return tap_done();
}
