/* Totals of intervals and runs: which counts are added up, which values never decrease, and which subjects have a
 * place. */
#include "rows/totals.h"

#include <math.h>
#include <string.h>

#include "count/aggr_map.h"
#include "tap.h"

/* A plan of two events, of which the second may have the name of the first. */
struct setting {
	struct event events[2];
	struct plan plan;
	struct totals totals;
	struct result result;
};

static void setting_init(struct setting *s, bool same_name, size_t most)
{
	*s = (struct setting){.totals = {.most = most}};
	for (int i = 0; i < 2; i++) {
		event_init(&s->events[i], EVENT_ABI);
		s->events[i].name = xstrdup(i && !same_name ? "faults" : "switches");
	}
	s->plan = (struct plan){.events = s->events, .n_events = 2, .n_shown = 2};
	s->result = (struct result){0};
	s->result.session.plan = &s->plan;
}

static void setting_free(struct setting *s)
{
	for (int i = 0; i < 2; i++)
		event_free(&s->events[i]);
	totals_free(&s->totals);
	result_free(&s->result);
}

static struct row *add(struct setting *s, int event, double time, uint64_t count)
{
	struct row *row =
		result_add(&s->result, &(struct item){.name = s->events[event].name, .event = &s->events[event]});

	row->time = time;
	row->status = STATUS_EXACT;
	row->has_raw = true;
	row->raw = (struct sample){count, 100, 50};
	row->value = (struct value){.type = VALUE_COUNT, .count = 2 * count};
	return row;
}

static void add_program(struct setting *s, const char *name, double time, uint64_t count)
{
	struct row *row = add(s, 0, time, count);

	row->subject = result_subject(&s->result, &(struct subject){.scope = AGGR_COMM, .id = name, .comm = name});
}

/* The rows so far are an interval's or a run's. */
static void add_interval(struct setting *s)
{
	totals_add(&s->totals, &s->result);
	result_clear(&s->result);
}

/* The total of an event of a subject; NULL: it has none. */
static const struct total *find(const struct setting *s, const char *id, const char *name, unsigned occurrence)
{
	for (size_t i = 0; i < s->totals.n; i++) {
		const struct total_subject *subject = s->totals.subjects[i];

		for (size_t k = 0; k < subject->n && strcmp(subject->id, id) == 0; k++)
			if (strcmp(subject->totals[k].name, name) == 0 && subject->totals[k].occurrence == occurrence)
				return &subject->totals[k];
	}
	return NULL;
}

static uint64_t sum(const struct setting *s, const char *id)
{
	const struct total *t = find(s, id, "switches", 1);

	return t ? t->sum.value : UINT64_MAX;
}

static void test_intervals(void)
{
	const struct total *t;
	struct setting s;

	setting_init(&s, false, 10);
	s.result.session.elapsed_ns = 7;
	add(&s, 0, 1, 5);
	add(&s, 1, 1, 1)->status = STATUS_STARVED;
	add_interval(&s);
	add(&s, 0, 2, 3);
	add_interval(&s);
	t = find(&s, "", "switches", 1);
	ok(t->sum.value == 8 && t->sum.enabled == 200 && t->sum.running == 100, "intervals add up, unscaled");
	ok(t->is_current && t->value.count == 6, "the value is that of the last interval");
	t = find(&s, "", "faults", 1);
	ok(!t->was_counted && t->sum.enabled == 100 && !t->is_current,
	   "an event without a row in the last one has no value");
	add(&s, 0, NAN, 8);
	add_interval(&s);
	t = find(&s, "", "switches", 1);
	ok(t->sum.value == 8 && t->value.count == 16, "the whole after the intervals is not added to them");
	ok(s.totals.elapsed_ns == 14 && s.totals.last_ns == 7, "the times are also added up");
	setting_free(&s);
}

static void test_runs(void)
{
	struct setting s;

	setting_init(&s, false, 10);
	for (unsigned run = 1; run <= 3; run++) {
		add(&s, 0, NAN, 5)->run = run;
		add_interval(&s);
	}
	ok(sum(&s, "") == 15, "runs add up");
	add(&s, 0, NAN, 5);
	add_interval(&s);
	ok(sum(&s, "") == 15, "their means are not added to them");
	setting_free(&s);
	setting_init(&s, false, 10);
	add(&s, 0, NAN, 5);
	add_interval(&s);
	ok(sum(&s, "") == 5, "a single run's rows are its total");
	setting_free(&s);
}

