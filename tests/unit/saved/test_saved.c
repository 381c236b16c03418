/* What --json writes is what saved reads: each column of a row comes back. */
#include "saved/saved.h"

#include <string.h>

#include "rendering.h"
#include "rows/columns.h"
#include "tap.h"

static bool is_same_cell(const struct cell *a, const struct cell *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case CELL_STRING:
		return strcmp(a->string, b->string) == 0;
	case CELL_COUNT:
		return a->count == b->count;
	case CELL_REAL:
		return a->real == b->real;
	case CELL_TRUTH:
		return a->truth == b->truth;
	case CELL_NONE:
		break;
	}
	return true;
}

/* A row with a value in every column that is read back. */
static void add_full_row(struct result *result)
{
	struct row *row = result_add(
		result, &(struct item){.name = "a,\"b\" \xc3\xa4", .unit = "J", .counted = true, .event_number = 1});

	row->subject = result_subject(
		result,
		&(struct subject){
			.scope = AGGR_PROCESS, .id = "42", .cgroup = "/one", .comm = "sh\n", .pid = 42, .ppid = 41});
	row->status = STATUS_SCALED;
	row->value = count_value(UINT64_MAX - 1);
	row->error = 0.1;
	row->low = 1.5;
	row->high = 2.25;
	*result_spread(result, row) = (struct spread){.n = 3,
						      .stddev = 1e-7,
						      .min = count_value(1),
						      .median = real_value(2.5),
						      .max = count_value(UINT64_MAX)};
	row->group = 7;
	row->user_only = row->approximate = true;
	row->threshold = THRESHOLD_BEYOND;
	row->has_raw = true;
	row_explain(row, WHY_TOO_LARGE);
}

/* Rows of one interval, of one run and of no value: the first two are left out. */
static void add_other_rows(struct result *result)
{
	result_add(result, &(struct item){.name = "cs", .counted = true})->time = 1.5;
	result_add(result, &(struct item){.name = "cs", .counted = true})->run = 2;
	result_add(result, &(struct item){.name = "cs", .counted = true})->status = STATUS_DENIED;
}

static void test_columns(void)
{
	auto_free char *path = temp_path();
	struct result result = {.session = {.version = "1"}};
	struct cell written[COLUMNS], read[COLUMNS];
	struct saved saved;
	struct error e;

	add_full_row(&result);
	add_other_rows(&result);
	ok(render_to(&(struct report_options){.format = REPORT_JSON, .path = path}, &result, &e) == 0, "it is written");
	ok(saved_read(&saved, (char *[]){path, NULL}, true, &e) == 0, "it is read");
	column_cells(&result.rows[0], written);
	column_cells(&saved.result.rows[0], read);
	for (enum column i = 0; i < COLUMNS; i++) {
		bool has = written[i].type != CELL_NONE;

		if (columns[i].size == 0)
			ok(read[i].type == CELL_NONE, columns[i].name);
		else
			ok(is_same_cell(&written[i], &read[i]) && has == (i != COLUMN_TIME && i != COLUMN_RUN),
			   columns[i].name);
	}
	is_number(saved.result.rows[0].why, WHY_TOO_LARGE, "the reason has its code");
	ok(strcmp(saved.result.rows[1].item->name, "cs") == 0 && saved.result.rows[1].status == STATUS_DENIED,
	   "rows of intervals and of single runs are left out");
	saved_free(&saved);
	result_free(&result);
	unlink(path);
}

static void test_find(void)
{
	for (enum column i = 0; i < COLUMNS; i++)
		ok(column_find(columns[i].name, i) == i && column_find(columns[i].name, COLUMN_HIGH) == i &&
			   column_find(columns[i].name, COLUMNS) == i,
		   "a column is found from any place");
	is_number(column_find("values", COLUMN_VALUE), COLUMNS, "there is no other column");
}

int main(void)
{
	test_columns();
	test_find();
	return tap_done();
}
