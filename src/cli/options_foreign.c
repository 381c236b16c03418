/* Options of other programs, and words that are not options.
 *
 * Options of perf stat that are accepted without effect, since pfmstat does the same by default; options of perf stat
 * and of hyperfine that are refused by a line that names a replacement; and perf's subcommands. pfmstat-perf(7) has a
 * row for each option of perf. --help does not show them.
 *
 * Errors for words that getopt refused: the mistake, and options that may have been meant, which getopt's messages
 * lack. */
#include <string.h>

#include "cli/options_internal.h"
#include "lib/text.h"
#include "lib/util.h"

static const struct argp_option accepted[] = {
	{.name = "group", .key = 'g'}, /* events that fit are grouped anyway */
	{.name = "inherit", .key = KEY_END + 1},
	{.name = "metric-no-group", .key = KEY_END + 1},
	{.name = "metric-no-merge", .key = KEY_END + 1},
	{.name = "no-affinity", .key = KEY_END + 1},
	{.name = "no-metric-no-group", .key = KEY_END + 1},
	{.name = "no-metric-no-merge", .key = KEY_END + 1},
	{.name = "no-percore-show-thread", .key = KEY_END + 1},
	{.name = "no-smi-cost", .key = KEY_END + 1},
	{.name = "no-transaction", .key = KEY_END + 1},
	{.key = 'c'}, /* before Linux 5.3, the letter of --scale */
};
_Static_assert(ARRAY_SIZE(accepted) <= OPTIONS_PERF_MAX, "room in the table of argp");

#define NO_BPF   "pfmstat neither counts nor uses BPF programs; use bpftool prog profile"
#define NO_TPEBS "pfmstat takes no samples; use perf record"
#define SCAN     "use --scan=NAME=FROM..TO, or FROM..TO+STEP, and {NAME} in the command"

/* A letter that is an option of pfmstat has no row. */
static const struct refused {
	const char *name;
	char letter; /* 0 without one */
	const char *instead;
} refused[] = {
	/* perf stat's */
	{"transaction", 'T', "name the events: -e '{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}'"},
	{"smi-cost", 0, "name the events: -a -e msr/smi/,msr/aperf/,cycles"},
	{"iostat", 0, "name the events of the uncore PMUs; --list=uncore shows them"},
	{"cputype", 0, "use --pmu-filter=cpu_core or cpu_atom"},
	{"percore-show-thread", 0, "use --per-core: each CPU's row would only repeat the count of its core"},
	{"bpf-prog", 'b', NO_BPF},
	{"bpf-counters", 0, NO_BPF},
	{"bpf-attr-map", 0, NO_BPF},
	{"record-tpebs", 0, NO_TPEBS},
	{"tpebs-mode", 0, NO_TPEBS},

	/* hyperfine's */
	{"runs", 0, "use -r N"},
	{"min-runs", 'm', "use -r N; by default a comparison has at least 10 runs of each command, for 3 s"},
	{"max-runs", 0, "use -r N; with --until=PCT there are at most N runs"},
	{NULL, 'w', "use --warmup=N"},
	{NULL, 's', "use --setup=CMD"},
	{"prepare", 0, "use --pre=CMD"},
	{"conclude", 0, "use --post=CMD"},
	{"cleanup", 0, "in the shell: pfmstat COMMAND; CMD"},
	{"parameter-scan", 'P', SCAN},
	{"parameter-step-size", 0, SCAN},
	{"parameter-list", 'L', "use --scan=NAME=A,B,C, and {NAME} in the command"},
	{"reference", 0, "the first command is the reference: pfmstat REFERENCE ::: OTHER"},
	{"reference-name", 0, "use --name=NAME before the other names"},
	{"command-name", 0, "use --name=NAME"},
	{"shell", 0, "name the shell: pfmstat SHELL -c 'COMMAND'"},
	{NULL, 'N', "not needed: commands run without a shell"},
	{"env", 0, "set it with env: pfmstat env NAME=VALUE COMMAND"},
	{"style", 0, "use --color=auto, always or never"},
	{"time-unit", 'u', "units are fixed; times of --csv and --json are in ns"},
	{"export-json", 0, "use --export=FILE.json"},
	{"export-csv", 0, "use --export=FILE.csv"},
	{"export-markdown", 0, "use --export=FILE.md"},
	{"export-asciidoc", 0, "use --export=FILE.md"},
	{"export-orgmode", 0, "use --export=FILE.md"},
};

static const struct subcommand {
	const char *name;
	bool after_options; /* perf also accepts it after options */
	const char *instead;
} subcommands[] = {
	{"record", true, "pfmstat records no perf.data; --json -o FILE saves a report"},
	{"report", true, "pfmstat reads no perf.data; --diff compares reports saved with --json"},
	{"list", false, "use --list, or --list=PATTERN"},
	{"help", false, "use --help, or man pfmstat"},
};

void options_perf_table(struct argp_option *table)
{
	memcpy(table, accepted, sizeof(accepted));
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		table[i].flags = OPTION_HIDDEN;
}

