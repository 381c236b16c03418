/* Options that are not ours.
 *
 * What only perf stat has, so that scripts made for it work or are told why not: options that are accepted without
 * effect, since the effect is there already, options that are refused by a line that names what to use instead, and
 * perf's subcommands. pfmstat-perf(7) has a row for each option. --help does not show them.
 *
 * What is said of a word that getopt refused: what is wrong with it, and which options may have been meant. getopt's
 * own messages, which these replace, do not say the latter.
 */
#include <string.h>

#include "cli/options_internal.h"
#include "lib/text.h"
#include "lib/util.h"

#define NO_BPF   "BPF programs are neither counted nor used; bpftool prog profile counts one"
#define NO_TPEBS "pfmstat takes no samples; use perf record"

static const struct perf_option {
	const char *name;
	int letter; /* 0: none */
	const char *argument;
	int flags;           /* argp's */
	const char *instead; /* NULL: accepted */
} perf_options[] = {
	{"group", 'g', NULL, 0, NULL}, /* events that fit are grouped anyway */
	{"inherit", 0, NULL, 0, NULL},
	{"hybrid-merge", 0, NULL, 0, NULL},
	{"metric-no-group", 0, NULL, 0, NULL},
	{"metric-no-merge", 0, NULL, 0, NULL},
	{"no-affinity", 0, NULL, 0, NULL},

	{"transaction", 'T', NULL, 0, "name the events: -e '{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}'"},
	{"smi-cost", 0, NULL, 0, "name the events: -a -e msr/smi/,msr/aperf/,cycles"},
	{"iostat", 0, "PORTS", OPTION_ARG_OPTIONAL, "name the events of the uncore PMUs; --list=uncore has them"},
	{"cputype", 0, "TYPE", 0, "name the PMU: -e cpu_core/cycles/ or -e cpu_atom/cycles/"},
	{"pmu-filter", 0, "PMU", 0, "name the PMU: -e hisi_sicl2_cpa0/cycles/"},
	{"percore-show-thread", 0, NULL, 0, "use --per-core: each CPU's row would only repeat the count of its core"},
	{"bpf-prog", 'b', "ID", 0, NO_BPF},
	{"bpf-counters", 0, NULL, 0, NO_BPF},
	{"bpf-attr-map", 0, "PATH", 0, NO_BPF},
	{"record-tpebs", 0, "MODE", OPTION_ARG_OPTIONAL, NO_TPEBS},
	{"tpebs-mode", 0, "MODE", 0, NO_TPEBS},

	/* before Linux 5.3, the letter of --scale; in the end, for it has no name */
	{NULL, 'c', NULL, 0, NULL},
};
_Static_assert(ARRAY_SIZE(perf_options) <= OPTIONS_PERF_MAX, "room in the table of argp");

static const struct subcommand {
	const char *name;
	bool after_options; /* perf takes it there, too */
	const char *instead;
} subcommands[] = {
	{"record", true, "nothing is recorded in perf.data; --json -o FILE saves a report"},
	{"report", true, "perf.data is not read; --diff compares reports that were saved with --json"},
	{"list", false, "use --list, or --list=PATTERN"},
	{"help", false, "use --help; man pfmstat has more"},
};

/* Those without a letter have keys that struct parsing does not count. */
static int key_of(const struct perf_option *option)
{
	return option->letter ? option->letter : KEY_END + 1 + (int)(option - perf_options);
}

void options_perf_table(struct argp_option *table)
{
	for (const struct perf_option *p = perf_options; p < perf_options + ARRAY_SIZE(perf_options); p++)
		*table++ = (struct argp_option){
			.name = p->name, .key = key_of(p), .arg = p->argument, .flags = p->flags | OPTION_HIDDEN};
}

error_t options_perf_apply(int key, const struct argp_state *state)
{
	for (const struct perf_option *p = perf_options; p < perf_options + ARRAY_SIZE(perf_options); p++) {
		if (key_of(p) != key)
			continue;
		if (p->instead)
			argp_failure(state, EXIT_FAILED, 0, "--%s: %s", p->name, p->instead);
		return 0;
	}
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

static bool is_last(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc;
}

/* The options that n bytes of a long name may mean: that of this very name, or those that begin so, each key once. */
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

static void refuse_name(const struct argp_state *state, const char *word)
{
	size_t n = strcspn(word, "=");
	const struct argp_option *table = state->root_argp->options;
	auto_strings struct strings names = {0};
	auto_free char *option = xstrndup(word, n);
	char text[256];

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
		if (is_last(o))
			argp_error(state, "invalid option -- '%c'", *letter);
		if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL))
			argp_error(state, "option requires an argument -- '%c'", *letter);
	}
}

void options_refuse_unknown(const struct argp_state *state)
{
	const struct parsing *p = state->input;
	const char *word = state->argv[p->next > 0 ? p->next : 1];

	if (word[1] == '-')
		refuse_name(state, word);
	else
		refuse_letters(state, word + 1);
	exit(EXIT_FAILED); /* not reached: one of them has ended the program */
}