static void test_places(void)
{
	struct setting s;

	setting_init(&s, false, 2);
	add_program(&s, "small", 1, 1);
	add_program(&s, "none", 1, 0);
	add_program(&s, "large", 1, 100);
	add_program(&s, "middle", 1, 10);
	add_interval(&s);
	ok(sum(&s, "large") == 100 && sum(&s, "middle") == 10, "the largest have the places");
	ok(sum(&s, "small") == UINT64_MAX && sum(&s, SUBJECT_OTHERS) == 1,
	   "all other work is in the row of the others");
	add_program(&s, "small", 2, 1000);
	add_program(&s, "large", 2, 1);
	add_interval(&s);
	ok(sum(&s, "large") == 101 && sum(&s, SUBJECT_OTHERS) == 1001,
	   "a task keeps its place, even if others are larger");
	ok(sum(&s, "middle") == 10 && !find(&s, "middle", "switches", 1)->is_current,
	   "and an idle task keeps its total");
	add_program(&s, "small", 61, 1);
	add_interval(&s);
	ok(sum(&s, "small") == UINT64_MAX && sum(&s, SUBJECT_OTHERS) == 1002, "for a minute");
	add_program(&s, "small", 61.5, 7);
	add_program(&s, "large", 61.5, 1);
	add_interval(&s);
	ok(sum(&s, "small") == 7 && sum(&s, "middle") == UINT64_MAX, "then another task gets its place, from 0 on");
	ok(sum(&s, "large") == 102 && sum(&s, SUBJECT_OTHERS) == 1002, "and the others keep theirs");
	add_program(&s, "middle", 62, 5);
	add_interval(&s);
	ok(sum(&s, "middle") == UINT64_MAX && sum(&s, SUBJECT_OTHERS) == 1007, "a returning task has lost its place");
	setting_free(&s);
}

static void test_names(void)
{
	struct setting s;
	struct row *row;

	setting_init(&s, true, 10);
	add(&s, 0, 1, 5);
	add(&s, 1, 1, 6);
	add_interval(&s);
	ok(find(&s, "", "switches", 1)->sum.value == 5 && find(&s, "", "switches", 2)->sum.value == 6,
	   "an event that was named twice has two totals");
	for (int i = 0; i < 2; i++) {
		add_program(&s, "a\xff", 2, 3);
		add_program(&s, "a\xfe", 2, 4);
		add_interval(&s);
	}
	ok(sum(&s, "a\xef\xbf\xbd") == 14, "names that are the same in UTF-8 are added up");
	ok(!find(&s, "a\xef\xbf\xbd", "switches", 1)->is_current,
	   "and have no value, since it would belong to one of them");
	add_program(&s, "(idle)", 3, 1);
	row = add(&s, 0, 3, 20); /* the idle task */
	row->subject = result_subject(&s.result, &(struct subject){.scope = AGGR_COMM, .id = "(idle)"});
	add_interval(&s);
	ok(s.totals.n == 4 && s.totals.tasks == 2, "a program may be called like the idle task");
	setting_free(&s);
}

static void test_metrics(void)
{
	struct setting s;

	setting_init(&s, false, 10);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++)
			add(&s, i, round, 5);
		for (size_t i = 0; i < 2; i++) {
			const struct item item = {
				.name = "CPUs utilized", .kind = ITEM_METRIC, .beside = s.result.rows[i].item->event};
			struct row *row = result_add(&s.result, &item);

			row->time = round;
			row->value = (struct value){.type = VALUE_REAL, .real = 1 + (double)i};
		}
		add_interval(&s);
	}
	for (unsigned i = 1; i <= 2; i++) {
		const struct total *t = find(&s, "", "CPUs utilized", i);

		ok(t && t->is_current && t->value.real == i, "each metric of one name has a separate value");
	}
	setting_free(&s);
}

static void test_reasons(void)
{
	struct setting s;
	struct row *row;

	setting_init(&s, false, 10);
	for (int i = 1; i <= 3; i++) {
		row = add(&s, 0, i, 5);
		row->status = i == 3 ? STATUS_EXACT : STATUS_LOST;
		row->reason = result_format(&s.result, "counted for %d%% only", i);
		add_interval(&s);
		if (i == 2)
			ok(strcmp(find(&s, "", "switches", 1)->reason, "counted for 1% only") == 0,
			   "a state has one reason as long as it lasts");
	}
	ok(strcmp(find(&s, "", "switches", 1)->reason, "counted for 3% only") == 0,
	   "and another state has another reason");
	setting_free(&s);
}

int main(void)
{
	test_intervals();
	test_runs();
	test_places();
	test_names();
	test_metrics();
	test_reasons();
	return tap_done();
}
