/* options_repeat: the part of the command line that is about repeats and comparisons; options.c has its table.
 */
#pragma once

#include <argp.h>

#include "run/repeat.h"

/* Keys of options without a letter; those of options.c are below. */
enum {
	KEY_WARMUP = 192,
	KEY_PRE,
	KEY_POST,
	KEY_UNTIL,
	KEY_SEED,
	KEY_THRESHOLD,
	KEY_RANDOMIZE_ENV,
	KEY_FAIL_IF,
	KEY_DIFF,
	KEY_CAMPAIGN_END,
};

struct judging_options {
	double threshold;    /* a share */
	const char *fail_if; /* NULL: none */
};

/* Runs of each command of a comparison when nothing is said. */
#define COMPARISON_RUNS 10
/* At most, with --until alone. */
#define UNTIL_RUNS_MAX 1000

void options_repeat_init(struct repeat_options *repeat, struct judging_options *judging);

/* As argp's parsers: 0, or ARGP_ERR_UNKNOWN. */
error_t options_repeat_parse(int key, char *arg, struct argp_state *state, struct repeat_options *repeat,
			     struct judging_options *judging);

/* Split words at `:::` into commands, each ended by NULL, in place; n is how many. To be freed. Ends the program when
 * one is empty. */
char ***options_repeat_split(struct argp_state *state, char **words, size_t *n);

/* Once all is parsed: the defaults, and what needs a command or several. once: an option that is about a single run;
 * NULL: none was given. */
void options_repeat_finish(struct argp_state *state, struct repeat_options *repeat,
			   const struct judging_options *judging, size_t n_commands, const char *once);
