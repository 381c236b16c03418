/* options_internal: what the files of options share; nobody else includes it. Each parser is as argp's: 0, or
 * ARGP_ERR_UNKNOWN for a key that is not its own.
 */
#pragma once

#include <argp.h>

#include "cli/options.h"

/* Keys of options without a letter; all keys are below KEY_END, so that a bit says which were given. */
enum {
	KEY_FILTER = 128,
	KEY_ALL_USER,
	KEY_ALL_KERNEL,
	KEY_NO_GROUP,
	KEY_NO_MULTIPLEX,
	KEY_STRICT,
	KEY_SCALE,
	KEY_CSV,
	KEY_APPEND,
	KEY_LOG_FD,
	KEY_NO_BIG_NUM,
	KEY_EXPLAIN,
	KEY_LIST,
	KEY_TIMEOUT,
	KEY_INTERVAL_COUNT,
	KEY_INTERVAL_CLEAR,
	KEY_SUMMARY,
	KEY_NO_CSV_SUMMARY,
	KEY_CONTROL,
	KEY_PER_CORE,
	KEY_PER_CLUSTER,
	KEY_PER_CACHE,
	KEY_PER_DIE,
	KEY_PER_SOCKET,
	KEY_PER_NODE,
	KEY_FOR_EACH_CGROUP,
	KEY_PER_THREAD,
	KEY_USAGE,
	KEY_BY,
	KEY_CMDLINE,
	KEY_TOP,
	KEY_SORT,
	KEY_FOLDED,
	KEY_COMMAND,    /* no option: the command was given */
	KEY_COMPARISON, /* nor this: several were */
	KEY_END = KEY_CAMPAIGN_END,
};

#define EXIT_USAGE 125

error_t options_parse_target(int key, char *arg, struct argp_state *state, struct options *o);
error_t options_parse_pace(int key, char *arg, struct argp_state *state, struct options *o);
/* An option that was given and is about a single run; NULL: none. */
const char *options_of_one_run(const struct options *o);
error_t options_parse_output(int key, char *arg, struct argp_state *state, struct report_options *r);
error_t options_parse_by(int key, char *arg, struct argp_state *state, struct options *o);
void options_finish_by(struct argp_state *state, struct options *o);
/* Ends the program if two of the options that were given exclude each other. */
void options_check_conflicts(struct argp_state *state, const bool given[static KEY_END]);
error_t options_parse_information(int key, struct argp_state *state);
