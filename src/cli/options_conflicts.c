/* Options that do not go together. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/options_internal.h"
#include "lib/util.h"

/* Pairs that exclude each other. */
static const struct conflict {
	int a, b;
	const char *why;
} conflicts[] = {
	{KEY_ALL_USER, KEY_ALL_KERNEL, "nothing would be left to count"},
	{KEY_NO_MULTIPLEX, 'p', "only a command can be run again"},
	{KEY_NO_MULTIPLEX, 't', "only a command can be run again"},
	{KEY_NO_MULTIPLEX, 'a', "only a command's own counts can be put together from several runs"},
	{KEY_NO_MULTIPLEX, 'C', "only a command's own counts can be put together from several runs"},
	{KEY_NO_MULTIPLEX, 'I', "the intervals of one run are not those of the next"},
	{KEY_NO_MULTIPLEX, KEY_CONTROL, "who would know which run it is?"},
	{KEY_NO_MULTIPLEX, KEY_SCALE, "nothing is scaled then"},
	{'p', 't', "count either processes or threads"},
	{'p', 'a', "count either processes or CPUs"},
	{'p', 'C', "count either processes or CPUs"},
	{'t', 'a', "count either threads or CPUs"},
	{'t', 'C', "count either threads or CPUs"},
	{'G', KEY_FOR_EACH_CGROUP, "choose one"},
	{'x', KEY_CSV, "choose one format"},
	{'x', 'j', "choose one format"},
	{KEY_CSV, 'j', "choose one format"},
	{'o', KEY_LOG_FD, "choose one place for the report"},
	{KEY_BY, 't', "threads start no processes of their own: give -p, the process"},
	{KEY_BY, 'i', "without child processes there is one row"},
	{KEY_BY, 'r', "no process is there in two runs"},
	{KEY_BY, KEY_NO_MULTIPLEX, "no process is there in two runs"},
	{KEY_BY, KEY_COMPARISON, "no process is there in two runs"},
	{KEY_BY, KEY_CONTROL, "who is whose child is known from the command's start on alone"},
	{KEY_PER_THREAD, 'r', "no thread is there in two runs"},
	{KEY_PER_THREAD, KEY_COMPARISON, "no thread is there in two runs"},
	{KEY_PER_THREAD, KEY_BY, "choose one"},
	{KEY_FOLDED, 'x', "choose one format"},
	{KEY_FOLDED, 'j', "choose one format"},
	{KEY_FOLDED, KEY_CSV, "choose one format"},
	{KEY_FOLDED, 'I', "paths are made of the whole"},
	{KEY_FOLDED, KEY_TOP, "paths are made of all processes"},
	{KEY_FOLDED, KEY_SORT, "paths are in order of their names"},
	{KEY_LIST, KEY_COMMAND, "--list runs nothing; with a pattern it is --list=PATTERN"},
	{KEY_DIFF, 'e', "--diff compares what is in the files"},
	{KEY_DIFF, 'x', "perf's columns have no place for it; use --csv or -j"},
	{'r', 'I', "the intervals of one run are not those of the next"},
	{KEY_COMPARISON, 'I', "the intervals of one run are not those of the next"},
	{'r', KEY_CONTROL, "who would know which run it is?"},
	{KEY_COMPARISON, KEY_CONTROL, "who would know which run it is?"},
	{KEY_COMPARISON, 'x', "perf's columns have no place for it; use --csv or -j"},
};

/* What there is besides counting, and the options that it heeds. */
static const struct action {
	int key;
	const char *what; /* it does instead */
	int heeds[20];    /* 0: the end */
} actions[] = {
	{KEY_LIST, "--list counts nothing; it goes to standard output, with -j as JSON Lines", {'j'}},
	{KEY_EXPLAIN,
	 "--explain runs nothing; it goes to standard output, as text",
	 {'e', KEY_FILTER, 'd', KEY_ALL_USER, KEY_ALL_KERNEL, KEY_NO_GROUP, KEY_STRICT, 'i', 'p', 't', 'a', 'C',
	  KEY_CONTROL}},
	{KEY_DIFF,
	 "--diff runs nothing",
	 {'j', KEY_CSV, 'o', KEY_APPEND, KEY_LOG_FD, 'B', KEY_NO_BIG_NUM, 'v', KEY_THRESHOLD, KEY_FAIL_IF}},
};

static void print_key(FILE *out, const struct argp_state *state, int key)
{
	for (const struct argp_option *o = state->root_argp->options; o->name || o->doc; o++) {
		if (o->key != key || !o->name)
			continue;
		fprintf(out, "--%s", o->name);
		return;
	}
	fputs(key == KEY_COMPARISON ? "':::'" : "a command", out);
}

static void refuse(struct argp_state *state, int a, int b, const char *why)
{
	auto_free char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	print_key(out, state, a);
	fputs(" and ", out);
	print_key(out, state, b);
	fclose(out);
	argp_error(state, "%s do not go together: %s", text, why);
}

static bool heeds(const struct action *action, int key)
{
	const int *k = action->heeds;

	while (*k && *k != key)
		k++;
	return *k != 0;
}

void options_check_conflicts(struct argp_state *state, const bool given[static KEY_END])
{
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++)
		if (given[conflicts[i].a] && given[conflicts[i].b])
			refuse(state, conflicts[i].a, conflicts[i].b, conflicts[i].why);
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		const struct action *action = &actions[i];

		if (!given[action->key])
			continue;
		/* from the last: a command or --folded rather than what they imply */
		for (int key = KEY_END - 1; key > 0; key--)
			if (given[key] && key != action->key && !heeds(action, key))
				refuse(state, action->key, key, action->what);
	}
}
