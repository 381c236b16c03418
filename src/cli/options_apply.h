/* options_apply: a row of the table of options (options_table.c), and functions that apply an option's argument to
 * struct options. Each ends the program if the argument is wrong. For the files of options only. */
#pragma once

#include "cli/options_internal.h"

/* An option as given: the parameter of the functions in the table. */
struct given_option {
	const struct option_rule *rule;
	char *argument; /* may be NULL */
	struct options *options;
	struct argp_state *state;
};

/* A member of struct options; size 0: none. */
struct field {
	size_t offset, size;
};

/* Actions other than counting. */
enum {
	EXPLAIN = 1 << ACTION_EXPLAIN,
	LIST = 1 << ACTION_LIST,
	CHECK = 1 << ACTION_CHECK,
	DIFF = 1 << ACTION_DIFF,
	MERGE = 1 << ACTION_MERGE,
};

/* The maximal number of options, with a 0, any of which an option needs. */
#define NEEDS_MOST 7

struct option_rule {
	const char *name;
	int key;
	const char *argument, *doc;
	int flags, group; /* argp's */

	unsigned in;              /* the actions other than counting in which the option has a meaning */
	int needs[2][NEEDS_MOST]; /* one option of each list, unless it is empty; the lists end with 0 */

	struct field set; /* is set to value */
	int64_t value;

	/* Called in addition, usually for the argument; may be NULL. The members below are for apply. */
	void (*apply)(const struct given_option *given);
	struct field field; /* gets the argument */
	int64_t min, max, unit;
	enum event_option_kind of;
	const char *const *choices; /* max + 1 names, some of them NULL */
	const char *refusal;        /* the error for a wrong argument, continuing "is": "not a number" */
	const char *alias;          /* in messages; NULL: the long name */
};

/* Returns the option of this key, or NULL. */
const struct option_rule *options_rule(int key);
/* Sets a member of any integer type. */
void options_store(const struct given_option *given, const struct field *field, int64_t value);

void apply_text(const struct given_option *given);
void apply_show_output(const struct given_option *given);
void apply_number(const struct given_option *given);
void apply_percent(const struct given_option *given);
void apply_choice(const struct given_option *given);
void apply_seed(const struct given_option *given);
void apply_delay(const struct given_option *given);
void apply_named_cgroup(const struct given_option *given);
void apply_event_option(const struct given_option *given);
void apply_metrics(const struct given_option *given);
void apply_ids(const struct given_option *given);
void apply_cpus(const struct given_option *given);
void apply_scope(const struct given_option *given);
void apply_top(const struct given_option *given);
void apply_cache(const struct given_option *given);
void apply_control(const struct given_option *given);
void apply_regions(const struct given_option *given);
void apply_separator(const struct given_option *given);
void apply_file(const struct given_option *given);
void apply_export(const struct given_option *given);
void apply_plot(const struct given_option *given);
void apply_scan(const struct given_option *given);
void apply_name(const struct given_option *given);
void show_information(const struct given_option *given);
