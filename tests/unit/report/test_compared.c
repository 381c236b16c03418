/* The tables of a comparison, against tests/golden: their remarks on rows that have a value, and on commands. */
#include "compare/differences.h"
#include "metric/formula.h"
#include "rendering.h"
#include "tap.h"

#define USER_ONLY "counted in user space only: so it is permitted"
#define SOME_RUNS "it has a value in 1 of 2 runs"

static struct row *add_row(struct result *result, unsigned command, const char *name, double value)
{
	struct row *row = result_add(result, ROW_COUNT, name);

	row->command = command;
	row->counted_event = true;
	row->value = (struct value){.type = VALUE_REAL, .real = value};
	return row;
}

static void add_user_only(struct result *result, unsigned command, const char *name)
{
	struct row *row = add_row(result, command, name, 100);

	row->user_only = true;
	row->reason = USER_ONLY;
}

static void add_denied(struct result *result, unsigned command, const char *name)
{
	struct row *row = add_row(result, command, name, NAN);

	row->status = STATUS_DENIED;
	row->value = (struct value){.type = VALUE_NONE};
}

static void add_scaled(struct result *result, unsigned command, const char *name, double error, const char *reason)
{
	struct row *row = add_row(result, command, name, 5000);

	row->status = STATUS_SCALED;
	row->error = error;
	row->reason = reason;
}

static void add_ratio(struct result *result, unsigned command, bool approximate)
{
	static char none[] = "";
	static const struct formula formula = {.name = "ratio", .unit = none};
	struct row *row = add_row(result, command, formula.name, 0.5);

	row->kind = ROW_METRIC;
	row->formula = &formula;
	row->approximate = approximate;
	row->reason = approximate ? "approximate" : "";
}

static void make_comparison(struct result *result, const char *const *names)
{
	result_init(result);
	result->session = (struct session){.version = "1.2.3", .n_commands = 3, .command_names = names, .runs = 2};
	for (unsigned command = 1; command <= 3; command++) {
		add_user_only(result, command, "everywhere");
		add_user_only(result, command, "pmu/everywhere/");
		if (command == 1)
			add_denied(result, command, "denied-in-1");
		else
			add_user_only(result, command, "denied-in-1");
		if (command == 2)
			add_row(result, command, "user-in-1-3", 100);
		else
			add_user_only(result, command, "user-in-1-3");
		add_row(result, command, "some", 100)->reason = command == 2 ? "" : SOME_RUNS;
		add_row(result, command, "others", 100)->reason = command == 2 ? "" : SOME_RUNS;
		add_scaled(result, command, "scaled", command == 3 ? 50 : NAN, command == 1 ? "it ran once" : "");
		add_ratio(result, command, command == 2);
	}
	differences_add(result, 0.01);
}

static void test_tables(void)
{
	static const char *const names[] = {"true", "sleep 1", "sleep 2"};
	auto_free char *table = NULL, *markdown = NULL;
	struct result result;

	make_comparison(&result, names);
	table = render((struct report_options){.format = REPORT_TABLE}, &result);
	is_golden("comparison", "table", table);
	markdown = render((struct report_options){.format = REPORT_MARKDOWN}, &result);
	is_golden("comparison", "md", markdown);
	result_free(&result);
}

int main(void)
{
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC0", 1);
	test_tables();
	return tap_done();
}
