/* The model: rows keep their strings whatever becomes of the originals, and begin with nothing claimed. */
#include "rows/result.h"

#include <stdlib.h>

#include "tap.h"

static void test_rows(void)
{
	struct result result;
	char name[32];
	bool kept = true;
	struct row *row;

	result = (struct result){0};
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "event-%u", i);
		result_add(&result, &(struct item){.name = name})->group = (int)i;
	}
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "event-%u", i);
		kept &= strcmp(result.rows[i].item->name, name) == 0 && result.rows[i].group == (int)i;
	}
	ok(kept, "5000 rows and their names survive the growth of the list");
	row = result_add(&result, &(struct item){.name = result.rows[4999].item->name, .kind = ITEM_METRIC});
	is_string(row->item->name, "event-4999", "a name may come from a row");
	ok(isnan(row->time) && isnan(row->error) && isnan(row->spread->stddev) && row->spread->min.type == VALUE_NONE &&
		   row->spread->median.type == VALUE_NONE && row->spread->max.type == VALUE_NONE,
	   "a new row has no values");
	ok(row->value.type == VALUE_NONE && !row->has_raw && row->run == 0 && row->command == 1, "and no value");
	is_string(row->subject->id, "", "and no place");
	is_string(row->reason, "", "and no reason");
	is_string(result_text(&result, ""), "", "an empty text");
	result_free(&result);
	result_free(&result);
	is_number(result.n, 0, "freed twice without harm");
}

/* The memory after the rows is taken, so that the list moves when it grows. */
static void test_copies(void)
{
	struct result result;
	bool kept = true;

	result = (struct result){0};
	result_add(&result, &(struct item){.name = "first", .kind = ITEM_METRIC})->time = 5;
	for (unsigned i = 0; i < 1000; i++) {
		auto_free char *taken = xmalloc(2000);
		const struct row *row = result_add_copy(&result, &result.rows[0]);

		kept &= row->item->kind == ITEM_METRIC && row->time == 5;
	}
	ok(kept, "a row may be a copy of another row of its result");
	result_free(&result);
}

static void test_clocks(void)
{
	struct row rows[RESULT_CLOCKS];
	struct result result;

	result = (struct result){0};
	result.session.elapsed_ns = 1500;
	result_clocks(&result, rows);
	is_string(rows[0].item->name, "duration_time", "the elapsed time comes first");
	is_number(rows[0].value.count, 1500, "with its value");
	is_string(rows[3].item->name, "max_rss", "the peak memory comes last");
	is_string(rows[3].item->unit, "B", "in bytes");
	ok(rows[1].status == STATUS_UNSUPPORTED && rows[1].value.type == VALUE_NONE && *rows[1].reason,
	   "without a command there is no user time, and it says why");
	result.session.has_usage = true;
	result.session.user_ns = 7;
	result.session.system_ns = 8;
	result.session.max_rss = 9;
	result_clocks(&result, rows);
	ok(rows[1].value.count == 7 && rows[2].value.count == 8 && rows[3].value.count == 9, "with a command there is");
	result_free(&result);
}

static void test_names(void)
{
	static const char *const statuses[] = {"exact",   "scaled",      "partial", "idle",
					       "starved", "unsupported", "denied",  "lost"};
	static const char *const scopes[] = {"total",  "cpu",  "core",   "cluster", "cache", "die",
					     "socket", "node", "thread", "process", "comm",  "cgroup"};

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		is_string(status_name((enum status)i), statuses[i], "a status' name");
		is_number(status_has_value((enum status)i), i < 4, "only the first four have a value");
	}
	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++)
		is_string(aggr_mode_name((enum aggr_mode)i), scopes[i], "a scope's name");
	ok(isnan(value_real((struct value){0})), "no value is not a number");
	ok(value_real((struct value){.type = VALUE_COUNT, .count = 3}) == 3.0, "a count as a real");
	ok(value_real((struct value){.type = VALUE_REAL, .real = 2.5}) == 2.5, "a real");
}

/* Saved reports have only the texts. */
static void test_reasons(void)
{
	struct row row = {.reason = ""};

	for (enum why why = WHY_NOT_CODED + 1; why < WHY_CODES; why++)
		if (*why_text(why))
			is_number(why_of_text(why_text(why)), why, why_text(why));
	is_number(why_of_text(""), WHY_NOT_CODED, "no reason has no code");
	is_number(why_of_text("it never ran"), WHY_NOT_CODED, "nor has another text");
	row_explain(&row, WHY_PEAK);
	is_string(row.reason, why_text(WHY_PEAK), "a row gets the text of its code");
	row_explain_text(&row, "it never ran");
	is_number(row.why, WHY_NOT_CODED, "a text removes the code");
}

int main(void)
{
	test_reasons();
	test_rows();
	test_copies();
	test_clocks();
	test_names();
	return tap_done();
}
