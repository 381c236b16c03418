/* The tables of a comparison, against tests/golden: their remarks on rows that have a value, and on commands; and that
 * of a calibration. */
#include "compare/calibration.h"
#include "compare/differences.h"
#include "metric/metric.h"
#include "records_bed.h"
#include "rendering.h"

#define USER_ONLY "counted in user space only: so it is permitted"
#define SOME_RUNS "it has a value in 1 of 2 runs"

static void add_ratio(struct result *result, unsigned command, bool approximate)
{
	static char none[] = "";
	static const struct metric metric = {.name = "ratio", .unit = none};
	struct row *row =
		result_add(result, &(struct item){.name = metric.name, .kind = ITEM_METRIC, .metric = &metric});

	row->command = command;
	row->value = (struct value){.type = VALUE_REAL, .real = 0.5};
	row->approximate = approximate;
	row->reason = approximate ? "approximate" : "";
}

static void make_comparison(struct result *result, const char *const *names)
{
	records_read(result, NULL,
		     "command | name            | status | value | error | user_only | reason\n"
		     "1       | everywhere      | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "1       | pmu/everywhere/ | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "1       | denied-in-1     | denied |       |       |           |\n"
		     "1       | user-in-1-3     | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "1       | some            | exact  | 100   |       |           | " SOME_RUNS "\n"
		     "1       | others          | exact  | 100   |       |           | " SOME_RUNS "\n"
		     "1       | scaled          | scaled | 5000  |       |           | it ran once\n"
		     "2       | everywhere      | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "2       | pmu/everywhere/ | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "2       | denied-in-1     | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "2       | user-in-1-3     | exact  | 100   |       |           |\n"
		     "2       | some            | exact  | 100   |       |           |\n"
		     "2       | others          | exact  | 100   |       |           |\n"
		     "2       | scaled          | scaled | 5000  |       |           |\n"
		     "3       | everywhere      | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "3       | pmu/everywhere/ | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "3       | denied-in-1     | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "3       | user-in-1-3     | exact  | 100   |       | true      | " USER_ONLY "\n"
		     "3       | some            | exact  | 100   |       |           | " SOME_RUNS "\n"
		     "3       | others          | exact  | 100   |       |           | " SOME_RUNS "\n"
		     "3       | scaled          | scaled | 5000  | 50    |           |\n",
		     0);
	for (unsigned command = 1; command <= 3; command++)
		add_ratio(result, command, command == 2);
	result->session = (struct session){.version = "1.2.3", .n_commands = 3, .command_names = names, .runs = 2};
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

/* n runs of each command. */
static void add_runs(struct result *result, const char *name, const char *unit, const double *values, unsigned n)
{
	for (unsigned command = 1; command <= result->session.n_commands; command++)
		records_add_values(result, command, name, unit, values + (command - 1) * n, n);
}

/* Each event with 12 runs of both commands. */
static void test_calibration(void)
{
	static const double alike[] = {101, 99,  100, 102, 98, 100, 101, 99,  97, 103, 100, 100,
				       99,  101, 102, 100, 98, 99,  100, 103, 97, 101, 100, 100};
	static const double kinds[] = {100, 131, 101, 100, 130, 99,  132, 100, 131, 130, 100, 131,
				       130, 100, 99,  131, 100, 132, 101, 130, 100, 100, 131, 130};
	static const double growing[] = {100, 101, 103, 104, 104, 106, 107, 108, 110, 111, 111, 113,
					 101, 101, 102, 104, 105, 106, 106, 109, 109, 111, 112, 112};
	static const double constant[] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
	static const double zero[24] = {0}, rare[24] = {[3] = 5, [20] = 7};
	static char word[] = "true", *command[] = {word, NULL};
	auto_free char *table = NULL, *markdown = NULL;
	struct result result;

	result = (struct result){0};
	result.session = (struct session){.version = "1.2.3",
					  .command = command,
					  .n_commands = 2,
					  .runs = 12,
					  .calibrates = true,
					  .has_order = true,
					  .has_seed = true,
					  .seed = 42};
	add_runs(&result, "alike", "", alike, 12);
	add_runs(&result, "kinds", "", kinds, 12);
	add_runs(&result, "growing", "", growing, 12);
	add_runs(&result, "constant", "", constant, 12);
	add_runs(&result, "zero", "", zero, 12);
	add_runs(&result, "rare", "", rare, 12);
	add_runs(&result, "short", "", alike, 3);
	differences_add(&result, 0.01);
	calibration_add(&result);
	table = render((struct report_options){.format = REPORT_TABLE, .verbose = true}, &result);
	is_golden("calibration", "table", table);
	markdown = render((struct report_options){.format = REPORT_MARKDOWN}, &result);
	is_golden("calibration", "md", markdown);
	result_free(&result);
}

#define RUNS 6

/* Elapsed times, counts and CPU times of three commands, and the answer below the table. The second command is the
 * fastest; it uses twelve times the CPU time of the third one. */
static void test_answer(const char *golden, const double *events, unsigned n_commands)
{
	static const double times[] = {420e6, 421e6, 419e6, 424e6, 423e6, 420e6, 100e6, 101e6, 100e6,
				       99e6,  102e6, 101e6, 101e6, 99e6,  103e6, 99e6,  104e6, 101e6};
	static const double cpu[] = {120e6, 122e6, 125e6, 120e6, 121e6, 121e6, 24e6, 24e6, 25e6,
				     23e6,  24e6,  24e6,  2e6,   2.1e6, 2e6,   2e6,  2e6,  2e6};
	static char a[] = "gzip", b[] = "zstd", c[] = "cat";
	char *first[] = {a, NULL}, *second[] = {b, NULL}, *third[] = {c, NULL};
	char **commands[] = {first, second, third};
	auto_free char *table = NULL, *markdown = NULL;
	struct result result;

	result = (struct result){0};
	result.session =
		(struct session){.version = "1.2.3", .n_commands = n_commands, .commands = commands, .runs = RUNS};
	add_runs(&result, "duration_time", "ns", times, RUNS);
	if (events)
		add_runs(&result, "faults", "", events, RUNS);
	add_runs(&result, "task-clock", "ns", cpu, RUNS);
	differences_add(&result, 0.01);
	table = render((struct report_options){.format = REPORT_TABLE}, &result);
	is_golden(golden, "table", table);
	markdown = render((struct report_options){.format = REPORT_MARKDOWN}, &result);
	is_golden(golden, "md", markdown);
	result_free(&result);
}

static void test_answers(void)
{
	/* the last one of the first command hides whether it has more than the others */
	static const double events[] = {101, 99, 100, 103, 102, 140, 100, 101, 99, 102, 100, 103, 0, 0, 0, 0, 0, 0};

	test_answer("answer_two", NULL, 2);
	test_answer("answer_three", NULL, 3);
	test_answer("answer_undecided", events, 2);
	test_answer("answer_zero", events, 3);
}

int main(void)
{
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC0", 1);
	test_tables();
	test_calibration();
	test_answers();
	return tap_done();
}