/* Abbreviations of perf stat's options that also begin other options of pfmstat. */
static const struct {
	const char *text, *name;
} abbreviations[] = {
	{"bi", "big-num"},
	{"co", "control"},
	{"con", "control"},
	{"cont", "control"},
	{"e", "event"},
	{"fo", "for-each-cgroup"},
	{"for", "for-each-cgroup"},
	{"l", "log-fd"},
	{"o", "output"},
	{"po", "post"},
	{"re", "repeat"},
	{"sc", "scale"},
	{"sca", "scale"},
	{"to", "topdown"},
	{"v", "verbose"},
	{"ve", "verbose"},
	{"ver", "verbose"},
};
_Static_assert(ARRAY_SIZE(abbreviations) <= OPTIONS_ABBREVIATED_MAX, "room in the table of argp");

static bool is_last(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc;
}

void options_perf_abbreviate(struct argp_option *table)
{
	size_t n = 0;

	while (!is_last(&table[n]))
		n++;
	for (size_t i = 0; i < ARRAY_SIZE(abbreviations); i++) {
		const struct argp_option *o = table;

		while (!o->name || strcmp(o->name, abbreviations[i].name) != 0)
			o++;
		table[n] = *o;
		table[n].name = abbreviations[i].text;
		table[n++].flags |= OPTION_HIDDEN;
	}
}

error_t options_perf_apply(int key)
{
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		if (accepted[i].key == key)
			return 0;
	return ARGP_ERR_UNKNOWN;
}

bool options_perf_word(const struct argp_state *state)
{
	int at = state->next - 1;
	const char *word = state->argv[at];
	bool first = at == 1 || (at == 2 && strcmp(state->argv[1], "stat") == 0);

	if (state->quoted) /* after -- */
		return false;
	for (const struct subcommand *s = subcommands; s < subcommands + ARRAY_SIZE(subcommands); s++)
		if (strcmp(word, s->name) == 0 && (first || s->after_options))
			argp_failure(state, EXIT_FAILED, 0, "'%s': %s; '-- %s' runs a program of that name", word,
				     s->instead, word);
	return at == 1 && strcmp(word, "stat") == 0;
}

/* ---- unknown options ---- */

/* Finds the options that n bytes of a long name may mean: the option of exactly this name, or those that begin with it,
 * each key once. */
static void match_name(const struct argp_option *table, const char *name, size_t n, struct strings *names)
{
	int key = 0;

	for (const struct argp_option *o = table; !is_last(o); o++) {
		if (!o->name || strncmp(o->name, name, n) != 0 || (o->key && o->key == key))
			continue;
		if (o->key)
			key = o->key;
		if (!o->name[n]) {
			strings_free(names);
			strings_add(names, "--%s", o->name);
			return;
		}
		strings_add(names, "--%s", o->name);
	}
}

static void suggest_names(const struct argp_option *table, const char *word, char *text, size_t size)
{
	struct suggest near = {.word = word};

	for (const struct argp_option *o = table; !is_last(o); o++) {
		auto_free char *name = o->name ? xasprintf("--%s", o->name) : NULL;

		if (name && !(o->flags & OPTION_HIDDEN))
			suggest_offer(&near, name);
	}
	suggest_finish(&near, text, size);
}

/* Looks the option up by the n bytes of its name, or by its letter. Ends the program if it belongs to another tool. */
static void refuse_other_tools(const struct argp_state *state, const char *name, size_t n)
{
	for (const struct refused *r = refused; r < refused + ARRAY_SIZE(refused); r++) {
		if (n == 1 && *name == r->letter)
			argp_failure(state, EXIT_FAILED, 0, "-%c: %s", *name, r->instead);
		if (n > 1 && r->name && strncmp(r->name, name, n) == 0 && !r->name[n])
			argp_failure(state, EXIT_FAILED, 0, "--%s: %s", r->name, r->instead);
	}
}

static void refuse_option(const struct argp_state *state, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct argp_option *table = state->root_argp->options;
	auto_strings struct strings names = {0};
	auto_free char *option = xstrndup(word, n);
	char text[256];

	refuse_other_tools(state, word + 2, n - 2);
	match_name(table, word + 2, n - 2, &names);
	if (names.n > 1)
		argp_error(state, "option '%s' is ambiguous: %s", option, strings_fit(&names, text, sizeof(text)));
	else if (names.n == 1)
		argp_error(state, "option '%s' %s", names.v[0],
			   word[n] ? "doesn't allow an argument" : "requires an argument");
	suggest_names(table, option, text, sizeof(text));
	argp_error(state, "unrecognized option '%s'%s%s", option, *text ? "; " : "", text);
}

static void refuse_letters(const struct argp_state *state, const char *letter)
{
	const struct argp_option *o = NULL;

	for (; *letter; letter++) {
		for (o = state->root_argp->options; !is_last(o) && o->key != (unsigned char)*letter;)
			o++;
		if (is_last(o)) {
			refuse_other_tools(state, letter, 1);
			argp_error(state, "invalid option -- '%c'", *letter);
		}
		if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL))
			argp_error(state, "option requires an argument -- '%c'", *letter);
	}
}

void options_refuse_unknown(const struct argp_state *state)
{
	const struct parsing *p = state->input;
	const char *word = state->argv[p->next > 0 ? p->next : 1];

	if (word[1] == '-')
		refuse_option(state, word);
	else
		refuse_letters(state, word + 1);
	exit(EXIT_FAILED); /* not reached: one of these calls has ended the program */
}
